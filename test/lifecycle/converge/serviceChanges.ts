// Every change of a service that the design knows, alone: what the program said before and says after, and the calls it
// takes. Combined by `combine`, they give every pair and triple with the calls in the one order.

import type { Values } from "../../../provider/domain/values/value";
import { createRandom } from "../../support/random";
import { LARGE, NET, SMALL, world } from "../scene";

export interface Change {
  name: string;
  /** The input it is about; two changes of one input cannot be combined. */
  about: string;
  from: Values;
  to: Values;
  calls: string[];
}

/** The one order of calls. */
const ORDER = [
  "start",
  "renameService",
  "setEnvironment",
  "resize",
  "setHA",
  "detachFromVPC",
  "attachToVPC",
  "enablePooler",
  "disablePooler",
  "updatePassword",
  "stop",
];

/** The word of a plan and of an error for a call. */
export const wordOf = (call: string): string => (call === "renameService" ? "rename" : call);

/** Makes two VPCs in the services' own region, of which some changes speak. */
export async function serviceChanges(): Promise<Change[]> {
  const [{ id: first }, { id: second }] = [
    await world.vpc.create(NET),
    await world.vpc.create({ ...NET, name: "second" }),
  ];
  const one = (name: string, about: string, from: Values, to: Values, ...calls: string[]): Change => ({
    name,
    about,
    from,
    to,
    calls,
  });
  const ha = (replicaCount: number, syncReplicaCount?: number): Values => ({
    haReplicas: syncReplicaCount === undefined ? { replicaCount } : { replicaCount, syncReplicaCount },
  });
  return [
    one("rename", "name", { name: "old" }, { name: "new" }, "renameService"),
    one("tag as PROD", "environment", { environment: "DEV" }, { environment: "PROD" }, "setEnvironment"),
    one("tag as DEV", "environment", { environment: "PROD" }, { environment: "DEV" }, "setEnvironment"),
    one("tag for the first time", "environment", {}, { environment: "PROD" }, "setEnvironment"),
    one("grow", "size", SMALL, LARGE, "resize"),
    one("shrink", "size", LARGE, SMALL, "resize"),
    one("say the size that it has", "size", {}, SMALL),
    one("add replicas", "haReplicas", {}, ha(1), "setHA"),
    one("make one synchronous", "haReplicas", ha(1), ha(2, 1), "setHA"),
    one("make none synchronous", "haReplicas", ha(2, 1), ha(2, 0), "setHA"),
    one("remove all replicas", "haReplicas", ha(2, 1), ha(0), "setHA"),
    one("attach", "vpcId", {}, { vpcId: first }, "attachToVPC"),
    one("swap", "vpcId", { vpcId: first }, { vpcId: second }, "detachFromVPC", "attachToVPC"),
    one("detach", "vpcId", { vpcId: first }, {}, "detachFromVPC"),
    one("pooler on", "poolerEnabled", {}, { poolerEnabled: true }, "enablePooler"),
    one("pooler off", "poolerEnabled", { poolerEnabled: true }, { poolerEnabled: false }, "disablePooler"),
    one("password", "password", {}, { password: "correct horse" }, "updatePassword"),
    one(
      "another password",
      "password",
      { password: "correct horse" },
      { password: "battery staple" },
      "updatePassword",
    ),
    one("pause", "paused", { paused: false }, { paused: true }, "stop"),
    one("resume", "paused", { paused: true }, { paused: false }, "start"),
    one("stay paused", "paused", { paused: true }, { paused: true }),
  ];
}

/** Several changes at once. A paused service is started for the others, and stopped again where it stays paused. */
export function combine(changes: readonly Change[]): Change {
  const from = merge(changes.map((change) => change.from));
  const to = merge(changes.map((change) => change.to));
  const calls = new Set(changes.flatMap((change) => change.calls));
  if (from["paused"] === true && calls.size > 0) {
    calls.add("start");
    if (to["paused"] === true) calls.add("stop");
  }
  return {
    name: changes.map((change) => change.name).join(" + "),
    about: changes.map((change) => change.about).join("+"),
    from,
    to,
    calls: ORDER.filter((call) => calls.has(call)),
  };
}

function merge(parts: readonly Values[]): Values {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

export function pairsOf(changes: readonly Change[]): Change[] {
  return changes.flatMap((a, index) =>
    changes
      .slice(index + 1)
      .filter((b) => b.about !== a.about)
      .map((b) => combine([a, b])),
  );
}

/** So many different triples, always the same ones for a seed. */
export function triplesOf(changes: readonly Change[], count: number, seed: number): Change[] {
  const random = createRandom(seed);
  const triples = new Map<string, Change>();
  while (triples.size < count) {
    const three = [0, 1, 2].map(() => random.pick(changes));
    if (new Set(three.map((change) => change.about)).size < 3) continue;
    const triple = combine(three);
    triples.set(triple.name, triple);
  }
  return [...triples.values()];
}
