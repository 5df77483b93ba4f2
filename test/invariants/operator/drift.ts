// Drift: changes in the console, deletions by hand, and foreign objects with names of the program.

import type { Emulator } from "../../../emulator/index";
import { type Acting, create, fail, recover, remove } from "./acts";
import { type Declared, isNeeded, needsOf } from "./declared";
import type { Entry } from "../engine/state";
import { factsOf, isLeaving } from "../judge/truth";
import type { Random } from "../../support/random";
import { count, type Simulation } from "../simulation";

export type Scene = Pick<Simulation, "emulator" | "judge" | "state" | "program">;

/** Makes one change; returns its description. */
export function drift(scene: Simulation, random: Random): string {
  const perform = random.pick([undefined, undefined, remove, create, fail, recover]);
  if (perform === undefined) return changeByHand(scene, random) ?? "nothing";
  return perform(actingIn(scene), random) ? perform.name : "nothing";
}

function changeByHand({ emulator, judge, state, program }: Scene, random: Random): string | undefined {
  const declared = new Set(program.declared.map((one) => one.logical));
  const ours = [...state.entries.values()].filter((one) => declared.has(one.logical) && isThere(emulator, one));
  const entry = random.pickFrom(ours);
  if (entry === undefined) return undefined;
  const { id, kind, logical, inputs } = entry;
  switch (kind) {
    case "service": {
      const isParent = isNeeded(program.declared, logical);
      const mayPause = !isParent && inputs["paused"] !== undefined;
      const changes = [
        { cpuMillis: 4000, memoryGbs: 16 },
        { environment: "PROD" },
        { replicaCount: 1, syncReplicaCount: 0 },
        { poolerEnabled: true },
        { name: `${String(inputs["name"])}-by-hand` },
        ...(mayPause ? [{ paused: random.isLucky(0.5) }] : []),
      ];
      const change = random.pick(changes);
      emulator.mutate.service(id, change);
      judge.noteTouched(id, "replicaCount" in change ? ["haReplicas"] : Object.keys(change));
      return `${logical} has ${JSON.stringify(change)} by hand`;
    }
    case "readReplicaSet":
      emulator.mutate.replicaSet(id, { poolerEnabled: true });
      judge.noteTouched(id, ["poolerEnabled"]);
      return `${logical} has a pooler by hand`;
    case "vpc":
      emulator.mutate.vpc(id, { name: `${String(inputs["name"])}-by-hand` });
      judge.noteTouched(id, ["name"]);
      return `${logical} is renamed by hand`;
    case "peering":
      break;
  }
  return undefined;
}

/** What the acts of others need, in this run. */
export function actingIn({ emulator, state, judge, program, drawn, counts }: Simulation): Acting {
  const entries = (): Entry[] => [...state.entries.values()];
  return {
    emulator,
    ours: () => [...entries(), ...state.replaced],
    deletable: () => deletable({ emulator, state, judge, program }),
    coming() {
      const names = new Set(emulator.state().services.map((service) => service.name));
      const isComing = ({ kind, logical, args }: Declared): boolean =>
        kind === "service" &&
        !state.entries.has(logical) &&
        !judge.isOutcomeUnknown(logical) &&
        !names.has(String(args["name"]));
      return program.declared.filter(isComing).map(({ args }) => String(args["name"]));
    },
    judge,
    drawn,
    count: (what) => count(counts, what),
  };
}

/** What nothing needs and nothing protects. */
function deletable({ emulator, state, program }: Scene): Entry[] {
  const needed = new Set(program.declared.flatMap(({ args }) => needsOf(args)));
  return [...state.entries.values()].filter(
    (entry) => !needed.has(entry.logical) && entry.outputs["deletionProtection"] !== true && isThere(emulator, entry),
  );
}

/** An object that is being deleted, or gone, cannot be changed. */
export function isThere(emulator: Emulator, { id, kind }: Entry): boolean {
  return factsOf(emulator.state()).some((fact) => fact.kind === kind && fact.id === id && !isLeaving(fact));
}
