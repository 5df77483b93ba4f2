// The table of what changes each property is right: the operation it names changes that property, and of all others only
// those with the same operation.

import { expect, test } from "vitest";
import { changedBy } from "../../../emulator/actions/changedBy";
import type { OperationName } from "../../../emulator/index";
import { openWithVpcAndService, size, type Fixture } from "../support/refusals";

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
