// The calls about read replica sets, and how one looks on the wire. Contract: "Read replica sets".

import { z } from "zod";
import { conditionOfReplicaSet, type ReadReplicaSet } from "./inputs";
import { created, list } from "../../api/operations/answer";
import { operation } from "../../api/operations/operation";
import { all, completion, notShown, object, orElse } from "../../api/operations/objects";
import {
  amount,
  answeredId,
  connectionPooler,
  digits,
  endpoint,
  endpointShape,
  environment,
  environmentTag,
  name,
  word,
} from "../../api/operations/wire";

const readReplicaSetShape = object<ReadReplicaSet>({
  replicaSetId: { on: ["id"], schema: answeredId },
  name: z.string(),
  nodes: z.number(),
  cpuMillis: z.number(),
  memoryGbs: z.number(),
  status: word,
  // It can come later than the status.
  endpoint: notShown(endpoint),
  // API: off, if it shows its own address.
  connectionPooler: orElse(connectionPooler, ({ endpoint: own }: Pick<ReadReplicaSet, "endpoint">) =>
    own === undefined ? undefined : null,
  ),
  environment: notShown(environmentTag, "metadata"),
});
const { schema } = readReplicaSetShape;

const isSettled = (set: ReadReplicaSet): boolean => conditionOfReplicaSet(set) === "settled";

const complete = all<ReadReplicaSet>(
  completion(readReplicaSetShape, (set) => [set], isSettled),
  completion(endpointShape, (set) => [set.endpoint, set.connectionPooler?.endpoint], isSettled),
);

export const readReplicaSetItems = { schema, idKey: "id", nameKey: "name", complete };

const SETS = "/projects/{projectId}/services/{serviceId}/replicaSets";
const SET = "/projects/{projectId}/services/{serviceId}/replicaSets/{replicaSetId}";

export const readReplicaSetOperations = {
  /** All replica sets of a service; where a server lacks the call, the service itself lists them. */
  list: operation("GET", SETS, {
    name: "listReplicaSets",
    documented: false,
    // API: a set has no read of its own; this is the one that shows the most of it.
    answer: list({ ...readReplicaSetItems, complete: (sets) => complete(sets, true) }),
  }),
  /** Makes a replica set; the service needs a first backup for it. */
  create: operation("POST", SETS, {
    name: "createReplicaSet",
    repeat: "notIdempotent",
    fields: { cpuMillis: amount, memoryGbs: amount, name, nodes: amount },
    // API: the sizes are numbers here, and texts in a resize.
    answer: created({ schema, idKey: "id" }),
  }),
  /** Removes a replica set; it is gone when the service no longer lists it. */
  delete: operation("DELETE", SET, { name: "deleteReplicaSet" }),
  /** Gives every node of the set another size. */
  resize: operation("POST", `${SET}/resize`, {
    name: "resizeReplicaSet",
    fields: { cpuMillis: amount, memoryGbs: amount },
    body: (input) => ({ cpu_millis: digits(input.cpuMillis), memory_gbs: digits(input.memoryGbs) }),
  }),
  /** Gives the set a connection pooler. */
  enablePooler: operation("POST", `${SET}/enablePooler`, { name: "enableReplicaPooler" }),
  /** Takes the set's connection pooler away. */
  disablePooler: operation("POST", `${SET}/disablePooler`, { name: "disableReplicaPooler" }),
  /** Tags the set as development or production. */
  setEnvironment: operation("POST", `${SET}/setEnvironment`, {
    name: "setReplicaEnvironment",
    fields: { environment },
  }),
};
