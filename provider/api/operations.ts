// The table of all operations, by group: the client's face, its types and the docs come from it.

import { peeringOperations } from "./peering";
import { projectOperations } from "./project";
import { readReplicaSetOperations } from "./readReplicaSet";
import { serviceOperations } from "./service";
import { vpcOperations } from "./vpc";

export const operations = {
  projects: projectOperations,
  vpcs: vpcOperations,
  peerings: peeringOperations,
  services: serviceOperations,
  readReplicaSets: readReplicaSetOperations,
};

export type Operations = typeof operations;
