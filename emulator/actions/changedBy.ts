// Which operation changes each property of an object in place. A property without a row does not compile, nor does a row
// whose operation nobody serves. "create": only the create sets it; "console": no operation of this API does; "derived":
// follows from other properties.

import type { ReplicaSetBody, ServiceBody, VpcBody } from "../world/entities";
import type { OperationName } from "./index";

type ChangedBy<Body> = { readonly [K in keyof Required<Body>]: OperationName | "create" | "console" | "derived" };

export const serviceChangedBy: ChangedBy<ServiceBody> = {
  status: "stop",
  name: "renameService",
  regionCode: "create",
  serviceType: "create",
  cpuMillis: "resize",
  memoryGbs: "resize",
  replicaCount: "setHA",
  syncReplicaCount: "setHA",
  environment: "setEnvironment",
  poolerEnabled: "enablePooler",
  vpcId: "attachToVPC",
  moves: "derived",
  dataTieringEnabled: "console",
  logExporterId: "console",
  metricExporterId: "console",
  endpoint: "console",
};

export const replicaSetChangedBy: ChangedBy<ReplicaSetBody> = {
  status: "derived",
  name: "create",
  nodes: "create",
  cpuMillis: "resizeReplicaSet",
  memoryGbs: "resizeReplicaSet",
  poolerEnabled: "enableReplicaPooler",
  environment: "setReplicaEnvironment",
};

export const vpcChangedBy: ChangedBy<VpcBody> = {
  status: "derived",
  name: "renameVpc",
  cidr: "create",
  regionCode: "create",
};
