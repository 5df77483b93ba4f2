// Requests are strict: what the contract does not take is refused with 400 INVALID_REQUEST and changes nothing.

import { expect, test } from "vitest";
import { someService } from "../support/emulator";
import { bareStatus, type CallOptions } from "../support/httpClient";
import { openWithVpcAndService, peer, replica, size } from "../support/refusals";

async function open() {
  const world = await openWithVpcAndService();
  const expectRefused = async (method: string, place: string, body: unknown, options?: CallOptions) => {
    const path = world.fill(place);
    const before = world.emulator.state();
    const answer = await world.call(method, path, body, options);
    expect([answer.status, answer.json]).toMatchObject([400, { code: "INVALID_REQUEST" }]);
    expect(world.emulator.state()).toEqual(before);
    return answer;
  };
  return { ...world, expectRefused };
}

const vpc = { name: "v", cidr: "10.0.0.0/16", region_code: "us-east-1" };
const now = { fork_strategy: "NOW" };
const long = "n".repeat(129);
const large = "9".repeat(26);

const cidrs = [
  "10.0.0.0",
  "10.0.0/16",
  "10.0.0.0/33",
  "10.0.0.256/16",
  "10.0.0.0/-1",
  "::/0",
  "10.0.0.0/16 ",
  "",
  10,
  null,
];

/** By path and the rest of the body: values that a field does not take. */
const wrong: [path: string, rest: object, fields: Record<string, unknown[]>][] = [
  ["P/vpcs", vpc, { cidr: [undefined, ...cidrs], name: [undefined, "", 7, "  "], region_code: [undefined] }],
  ["P/vpcs", vpc, { regionCode: ["x"] }],
  ["V/rename", { name: "x" }, { name: [undefined], id: ["1"] }],
  ["V/peerings", peer, { peer_account_id: [undefined, 123456789012], name: ["x"] }],
  ["P/services", someService, { name: [undefined, "", long], region_code: [null], vpc_id: ["1"] }],
  ["P/services", someService, { cpu_millis: [500, "0.5", "500m", "0", "Shared", "shared"], memory_gbs: [2] }],
  ["P/services", someService, { addons: [["postgis"], "ai"], environment_tag: ["prod"], environment: ["PROD"] }],
  ["P/services", someService, { replica_count: ["1", -1, 1.5, 6] }],
  ["S/resize", size, { cpu_millis: [1000], memory_gbs: [undefined, "shared"], name: ["x"] }],
  ["S/setHA", { replica_count: 1 }, { replica_count: ["1", -1], syncReplicaCount: [0] }],
  ["S/attachToVPC", {}, { vpc_id: [undefined, 12345] }],
  ["S/detachFromVPC", {}, { vpc_id: [undefined] }],
  ["S/setEnvironment", {}, { environment: ["STAGING"], environment_tag: ["PROD"] }],
  ["S/updatePassword", { password: "longenough" }, { password: [undefined, "", "a\0b", 12345678], user: ["x"] }],
  ["S/rename", {}, { name: [long] }],
  ["S/forkService", now, { fork_strategy: [undefined, "LATEST"], name: ["", " "] }],
  ["S/forkService", now, { region_code: ["us-east-1"], cpu_millis: [500] }],
  ["S/forkService", { fork_strategy: "PITR" }, { target_time: ["yesterday", 1_700_000_000] }],
  ["S/replicaSets", replica, { cpu_millis: ["500"], memory_gbs: ["2"], nodes: [undefined, 0, 1.5] }],
  ["S/replicaSets", replica, { name: [long], region_code: ["x"] }],
  ["R/resize", size, { cpu_millis: [1000], nodes: [2] }],
  ["R/setEnvironment", {}, { environment: ["dev"] }],
];

const refused = wrong.flatMap(([path, rest, fields]) =>
  Object.entries(fields).flatMap(([name, values]) =>
    values.map((value) => [path, { ...rest, [name]: value }, name] as const),
  ),
);

test.each<readonly [string, unknown, string]>([
  ...refused,
  ["P/vpcs", { ...vpc, cidr: "10.0.0.5/24" }, "10.0.0.0/24"],
  ["P/vpcs", { ...vpc, cidr: "192.168.255.255/17" }, "192.168.128.0/17"],
  ["P/services", { region_code: "us-east-1" }, "name: Invalid input: expected string, received undefined"],
  ["P/services", { name: 7 }, "name: Invalid input: expected string, received number"],
  ["P/services", { name: "x", replica_count: -1 }, "replica_count: Too small: expected number to be >=0"],
  ["P/services", { name: long }, "name: Too big: expected string to have <=128 characters"],
  [
    "P/services",
    { name: "x", environment_tag: "prod" },
    'environment_tag: Invalid option: expected one of \\"DEV\\"|\\"PROD\\"',
  ],
  ["P/services", { name: " \t\u3000" }, "blank"],
  ["P/services", { name: "a\0b" }, "NUL"],
  ["P/services", { name: "a\ud800b" }, "well-formed"],
  ["P/services", { ...someService, region_code: " " }, "blank"],
  ["P/services", { name: "x", cpu_millis: large, memory_gbs: "1" }, "cpu_millis: at most 128000"],
  ["P/services", { name: "x", cpu_millis: "9".repeat(400) }, "cpu_millis: at most 128000"],
  ["P/services", { ...someService, memory_gbs: "513" }, "memory_gbs: at most 512"],
  ["P/services", { name: "x", memory_gbs: large }, "at most"],
  ["S/resize", { ...size, cpu_millis: large }, "cpu_millis: at most 128000"],
  ["S/resize", { ...size, memory_gbs: "1000" }, "memory_gbs: at most 512"],
  ["S/forkService", { ...now, cpu_millis: "128001", memory_gbs: "2" }, "cpu_millis: at most"],
  ["S/replicaSets", { ...replica, cpu_millis: 1e9 }, "cpu_millis: at most"],
  ["S/replicaSets", { ...replica, memory_gbs: 1e9 }, "memory_gbs: at most"],
  ["R/resize", { ...size, cpu_millis: large }, "cpu_millis: at most"],
  ["P/services", JSON.parse('{"name":"x","__proto__":{"a":1}}'), "__proto__"],
  ["P/services", [someService], ""],
  ["P/services", "orders", ""],
  ["P/services", null, ""],
])("POST %s with %j is refused and names %s", async (path, body, name) => {
  const { expectRefused } = await open();
  expect((await expectRefused("POST", path, body)).text).toContain(name);
});

test.each([1, 128])("a name of %i characters is accepted", async (length) => {
  const { ask, fill } = await open();
  const { name } = await ask(202, "POST", fill("P/services"), { name: "n".repeat(length) });
  expect(name).toHaveLength(length);
});

test.each([
  ["POST", "S/stop", 202],
  ["POST", "S/enablePooler", 200],
  ["POST", "S/disablePooler", 200],
  ["POST", "R/enablePooler", 200],
  ["POST", "R/disablePooler", 200],
  ["DELETE", "S", 202],
  ["DELETE", "V", 204],
  ["DELETE", "R", 202],
])("%s %s takes no body, or an empty object", async (method, place, status) => {
  const { call, fill, expectRefused } = await open();
  const path = fill(place);
  for (const body of [{ force: true }, [], "now"])
    expect((await expectRefused(method, path, body)).text).toContain("no request body");
  expect((await call(method, path, {})).status).toBe(status);
});

test("GET takes no body, or an empty object", async () => {
  const { emulator, fill } = await open();
  const headers = { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" };
  const statusOf = (body: string) => bareStatus(emulator.baseUrl + fill("P/services"), headers, body);
  expect([await statusOf('{"a":1}'), await statusOf("{}")]).toEqual([400, 200]);
});

test("details are text, and name what else is wrong", async () => {
  const { expectRefused } = await open();
  const one = await expectRefused("POST", "S/resize", { cpu_millis: "1000" });
  expect(one.json).not.toHaveProperty("details");
  const several = await expectRefused("POST", "S/resize", { cpu_millis: 1, memory_gbs: 2, nodes: 3 });
  expect(several.json).toMatchObject({
    message: 'invalid request: Unrecognized key: "nodes"',
    details: expect.stringMatching(/^cpu_millis: .*; memory_gbs: /) as unknown,
  });
});

test("sizes up to the largest are taken", async () => {
  const { call, fill } = await open();
  const largest = { cpu_millis: "128000", memory_gbs: "512" };
  expect((await call("POST", fill("S/resize"), largest)).status).toBe(202);
});

test("a region that nobody has is refused for services and VPCs, and a switch names others", async () => {
  const { call, paths, emulator, expectRefused } = await open();
  const service = { ...someService, region_code: "us-east1" };
  const words = 'there is no region \\"us-east1\\"; there are us-east-1';
  expect((await expectRefused("POST", "P/services", service)).text).toContain(words);
  expect((await expectRefused("POST", "P/vpcs", { ...vpc, region_code: "us-east1" })).text).toContain(words);
  emulator.settings.switches.regions = ["us-east1"];
  expect((await call("POST", paths.services, service)).status).toBe(202);
  expect((await call("POST", paths.vpcs, { ...vpc, region_code: "us-east1" })).status).toBe(201);
});

test.each([
  ["P/services?status=READY", "status"],
  ["S?verbose", "verbose"],
  ["P/vpcs?limit=1", "limit"],
  ["S/logs?limit=5", "limit"],
  ["S/logs?node=first", "invalid request: node: must be a number"],
  ["S/logs?node=-1", "node"],
  ["S/logs?node=0&node=1", "node"],
  ["S/logs?since=yesterday", "since"],
  ["S/logs?until=2026-03-01", "until"],
  ["S/logs?search=", "search"],
  ["S/logs?severities=%20", "severities"],
  ["S/logs?cursor=", "cursor"],
  ["S/logs?cursor=bm9wZQ", "cursor"],
])("GET %s is refused and names %s", async (path, name) => {
  const { expectRefused } = await open();
  expect((await expectRefused("GET", path, undefined)).text).toContain(name);
});

test.each([
  ["text/plain", 400],
  ["application/x-www-form-urlencoded", 400],
  ["application/jsonp", 400],
  ["application/json; charset=utf-8", 202],
])("a body of type %s is answered with %i", async (type, status) => {
  const { call, paths, emulator } = await open();
  const answer = await call("POST", paths.services, someService, { headers: { "content-type": type } });
  expect(answer.status).toBe(status);
  expect(emulator.state().services).toHaveLength(status === 202 ? 2 : 1);
});

test.each([
  ["half an object", '{"name":'],
  ["a body that is no JSON", "name=orders"],
  ["an empty body", ""],
  ["a body of arrays in arrays, 8,000 deep", `{"name":${"[".repeat(8_000)}${"]".repeat(8_000)}}`],
])("%s is refused", async (_, rawBody) => {
  const { expectRefused, paths } = await open();
  expect((await expectRefused("POST", paths.services, undefined, { rawBody })).json).toHaveProperty("message");
});
