// The demo's eyes: what the server was really asked to do, and whether it is as the state says. It believes neither
// Pulumi's output nor the provider, only the emulator's own record.

/** What was announced and did not happen. */
export class FalsePromise extends Error {}

export function createWitness(emulator) {
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
    /** Objects that exist, by kind. */
    objects() {
      const { vpcs, peerings, services, replicaSets } = emulator.state();
      return {
        vpcs: vpcs.length,
        peerings: peerings.length,
        services: services.length,
        replicaSets: replicaSets.length,
      };
    },
    /** Differences between the inputs in the state and the truth on the server. */
    differences: (resources) => resources.flatMap((resource) => differencesOf(resource, emulator.state())),
  };
}

export function counted(requests) {
  const counts = {};
  for (const { operation } of requests) counts[operation ?? "unknown"] = (counts[operation ?? "unknown"] ?? 0) + 1;
  return counts;
}

const collections = { Vpc: "vpcs", Peering: "peerings", Service: "services", ReadReplicaSet: "replicaSets" };

// How the emulator tells what a program says in other words.
const retold = {
  paused: ({ status }) => status === "PAUSED",
  haReplicas: ({ replicaCount, syncReplicaCount }) => ({ replicaCount, syncReplicaCount }),
};

// Not visible on the server, or not as it was given.
const unseen = ["password", "addons", "forkFrom", "deletionProtection", "__provider", "__urn"];

function differencesOf({ type, id, urn, inputs = {} }, state) {
  const kind = /dynamic\/dbcloud:(\w+)$/.exec(type)?.[1];
  if (kind === undefined) return [];
  const object = state[collections[kind]].find((candidate) => candidate.id === id);
  if (object === undefined) return [`${urn} is not there`];
  return Object.entries(inputs)
    .filter(([key]) => !unseen.includes(key))
    .filter(([key, value]) => JSON.stringify(retold[key]?.(object) ?? object[key]) !== JSON.stringify(value))
    .map(([key, value]) => `${kind} ${id}: ${key} is ${JSON.stringify(object[key])}, not ${JSON.stringify(value)}`);
}
