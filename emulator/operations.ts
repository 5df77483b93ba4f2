// The names of all operations: the contract's last path word where it has one. They appear in faults, request records,
// the ledger and as file names under `actions/`. Imports nothing.

/** Operations that the contract documents: all there is in profile `documented`. */
export const documentedOperations = [
  "getProjects",
  "listVpcs",
  "createVpc",
  "getVpc",
  "deleteVpc",
  "renameVpc",
  "listPeerings",
  "createPeering",
  "getPeering",
  "deletePeering",
  "listServices",
  "createService",
  "getService",
  "attachToVPC",
  "detachFromVPC",
  "resize",
  "enablePooler",
  "disablePooler",
  "forkService",
  "updatePassword",
  "setEnvironment",
  "getLogs",
  "setHA",
  "stop",
  "createReplicaSet",
  "deleteReplicaSet",
  "resizeReplicaSet",
  "enableReplicaPooler",
  "disableReplicaPooler",
  "setReplicaEnvironment",
] as const;

/** Operations that deployments offer although the contract is silent about them: profile `full` only. */
export const undocumentedOperations = ["deleteService", "start", "renameService", "listReplicaSets"] as const;

export const operations = [...documentedOperations, ...undocumentedOperations] as const;

export type OperationName = (typeof operations)[number];
