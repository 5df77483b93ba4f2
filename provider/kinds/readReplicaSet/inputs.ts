// A read replica set: extra nodes beside a service that serve reads and hold no data of their own.
// Contract: "ReadReplicaSet".

import { z } from "zod";
import type { ConnectionPooler, Endpoint } from "../../domain/endpoint";
import type { Condition, Field, InputsOf } from "../../domain/fields";
import {
  adoptId,
  environment,
  identifier,
  name,
  password,
  poolerEnabled,
  projectId,
  required,
  setLater,
  timeouts,
} from "../../domain/sharedFields";

export interface ReadReplicaSet {
  /** The id of the set. */
  replicaSetId: string;
  name: string;
  nodes: number;
  cpuMillis: number;
  memoryGbs: number;
  status: string;
  endpoint?: Endpoint | undefined;
  connectionPooler?: ConnectionPooler | null | undefined;
  environment?: string | undefined;
}

const atLeastOne = z.int().min(1);

export const readReplicaSetFields = {
  serviceId: required({ schema: identifier, allowed: "the id of a service", change: "replaces" }),
  name: { ...name, change: "replaces", changesOutside: true },
  nodes: required({
    schema: atLeastOne,
    allowed: "a whole number, at least 1",
    change: "replaces",
    changesOutside: true,
  }),
  cpuMillis: required({
    schema: atLeastOne,
    allowed: "a whole number of millicores, at least 1",
    change: "inPlace",
    sentWith: "memoryGbs",
  }),
  memoryGbs: required({
    schema: atLeastOne,
    allowed: "a whole number of gigabytes, at least 1",
    change: "inPlace",
    sentWith: "cpuMillis",
  }),
  poolerEnabled,
  environment: { ...environment, byCreate: setLater },
  password: { ...password, change: "lifecycle" },
  projectId: { ...projectId, remedy: "A read replica set stays in the project of its service: keep it." },
  adoptId,
  timeouts,
} satisfies Record<string, Field>;

export type ReadReplicaSetInputs = InputsOf<typeof readReplicaSetFields>;

export function conditionOfReplicaSet({ status }: Pick<ReadReplicaSet, "status">): Condition {
  switch (status.toLowerCase()) {
    case "active":
      return "settled";
    case "error":
      return "failed";
    case "deleting":
      return "deleting";
    default:
      return "pending";
  }
}
