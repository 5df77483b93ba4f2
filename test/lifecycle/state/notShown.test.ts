// What an answer does not show is no value: for every optional member of a service, in lists that are poorer than single
// reads, and in all answers. That each form of "no value" says the same is shown where answers are read.

import { expect, test } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import type { Kept } from "../../support/world";
import { done, LARGE, NET, refreshed, useWorld, world } from "../scene";

type Form = "absent" | "zero";

/** Members whose absence in a read of a settled service says that it has none of it, with what a refresh then records. */
const NONE: Readonly<Record<string, Values>> = {
  vpc_endpoint: { vpcId: undefined, vpcEndpoint: undefined },
  connection_pooler: { poolerEnabled: false, connectionPooler: undefined, poolerHost: undefined },
  "connection_pooler.endpoint": { poolerEnabled: false, connectionPooler: undefined, poolerPort: undefined },
  ha_replicas: { haReplicas: { replicaCount: 0, syncReplicaCount: 0 } },
  log_exporter_id: { logExporterId: undefined },
  metric_exporter_id: { metricExporterId: undefined },
};

/** Members whose absence says nothing. */
const NOT_SHOWN = [
  "metadata",
  "metadata.environment",
  "forked_from",
  "forked_from.service_id",
  "forked_from.project_id",
  "data_tiering",
  "metrics",
  "resources.id",
  "resources.spec.volume_type",
  "vpc_endpoint.vpc_id",
  "vpc_endpoint.host",
  "vpc_endpoint.port",
  "connection_pooler.endpoint.host",
  "connection_pooler.endpoint.port",
] as const;

let kept: Kept;
let args: Values;
useWorld({ switches: { vpcEndpointSpelling: "vpc_endpoint" } }, async () => {
  const vpcId = (await world.vpc.create(NET)).id;
  const parent = await done(world.service.create({ name: "parent", ...LARGE }));
  const wanted = {
    environment: "PROD",
    haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    poolerEnabled: true,
    vpcId,
  };
  args = { name: "orders", ...LARGE, forkFrom: { serviceId: parent.id, strategy: "NOW" }, ...wanted };
  kept = await done(world.service.create(args));
  const exporters = { logExporterId: "log-1", metricExporterId: "metric-1", dataTieringEnabled: true };
  world.emulator.mutate.service(kept.id, exporters);
  kept = await refreshed(kept);
});

/** The state after a refresh in a new run, the inputs that it shows as drift, and what was called. */
async function seenWhile(members: Readonly<Record<string, Form>>, where: "lists" | undefined): Promise<Kept> {
  const at = where === undefined ? {} : { in: where };
  world.emulator.faults.add({ kind: "members", members, ids: [kept.id], times: Infinity, ...at });
  world.nextRun();
  // A list of several, so that the row is what is read first.
  await world.session.services("proj000001").list();
  return refreshed(kept);
}

/** What the refresh has changed, and what an update would do and does. */
async function effectsOf(seen: Kept): Promise<unknown> {
  const { properties, replaces, operations } = world.service.preview(seen, args);
  const isUpdated = (await world.service.update(seen, args)) !== seen;
  return { outputs: seen.outputs, properties, replaces, operations, isUpdated, calls: world.calls() };
}
const nothing = (): unknown => {
  return { outputs: kept.outputs, properties: [], replaces: [], operations: [], isUpdated: false, calls: [] };
};

test.each([...Object.keys(NONE), ...NOT_SHOWN, "resources.spec", "ha_replicas.sync_replica_count", "endpoint"])(
  "%s in lists is no drift, no plan, and clears nothing",
  async (member) => {
    expect(await effectsOf(await seenWhile({ [member]: "absent" }, "lists"))).toEqual(nothing());
  },
);

test.each(NOT_SHOWN)("%s in all answers is no drift, no plan, and clears nothing", async (member) => {
  expect(await effectsOf(await seenWhile({ [member]: "absent" }, undefined))).toEqual(nothing());
});

test("replicas of an unknown number are no drift; 0 is a number", async () => {
  for (const [form, replicaCount] of [["absent", 2] as const, ["zero", 0] as const]) {
    world.emulator.faults.clear();
    const seen = await seenWhile({ "ha_replicas.replica_count": form }, undefined);
    expect(seen.outputs["haReplicas"]).toMatchObject({ replicaCount });
  }
});

test.each(Object.entries(NONE))("%s in a read of the service is none", async (member, recorded) => {
  const { outputs } = await seenWhile({ [member]: "absent" }, undefined);
  for (const [key, value] of Object.entries(recorded)) expect({ [key]: outputs[key] }).toEqual({ [key]: value });
  expect(world.calls()).toEqual([]);
});
