// Every change of a service that the design knows, alone: what the program said before and says after, and the calls it
// takes. `combine` makes one plan of several, with the calls in the one order.

import type { Values } from "../../provider/domain/values/value";
import { LARGE, NET, SMALL, world } from "./scene";

export interface Change {
  name: string;
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
  const one = (name: string, from: Values, to: Values, ...calls: string[]): Change => ({ name, from, to, calls });
  const ha = (replicaCount: number, syncReplicaCount?: number): Values => ({
    haReplicas: syncReplicaCount === undefined ? { replicaCount } : { replicaCount, syncReplicaCount },
  });
  return [
    one("rename", { name: "old" }, { name: "new" }, "renameService"),
    one("tag as PROD", { environment: "DEV" }, { environment: "PROD" }, "setEnvironment"),
    one("tag as DEV", { environment: "PROD" }, { environment: "DEV" }, "setEnvironment"),
    one("tag for the first time", {}, { environment: "PROD" }, "setEnvironment"),
    one("grow", SMALL, LARGE, "resize"),
    one("shrink", LARGE, SMALL, "resize"),
    one("say the size that it has", {}, SMALL),
    one("add replicas", {}, ha(1), "setHA"),
    one("make one synchronous", ha(1), ha(2, 1), "setHA"),
    one("make none synchronous", ha(2, 1), ha(2, 0), "setHA"),
    one("remove all replicas", ha(2, 1), ha(0), "setHA"),
    one("attach", {}, { vpcId: first }, "attachToVPC"),
    one("swap", { vpcId: first }, { vpcId: second }, "detachFromVPC", "attachToVPC"),
    one("detach", { vpcId: first }, {}, "detachFromVPC"),
    one("pooler on", {}, { poolerEnabled: true }, "enablePooler"),
    one("pooler off", { poolerEnabled: true }, { poolerEnabled: false }, "disablePooler"),
    one("password", {}, { password: "correct horse" }, "updatePassword"),
    one("another password", { password: "correct horse" }, { password: "battery staple" }, "updatePassword"),
    one("pause", { paused: false }, { paused: true }, "stop"),
    one("resume", { paused: true }, { paused: false }, "start"),
    one("stay paused", { paused: true }, { paused: true }),
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
    from,
    to,
    calls: ORDER.filter((call) => calls.has(call)),
  };
}

function merge(parts: readonly Values[]): Values {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}
