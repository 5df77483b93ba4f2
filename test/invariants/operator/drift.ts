// Drift: changes in the console, deletions by hand, and foreign objects with names of the program.

import type { Emulator } from "../../../emulator/index";
import { needsOf } from "./declared";
import type { Entry } from "../engine/state";
import { deleteByHand, factsOf, isLeaving } from "../judge/truth";
import type { Random } from "../../support/random";
import type { Simulation } from "../simulation";

export type Scene = Pick<Simulation, "emulator" | "judge" | "state" | "program">;

/** Makes one change; returns its description. */
export function drift(scene: Scene, random: Random): string {
  const way = random.pick([changeByHand, changeByHand, removeByHand, takeName]);
  return way(scene, random) ?? "nothing";
}

function changeByHand({ emulator, judge, state, program }: Scene, random: Random): string | undefined {
  const declared = new Set(program.declared.map((one) => one.logical));
  const ours = [...state.entries.values()].filter((one) => declared.has(one.logical) && isThere(emulator, one));
  const entry = random.pickFrom(ours);
  if (entry === undefined) return undefined;
  const { id, kind, logical, inputs } = entry;
  switch (kind) {
    case "service": {
      const isParent = program.declared.some(({ args }) => needsOf(args).includes(logical));
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

export function removeByHand({ emulator, state, judge, program }: Scene, random: Random): string | undefined {
  const needed = new Set(program.declared.flatMap(({ args }) => needsOf(args)));
  const free = [...state.entries.values()].filter(
    (entry) => !needed.has(entry.logical) && entry.outputs["deletionProtection"] !== true && isThere(emulator, entry),
  );
  const entry = random.pickFrom(free);
  if (entry === undefined) return undefined;
  for (const id of [entry.id, ...partsOf(emulator, entry)]) judge.noteDeletedByHand(id);
  deleteByHand(emulator, entry);
  return `${entry.logical} (${entry.id}) is removed by hand`;
}

/** What is deleted with it. Another resource may have the same object, and parts in it. */
function partsOf(emulator: Emulator, { id, kind }: Entry): string[] {
  const { peerings, replicaSets } = emulator.state();
  if (kind === "vpc") return peerings.filter(({ vpcId }) => vpcId === id).map((peering) => peering.id);
  return kind === "service" ? replicaSets.filter(({ serviceId }) => serviceId === id).map((set) => set.id) : [];
}

/** Somebody else makes a service with the name that one of the program is about to get. */
export function takeName({ emulator, judge, program, state }: Scene, random: Random): string | undefined {
  const names = new Set(emulator.state().services.map((service) => service.name));
  const coming = program.declared.filter(({ kind, logical, args }) => {
    const isComing = kind === "service" && !state.entries.has(logical) && !judge.isOutcomeUnknown(logical);
    return isComing && !names.has(String(args["name"]));
  });
  const victim = random.pickFrom(coming);
  const name = victim === undefined ? `stranger-${random.seed()}` : String(victim.args["name"]);
  const { id } = emulator.mutate.createService({ name });
  judge.noteForeign(id);
  return `somebody else makes a service ${name} (${id})`;
}

/** An object that is being deleted, or gone, cannot be changed. */
function isThere(emulator: Emulator, { id, kind }: Entry): boolean {
  return factsOf(emulator.state()).some((fact) => fact.kind === kind && fact.id === id && !isLeaving(fact));
}
