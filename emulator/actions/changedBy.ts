// Which operation changes each property of an object in place. A property without a row does not compile, nor does a
// row with an unknown operation. "create": only the create sets it; "console": no operation of this API sets it;
// "derived": it follows from other properties. Only `test/emulator/actions/changedBy.test.ts` reads the rows.

import type { BodyOf, Kind } from "../world/entities";
import type { OperationName } from "./index";

type ChangedBy<Body> = { readonly [K in keyof Required<Body>]: OperationName | "create" | "console" | "derived" };

export const changedBy: { readonly [K in Kind]: ChangedBy<BodyOf<K>> } = {
  vpc: {
    status: "derived",
    name: "renameVpc",
    cidr: "create",
    regionCode: "create",
  },
  peering: {
    status: "derived",
    peerAccountId: "create",
    peerRegionCode: "create",
    peerVpcId: "create",
    provisionedId: "derived",
    errorMessage: "derived",
  },
  service: {
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
  },
  replicaSet: {
    status: "derived",
    name: "create",
    nodes: "create",
    cpuMillis: "resizeReplicaSet",
    memoryGbs: "resizeReplicaSet",
    poolerEnabled: "enableReplicaPooler",
    environment: "setReplicaEnvironment",
  },
};
