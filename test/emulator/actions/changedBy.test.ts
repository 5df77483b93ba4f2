// Which operation changes each property of an object in place: the operation it names changes that property, and of all
// others only those with the same operation. A property without a row does not compile.

import { expect, test } from "vitest";
import type { BodyOf, Kind } from "../../../emulator/controlPlane/world/entities";
import type { OperationName } from "../../../emulator/index";
import { openWithVpcAndService, size, type Fixture } from "../support/refusals";

/** "create": only the create sets it; "console": no operation of this API sets it; "derived": it follows from others. */
type ChangedBy<Body> = { readonly [K in keyof Required<Body>]: OperationName | "create" | "console" | "derived" };

const changedBy: { readonly [K in Kind]: ChangedBy<BodyOf<K>> } = {
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

/** One call per operation, of a service S with the replica set R, and of the VPC V. */
const calls: Partial<Record<OperationName, (fixture: Fixture) => [path: string, body?: object]>> = {
  stop: () => ["S/stop"],
  renameService: () => ["S/rename", { name: "other" }],
  resize: () => ["S/resize", size],
  setHA: () => ["S/setHA", { replica_count: 2, sync_replica_count: 1 }],
  setEnvironment: () => ["S/setEnvironment", { environment: "PROD" }],
  enablePooler: () => ["S/enablePooler"],
  attachToVPC: ({ vpcId }) => ["S/attachToVPC", { vpc_id: vpcId }],
  renameVpc: () => ["V/rename", { name: "other" }],
  resizeReplicaSet: () => ["R/resize", size],
  enableReplicaPooler: () => ["R/enablePooler"],
  setReplicaEnvironment: () => ["R/setEnvironment", { environment: "PROD" }],
};

const rows = Object.entries(changedBy).flatMap(([kind, table]) =>
  [...new Set(Object.values(table))]
    .filter((operation) => !["create", "console", "derived"].includes(operation))
    .map((operation) => ({ kind, table, operation })),
);

test.each(rows)("$operation of $kind", async ({ kind, table, operation }) => {
  const fixture = await openWithVpcAndService();
  const { emulator, serviceId, call } = fixture;
  const set = emulator.mutate.createReplicaSet(serviceId);
  const object = (): Map<string, unknown> => {
    const state = emulator.state();
    const found = { service: state.services[0], replicaSet: state.replicaSets[0], vpc: state.vpcs[0] };
    return new Map(Object.entries(found[kind as keyof typeof found] ?? {}));
  };
  const before = object();
  const make = calls[operation as OperationName];
  const [path = "", body] = make?.(fixture) ?? [];
  const answer = await call("POST", fixture.fill(path.replace(/^R/, `S/replicaSets/${set.id}`)), body);
  expect(answer.status).toBeLessThan(300);
  emulator.settle();
  const after = object();
  const changed = Object.keys(table).filter((property) => before.get(property) !== after.get(property));
  const expected = Object.entries(table).filter(([, by]) => by === operation);
  expect(changed.filter((property) => property !== "moves")).toEqual(expected.map(([property]) => property));
});
