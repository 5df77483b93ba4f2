// The true objects of the server, by kind and id, and their differences from the state. Read from the emulator, never
// from the provider.

import { isDeepStrictEqual } from "node:util";
import type { WorldState } from "../../../emulator/index";
import type { Values } from "../../../provider/domain/values/value";
import type { Entry } from "./observer";
import type { Kind } from "../../support/providerProcess";

/** An object on the server, with the property names of the program. */
export interface Fact {
  kind: Kind;
  id: string;
  /** Objects of a kind with the same identity are duplicates to a user. */
  identity: string;
  status: string;
  values: Values;
}

export function factsOf(state: WorldState): Fact[] {
  const facts: Readonly<Record<Kind, readonly Fact[]>> = {
    service: state.services.map((service): Fact => {
      const { id, name, status, password, vpcId } = service;
      const { regionCode, environment, poolerEnabled, replicaCount, syncReplicaCount, serviceType, forkedFrom } =
        service;
      const sizes = { cpuMillis: service.cpuMillis ?? "shared", memoryGbs: service.memoryGbs ?? "shared" };
      const values = { name, password, vpcId, regionCode, environment, poolerEnabled, ...sizes };
      const addons = serviceType === "SERIESDB" ? ["time-series"] : [];
      const haReplicas = { replicaCount, syncReplicaCount };
      const fork = forkedFrom === undefined ? {} : { forkFrom: { serviceId: forkedFrom.serviceId } };
      return {
        kind: "service",
        id,
        identity: name,
        status,
        values: { ...values, addons, haReplicas, paused: status === "PAUSED", ...fork },
      };
    }),
    vpc: state.vpcs.map(({ id, status, name, cidr, regionCode }): Fact => {
      return { kind: "vpc", id, identity: `${name} ${cidr} ${regionCode}`, status, values: { name, cidr, regionCode } };
    }),
    peering: state.peerings.map(({ id, status, vpcId, peerAccountId, peerRegionCode, peerVpcId }): Fact => {
      const values = { vpcId, peerAccountId, peerRegionCode, peerVpcId };
      return { kind: "peering", id, identity: Object.values(values).join(" "), status, values };
    }),
    readReplicaSet: state.replicaSets.map((set): Fact => {
      const { id, status, serviceId, name, nodes, cpuMillis, memoryGbs, poolerEnabled, environment } = set;
      const values = { serviceId, name, nodes, cpuMillis, memoryGbs, poolerEnabled, environment };
      return { kind: "readReplicaSet", id, identity: `${serviceId} ${name}`, status, values };
    }),
  };
  return Object.values(facts).flat();
}

export function identityOf(kind: Kind, inputs: Values): string {
  const keys: Readonly<Record<Kind, readonly string[]>> = {
    service: ["name"],
    vpc: ["name", "cidr", "regionCode"],
    peering: ["vpcId", "peerAccountId", "peerRegionCode", "peerVpcId"],
    readReplicaSet: ["serviceId", "name"],
  };
  return keys[kind].map((key) => String(inputs[key])).join(" ");
}

export function isLeaving({ status }: Fact): boolean {
  return ["DELETING", "DELETED"].includes(status.toUpperCase());
}

/** An object enters UNSTABLE and REBALANCING by itself, even right after a read has shown it settled. */
const SETTLED = ["READY", "PAUSED", "ACTIVE", "UNSTABLE", "REBALANCING"];

export function isSettled({ kind, status }: Fact): boolean {
  // A server need not show their status.
  if (kind === "vpc" || kind === "peering") return !/^(creating|deleting)$/i.test(status);
  return SETTLED.includes(status.toUpperCase());
}

/** The differences of the server from the program's inputs and from the state's outputs; skips the keys in `aside`. */
export function differences(entry: Entry, fact: Fact, aside: ReadonlySet<string> = new Set()): string[] {
  return Object.keys(fact.values).flatMap((key) => {
    if (aside.has(key)) return [];
    const real = fact.values[key];
    const wanted = entry.inputs[key];
    const shown = entry.outputs[key];
    const lines: string[] = [];
    if (wanted !== undefined && !isAsSaid(key, wanted, real))
      lines.push(`${key} is ${text(real)}, wanted ${text(wanted)}`);
    // A password that the program does not manage is not compared, and no input shows the parent of a fork.
    const isShown = shown !== undefined && (key !== "password" || wanted !== undefined);
    if (isShown && !isAsSaid(key, shown, real)) lines.push(`${key} is ${text(real)}, the state shows ${text(shown)}`);
    return lines;
  });
}

function isAsSaid(key: string, said: unknown, real: unknown): boolean {
  if (key === "haReplicas" || key === "forkFrom") {
    const [some, whole] = [said as Values, (real ?? {}) as Values];
    return Object.keys(whole).every((part) => some[part] === undefined || some[part] === whole[part]);
  }
  // API: the type of a service does not show "ai".
  return isDeepStrictEqual(said, real);
}

function text(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
