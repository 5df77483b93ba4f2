// The true objects of the server, by kind and id, and their differences from the state. Read from the emulator; the
// provider gives only the names of the inputs, so that a new one is compared by itself.

import { isDeepStrictEqual } from "node:util";
import type { Emulator, WorldState } from "../../../emulator/index";
import type { Values } from "../../../provider/domain/values/value";
import { resources } from "../../../provider/kinds/index";
import type { Entry } from "../engine/state";
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
    service: state.services.map((service) => {
      const { id, name, status, replicaCount, syncReplicaCount, serviceType, forkedFrom } = service;
      const inputs = {
        ...service,
        cpuMillis: service.cpuMillis ?? "shared",
        memoryGbs: service.memoryGbs ?? "shared",
        addons: serviceType === "SERIESDB" ? ["time-series"] : [],
        haReplicas: { replicaCount, syncReplicaCount },
        paused: status === "PAUSED",
        ...(forkedFrom && { forkFrom: { serviceId: forkedFrom.serviceId } }),
      };
      return { kind: "service", id, identity: name, status, values: valuesOf("service", inputs) };
    }),
    vpc: state.vpcs.map((vpc) => factOf("vpc", vpc)),
    peering: state.peerings.map((peering) => factOf("peering", peering)),
    readReplicaSet: state.replicaSets.map((set) => factOf("readReplicaSet", set)),
  };
  return Object.values(facts).flat();
}

function factOf(kind: Kind, object: { id: string; status: string }): Fact {
  const { id, status } = object;
  const values = valuesOf(kind, { ...object });
  return { kind, id, identity: identityOf(kind, values), status, values };
}

/** What the object has of the inputs of its kind. */
function valuesOf(kind: Kind, object: Values): Values {
  const inputs = Object.keys(resources[kind].fields).filter((key) => key in object);
  return Object.fromEntries(inputs.map((key) => [key, object[key]]));
}

const DELETES = {
  service: "deleteService",
  vpc: "deleteVpc",
  peering: "deletePeering",
  readReplicaSet: "deleteReplicaSet",
} as const;

/** As somebody in the vendor's console does it. */
export function deleteByHand({ mutate }: Emulator, { kind, id }: Pick<Fact, "kind" | "id">): void {
  mutate[DELETES[kind]](id);
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
export function differences(
  entry: Pick<Entry, "inputs" | "outputs">,
  fact: Fact,
  aside: ReadonlySet<string> = new Set(),
): string[] {
  return Object.keys(fact.values).flatMap((key) => {
    if (aside.has(key)) return [];
    const real = fact.values[key];
    const wanted = entry.inputs[key];
    const shown = entry.outputs[key];
    const lines: string[] = [];
    if (wanted !== undefined && !isAsSaid(key, wanted, real))
      lines.push(`${key} is ${printed(real)}, wanted ${printed(wanted)}`);
    // A password that the program does not manage is not compared, and no input shows the parent of a fork.
    const isShown = shown !== undefined && (key !== "password" || wanted !== undefined);
    if (isShown && !isAsSaid(key, shown, real))
      lines.push(`${key} is ${printed(real)}, the state shows ${printed(shown)}`);
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

export function printed(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
