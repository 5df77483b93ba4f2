// The table of all operations, by group: the client's face, its types and the docs come from it.

import type { Operation } from "./operation";
import { peeringOperations } from "../../kinds/peering/wire";
import { projectOperations } from "./project";
import { readReplicaSetOperations } from "../../kinds/readReplicaSet/wire";
import { serviceOperations } from "../../kinds/service/wire";
import { vpcOperations } from "../../kinds/vpc/wire";

export const operations = {
  projects: projectOperations,
  vpcs: vpcOperations,
  peerings: peeringOperations,
  services: serviceOperations,
  readReplicaSets: readReplicaSetOperations,
};

export type Operations = typeof operations;

/** The operations of one kind of object, by name. */
export type OperationGroup = Readonly<Record<string, Operation<unknown, unknown>>>;

/** The same rows as one list. */
export const operationList: readonly Operation<unknown, unknown>[] = Object.values<OperationGroup>(operations).flatMap(
  (group) => Object.values(group),
);
