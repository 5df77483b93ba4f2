// Checks the demo on the server itself: which calls changed something, and whether the objects match the state. It
// reads only the emulator's record, not the output of Pulumi or the provider.
import type { Emulator, RequestRecord, WorldState } from "pulumi-dbcloud/emulator";

/** Something that the demo announced did not happen. */
export class DemoError extends Error {}

/** Number of requests by operation. */
export type Counts = Record<string, number>;

/** A resource of `pulumi stack export`. */
export interface StateResource {
  type: string;
  id?: string;
  urn: string;
  inputs?: Record<string, unknown>;
}

export type ServerCheck = ReturnType<typeof createServerCheck>;

type Collection = "vpcs" | "peerings" | "services" | "replicaSets";

export function createServerCheck(emulator: Emulator) {
  let read = 0;
  return {
    /** Changes that took effect since the last time, by operation. */
    changes() {
      const all = emulator.requests();
      const fresh = all.slice(read);
      read = all.length;
      return counted(fresh.filter((request) => request.committed && request.method !== "GET"));
    },
    /** Every request since the beginning, by operation. */
    everything: () => counted(emulator.requests()),
    /** Differences between the inputs in the state and the objects on the server. */
    differences: (resources: readonly StateResource[]) =>
      resources.flatMap((resource) => differencesOf(resource, emulator.state())),
  };
}

function counted(requests: readonly RequestRecord[]): Counts {
  const counts: Counts = {};
  for (const { operation = "unknown" } of requests) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}

const collections: Readonly<Record<string, Collection | undefined>> = {
  Vpc: "vpcs",
  Peering: "peerings",
  Service: "services",
  ReadReplicaSet: "replicaSets",
};

/** Inputs that the emulator shows under other names. */
const translations: Readonly<Record<string, ((object: Record<string, unknown>) => unknown) | undefined>> = {
  paused: ({ status }) => status === "PAUSED",
  haReplicas: ({ replicaCount, syncReplicaCount }) => ({ replicaCount, syncReplicaCount }),
};

/** Inputs that the server shows differently or not at all. */
const notShown = new Set(["password", "addons", "forkFrom", "deletionProtection", "__provider", "__urn"]);

function differencesOf({ type, id, urn, inputs = {} }: StateResource, state: WorldState): string[] {
  const kind = /dynamic\/dbcloud:(\w+)$/.exec(type)?.[1] ?? "";
  const collection = collections[kind];
  if (collection === undefined) return [];
  const found = state[collection].find((candidate) => candidate.id === id);
  if (found === undefined) return [`${urn} does not exist on the server`];
  const object: Record<string, unknown> = { ...found };
  return Object.entries(inputs)
    .filter(([key]) => !notShown.has(key))
    .map(([key, wanted]) => ({ key, wanted, live: translations[key]?.(object) ?? object[key] }))
    .filter(({ wanted, live }) => JSON.stringify(live) !== JSON.stringify(wanted))
    .map(({ key, wanted, live }) => `${kind} ${id}: ${key} is ${JSON.stringify(live)}, not ${JSON.stringify(wanted)}`);
}
