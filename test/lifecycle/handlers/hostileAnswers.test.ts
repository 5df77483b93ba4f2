// Answers that no server should give, met by the handlers: each is an error or is ignored. Never a crash, a hang, a wrong
// object, a forgotten one, or the key in a text.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEmulator, type EmulatorOptions, type Fault } from "../../../emulator/index";
import { openWorld, type Kept, type World } from "../../support/world";

const PASSWORD = "a-password-for-orders";
const HA = { replicaCount: 2, syncReplicaCount: 1 };

let world: World;
afterEach(async () => {
  const said = [...world.progress, ...world.warnings].join("\n");
  await world.close();
  if ([world.emulator.apiKey, PASSWORD].some((secret) => said.includes(secret))) throw new Error(`it leaked: ${said}`);
});

/** What a handler said when it did not do it. A defect of ours is no answer. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) return `it worked: ${JSON.stringify(outcome.value)}`;
  const { error } = outcome;
  if (!(error instanceof Error) || !("code" in error)) return `it crashed: ${String(error)}`;
  return error.message.includes(world.emulator.apiKey) ? "the key leaked" : error.message;
}

describe("a whole life", () => {
  const looks: [string, EmulatorOptions["switches"]][] = [
    ["ids with slashes, dots, spaces and letters of all kinds", { idLooks: "hostile" }],
    ["null for whatever is absent, and members nobody knows", { nullFields: true, unknownFields: true }],
    ["all of it", { idLooks: "hostile", nullFields: true, unknownFields: true, omitZeroHa: true, statusCase: "upper" }],
  ];
  test.each(looks)("with %s", async (_, switches) => {
    world = await openWorld({ switches: { ...switches, vpcStatus: true } });
    const vpc = await world.vpc.create({ name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const peer = { vpcId: vpc.id, peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
    const peering = await world.peering.create(peer);
    const args = { name: "orders", regionCode: "us-east-1", environment: "DEV", haReplicas: HA };
    const service = await world.service.create({ ...args, vpcId: vpc.id, password: PASSWORD });
    const set = { serviceId: service.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
    const readReplicaSet = await world.readReplicaSet.create(set);
    const updated = await world.service.update(service, { ...args, vpcId: vpc.id, poolerEnabled: true });
    const all = { vpc, peering, service: updated, readReplicaSet };
    for (const kind of ["vpc", "peering", "service", "readReplicaSet"] as const) {
      expect(all[kind].failed).toBeUndefined();
      expect((await world[kind].refresh(all[kind]))?.inputs).toEqual(all[kind].inputs);
    }
    for (const kind of ["readReplicaSet", "service", "peering", "vpc"] as const) await world[kind].remove(all[kind]);
    const events = world.emulator.ledger().map(({ kind, event }) => `${event} ${kind}`);
    expect(events.filter((event) => event.startsWith("created"))).toHaveLength(4);
    expect(events.filter((event) => event.startsWith("deleted"))).toHaveLength(4);
  });
});

describe("nonsense about a service", () => {
  let orders: Kept;
  let other: Kept;
  beforeEach(async () => {
    world = await openWorld();
    orders = await world.service.create({ name: "orders", environment: "DEV" });
    other = await world.service.create({ name: "other", environment: "DEV" });
    await world.clock.sleep(3_600_000);
  });

  const NONSENSE: Record<string, unknown>[] = [
    { service_id: undefined },
    { service_id: null },
    { service_id: 7 },
    { service_id: "../../../projects" },
    { project_id: "proj999999" },
    { project_id: ["proj000001"] },
    { status: null },
    { status: { READY: true } },
    { name: ["orders"] },
    { resources: [null] },
    { resources: "none" },
    { resources: [{ id: 1, spec: { cpu_millis: "many" } }] },
    { endpoint: { host: 7, port: "5432" } },
    { connection_pooler: true },
    { vpc_endpoint: "10.0.0.1", vpcEndpoint: "10.0.0.1" },
    { ha_replicas: { replica_count: "two" } },
    { metadata: "PROD" },
    { read_replica_sets: { id: "set1" } },
    { created: 1_700_000_000 },
  ];
  test.each(NONSENSE)("%j: the refresh fails and says what is wrong; the others' do not", async (wire) => {
    world.emulator.mutate.service(orders.id, { wire });
    expect(await refusal(world.service.refresh(orders))).toMatch(/^getService .*not what the contract says/);
    expect((await world.service.refresh(other))?.id).toBe(other.id);
    expect(world.emulator.state().services).toHaveLength(2);
  });

  test("one that says it is another is not taken for that, nor deleted in its place", async () => {
    world.emulator.mutate.service(other.id, { wire: { service_id: orders.id } });
    const both = [world.service.refresh(orders), world.service.refresh(other)] as const;
    expect((await both[0])?.outputs).toMatchObject({ name: "orders" });
    expect(await refusal(both[1])).toMatch(/it is another service/);
    await world.service.remove(orders);
    expect(world.emulator.state().services.map(({ name }) => name)).toEqual(["other"]);
  });

  test("a create that is answered with the id of one that was there does not take it", async () => {
    const body = { ...wireOf(other.id), name: "new", initial_password: PASSWORD };
    world.emulator.faults.add({ operation: "createService", kind: "garbage", status: 202, body, commit: true });
    const made = await world.service.create({ name: "new", environment: "DEV", poolerEnabled: true });
    expect(made.failed).toBeUndefined();
    expect(made.id).not.toBe(other.id);
    expect(world.callsOn(other.id)).toEqual([]);
    expect(world.emulator.state().services).toHaveLength(3);
  });

  const BODIES: [string, Fault][] = [
    ["endless", { kind: "endless" }],
    ["a redirect to nowhere", { kind: "redirect", location: "http://127.0.0.1:9/elsewhere" }],
    ["a list where one was asked for", { kind: "garbage", body: [] }],
    ["nested a hundred thousand deep", { kind: "garbage", body: `${"[".repeat(100_000)}${"]".repeat(100_000)}` }],
  ];
  test.each(BODIES)("an answer that is %s: the refresh fails, and works the next time", async (_, fault) => {
    world.emulator.faults.add({ operation: "getService", ...fault });
    expect(await refusal(world.service.refresh(orders))).toMatch(/^getService /);
    expect((await world.service.refresh(orders))?.id).toBe(orders.id);
  });

  test("a create that is redirected makes nothing, here or there", async () => {
    await using elsewhere = await createEmulator({ projectId: world.emulator.projectId });
    const location = `${elsewhere.baseUrl}/projects/${elsewhere.projectId}/services`;
    world.emulator.faults.add({ operation: "createService", kind: "redirect", location });
    expect(await refusal(world.service.create({ name: "new" }))).toMatch(/the key is not sent there/);
    expect(elsewhere.requests()).toEqual([]);
    expect(world.emulator.state().services).toHaveLength(2);
  });
});

function wireOf(service_id: string): Record<string, unknown> {
  const created = new Date(world.clock.now()).toISOString();
  const words = { region_code: "us-east-1", service_type: "POSTGRES", status: "READY", resources: [] };
  return { service_id, project_id: world.emulator.projectId, created, ...words };
}
