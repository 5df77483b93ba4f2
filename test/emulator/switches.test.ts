// Profiles, and the switches for what deployments do differently.

import { expect, test } from "vitest";
import { documentedOperations, operations, type Switches } from "../../emulator/index";
import { contract, documented } from "../contract/operations";
import { attach, openWithVpcAndService, peer, replica, size } from "./support/refusals";
import { anyNumber, anyText, openWithService, openEmulator } from "./support/emulator";

const undocumented = [
  ["DELETE", "", undefined, 405, "GET"],
  ["GET", "/replicaSets", undefined, 405, "POST"],
  ["POST", "/start", undefined, 404, null],
  ["POST", "/rename", { name: "x" }, 404, null],
] as const;

test.each(undocumented)("profile documented: %s …%s is not there", async (method, suffix, body, status, allow) => {
  const { call, path, emulator } = await openWithService({ profile: "documented" });
  const before = emulator.state();
  const answer = await call(method, path + suffix, body);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("allow")).toBe(allow);
  expect(emulator.state()).toEqual(before);
  expect(emulator.requests().at(-1)).toMatchObject({ operation: undefined, committed: false });
});

test("the operations are those of the contract, each once", () => {
  expect(documentedOperations.toSorted()).toEqual(documented.map(({ name }) => name).toSorted());
  expect(operations.toSorted()).toEqual(contract.map(({ name }) => name).toSorted());
});

test("a method that no operation has there is 405", async () => {
  const { call, paths } = await openEmulator();
  const answer = await call("PUT", paths.services, {});
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
});

test("a VPC is created and deleted asynchronously where vpcStatus is set", async () => {
  const { ask, call, paths, clock } = await openEmulator({ switches: { vpcStatus: true } });
  const made = await ask(202, "POST", paths.vpcs, { name: "v", cidr: "10.0.0.0/16", region_code: "us-east-1" });
  const path = paths.vpc(String(made["id"]));
  expect(made["status"]).toBe("CREATING");
  expect((await call("POST", paths.peerings(String(made["id"])), peer)).status).toBe(409);
  clock.advance(100);
  expect((await ask(200, "GET", path))["status"]).toBe("CREATED");
  await ask(202, "DELETE", path);
  expect((await ask(200, "GET", path))["status"]).toBe("DELETING");
  clock.advance(100);
  expect((await call("GET", path)).status).toBe(404);
});

test("changes overlap where busy is allow, and the ledger says so", async () => {
  const { ask, path, emulator } = await openWithService({ switches: { busy: "allow" } });
  await ask(202, "POST", `${path}/resize`, size);
  await ask(202, "POST", `${path}/setHA`, { replica_count: 1 });
  emulator.settle();
  expect(emulator.state().services[0]).toMatchObject({ cpuMillis: 1000, replicaCount: 1 });
  expect(emulator.ledger().map((entry) => entry.overlapped)).toEqual([false, false, true]);
});

test("services are detached and peerings go with a VPC where deleteVpcInUse is cascade", async () => {
  const fixture = await openWithVpcAndService({ switches: { deleteVpcInUse: "cascade" } });
  attach(fixture);
  fixture.emulator.mutate.createPeering(fixture.vpcId);
  await fixture.ask(204, "DELETE", fixture.fill("V"));
  fixture.emulator.settle();
  expect(fixture.emulator.state()).toMatchObject({ vpcs: [], peerings: [], services: [{ vpcId: undefined }] });
});

test.each([
  ["404", 404, 0],
  ["DELETED", 200, 0],
  ["listed", 200, 1],
] as const)("a deleted service shows what deletedServices %s says", async (deletedServices, status, listed) => {
  const { ask, askList, call, path, paths, emulator } = await openWithService({ switches: { deletedServices } });
  await ask(202, "DELETE", path);
  emulator.settle();
  const answer = await call("GET", path);
  expect(answer.status).toBe(status);
  expect(answer.json).toMatchObject(status === 200 ? { status: "DELETED" } : { code: "NOT_FOUND" });
  expect(await askList(paths.services)).toHaveLength(listed);
  expect((await call("POST", `${path}/stop`)).status).toBe(404);
  expect((await call("DELETE", path)).status).toBe(404);
  expect(emulator.state().services).toEqual([]);
});

test.each<[Partial<Switches>, object, string[]]>([
  [{ vpcEndpointSpelling: "vpc_endpoint" }, {}, ["vpcEndpoint", "endpoint"]],
  [{ vpcEndpointSpelling: "vpcEndpoint" }, {}, ["vpc_endpoint"]],
  [{ endpointInVpc: "empty" }, { endpoint: {} }, []],
  [{ endpointInVpc: "kept" }, { endpoint: { host: anyText, port: anyNumber } }, []],
  [{ omitZeroHa: true }, {}, ["ha_replicas"]],
  [
    { nullFields: true },
    { endpoint: null, connection_pooler: null, log_exporter_id: null, initial_password: null },
    [],
  ],
  [{ unknownFields: true }, { introduced_later: { enabled: true } }, []],
  [{ statusCase: "lower" }, { status: "ready" }, []],
])("%j changes how a service in a VPC is shown", async (switches, expected, absent) => {
  const fixture = await openWithVpcAndService({ switches });
  attach(fixture);
  const found = await fixture.ask(200, "GET", fixture.fill("S"));
  expect(found).toMatchObject(expected);
  for (const field of absent) expect(found).not.toHaveProperty(field);
  fixture.emulator.settings.switches.omitZeroHa = !switches.omitZeroHa;
  const again = await fixture.ask(200, "GET", fixture.fill("S"));
  expect("ha_replicas" in again && again["ha_replicas"] !== null).toBe(switches.omitZeroHa === true);
});

test("the endpoint is not found for endpointGapReads after a VPC change", async () => {
  const { ask, call, fill, vpcId } = await openWithVpcAndService({ switches: { endpointGapReads: 1 } });
  await ask(202, "POST", fill("S/attachToVPC"), { vpc_id: vpcId });
  expect((await call("GET", fill("S"))).json).toMatchObject({ message: "no Endpoint for that service id exists" });
  await ask(200, "GET", fill("S"));
});

test("a rename moves the host where renameMovesHost is set", async () => {
  const { ask, path, get } = await openWithService({ switches: { renameMovesHost: true } });
  const before = (await get())["endpoint"];
  await ask(200, "POST", `${path}/rename`, { name: "invoices" });
  expect((await get())["endpoint"]).not.toEqual(before);
});

test.each([
  ["never", "READY", "READY"],
  ["delete", "READY", "UPGRADING"],
  ["always", "UPGRADING", "UPGRADING"],
] as const)(
  "a service is busy with its replica sets as replicaSetOnService %s says",
  async (replicaSetOnService, whileCreating, whileDeleting) => {
    const { ask, fill, emulator } = await openWithVpcAndService({ switches: { replicaSetOnService } });
    const status = async (): Promise<unknown> => (await ask(200, "GET", fill("S")))["status"];
    const made = await ask(202, "POST", fill("S/replicaSets"), replica);
    expect(await status()).toBe(whileCreating);
    emulator.settle();
    await ask(202, "DELETE", fill(`S/replicaSets/${String(made["id"])}`));
    expect(await status()).toBe(whileDeleting);
    emulator.settle();
    expect(await status()).toBe("READY");
  },
);

test("a status that a fault holds on a service keeps it busy no longer than its set does", async () => {
  const switches = { replicaSetOnService: "always" } as const;
  const { ask, fill, call, emulator, clock } = await openWithVpcAndService({ switches });
  emulator.settings.timings.replicaCreate = 1_000;
  emulator.faults.add({ kind: "stuck", operation: "getService", status: "UNSTABLE", ms: 60_000 });
  await ask(200, "GET", fill("S"));
  await ask(202, "POST", fill("S/replicaSets"), replica);
  expect((await call("POST", fill("S/enablePooler"))).status).toBe(409);
  clock.advance(1_000);
  expect(await ask(200, "GET", fill("S"))).toMatchObject({
    status: "UNSTABLE",
    read_replica_sets: [{ status: "active" }],
  });
  expect((await call("POST", fill("S/enablePooler"))).status).toBe(200);
});
