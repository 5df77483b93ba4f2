// Requests are strict: what the contract does not take is refused with 400 INVALID_REQUEST and changes nothing.

import { expect, test } from "vitest";
import type { CallOptions } from "../support/httpClient";
import { openEmulator, someService } from "../support/emulator";

const name = (length: number): string => "n".repeat(length);
const vpc = { name: "v", cidr: "10.0.0.0/16", region_code: "us-east-1" };
const peer = { peer_account_id: "1", peer_region_code: "us-east-1", peer_vpc_id: "vpc-1" };
const replica = { name: "r", nodes: 1, cpu_millis: 500, memory_gbs: 2 };
const size = { cpu_millis: "1000", memory_gbs: "4" };
const without = (body: Record<string, unknown>, field: string): unknown =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== field));

/** P: the project, V: a VPC, S: a service, R: a replica set of it. */
const refused: [path: string, body: unknown, field: string][] = [
  ["P/vpcs", without(vpc, "cidr"), "cidr"],
  ["P/vpcs", without(vpc, "name"), "name"],
  ["P/vpcs", without(vpc, "region_code"), "region_code"],
  ["P/vpcs", { ...vpc, regionCode: "x" }, "regionCode"],
  ["P/vpcs", { ...vpc, name: "" }, "name"],
  ["P/vpcs", { ...vpc, name: 7 }, "name"],
  ["P/vpcs", { ...vpc, name: "  " }, "name"],
  ["P/vpcs", { ...vpc, cidr: "10.0.0.5/24" }, "10.0.0.0/24"],
  ["P/vpcs", { ...vpc, cidr: "192.168.255.255/17" }, "192.168.128.0/17"],
  ...["10.0.0.0", "10.0.0/16", "10.0.0.0/33", "10.0.0.256/16", "10.0.0.0/-1", "::/0", "10.0.0.0/16 ", "", 10, null].map(
    (cidr): [string, unknown, string] => ["P/vpcs", { ...vpc, cidr }, "cidr"],
  ),
  ["V/rename", {}, "name"],
  ["V/rename", { name: "x", id: "1" }, "id"],
  ["V/peerings", without(peer, "peer_account_id"), "peer_account_id"],
  ["V/peerings", { ...peer, peer_account_id: 123456789012 }, "peer_account_id"],
  ["V/peerings", { ...peer, name: "x" }, "name"],
  ["P/services", without(someService, "name"), "name"],
  ["P/services", { ...someService, name: "" }, "name"],
  ["P/services", { ...someService, name: name(129) }, "name"],
  ["P/services", { ...someService, name: " \t\u3000" }, "blank"],
  ["P/services", { ...someService, name: "a\0b" }, "NUL"],
  ["P/services", { ...someService, name: "a\ud800b" }, "well-formed"],
  ["P/services", { ...someService, region_code: " " }, "blank"],
  ["P/services", { ...someService, cpu_millis: "9".repeat(26), memory_gbs: "1" }, "cpu_millis: at most 128000"],
  ["P/services", { ...someService, cpu_millis: "9".repeat(400) }, "cpu_millis: at most 128000"],
  ["P/services", { ...someService, memory_gbs: "513" }, "memory_gbs: at most 512"],
  ["P/services", { name: "x", memory_gbs: "9".repeat(26) }, "at most"],
  ["P/services", JSON.parse('{"name":"x","__proto__":{"a":1}}'), "__proto__"],
  ["P/services", { ...someService, cpu_millis: 500 }, "cpu_millis"],
  ["P/services", { ...someService, memory_gbs: 2 }, "memory_gbs"],
  ["P/services", { ...someService, cpu_millis: "0.5" }, "cpu_millis"],
  ["P/services", { ...someService, cpu_millis: "500m" }, "cpu_millis"],
  ["P/services", { ...someService, cpu_millis: "0" }, "cpu_millis"],
  ["P/services", { ...someService, cpu_millis: "Shared" }, "cpu_millis"],
  ["P/services", { ...someService, cpu_millis: "shared" }, "cpu_millis"],
  ["P/services", { ...someService, addons: ["postgis"] }, "addons"],
  ["P/services", { ...someService, addons: "ai" }, "addons"],
  ["P/services", { ...someService, environment_tag: "prod" }, "environment_tag"],
  ["P/services", { ...someService, environment: "PROD" }, "environment"],
  ["P/services", { ...someService, replica_count: "1" }, "replica_count"],
  ["P/services", { ...someService, replica_count: -1 }, "replica_count"],
  ["P/services", { ...someService, replica_count: 1.5 }, "replica_count"],
  ["P/services", { ...someService, replica_count: 6 }, "replica_count"],
  ["P/services", { ...someService, vpc_id: "1" }, "vpc_id"],
  ["P/services", { ...someService, region_code: null }, "region_code"],
  ["P/services", [someService], ""],
  ["P/services", "orders", ""],
  ["P/services", null, ""],
  ["S/resize", { cpu_millis: 1000, memory_gbs: 4 }, "cpu_millis"],
  ["S/resize", { cpu_millis: "1000" }, "memory_gbs"],
  ["S/resize", { ...size, memory_gbs: "shared" }, "memory_gbs"],
  ["S/resize", { ...size, name: "x" }, "name"],
  ["S/resize", { ...size, cpu_millis: "9".repeat(26) }, "cpu_millis: at most 128000"],
  ["S/resize", { ...size, memory_gbs: "1000" }, "memory_gbs: at most 512"],
  ["S/setHA", { replica_count: "1" }, "replica_count"],
  ["S/setHA", { replica_count: -1 }, "replica_count"],
  ["S/setHA", { replica_count: 1, syncReplicaCount: 0 }, "syncReplicaCount"],
  ["S/attachToVPC", {}, "vpc_id"],
  ["S/attachToVPC", { vpc_id: 12345 }, "vpc_id"],
  ["S/detachFromVPC", {}, "vpc_id"],
  ["S/setEnvironment", { environment: "STAGING" }, "environment"],
  ["S/setEnvironment", { environment_tag: "PROD" }, "environment"],
  ["S/updatePassword", {}, "password"],
  ["S/updatePassword", { password: "" }, "password"],
  ["S/updatePassword", { password: "a\0b" }, "password"],
  ["S/updatePassword", { password: 12345678 }, "password"],
  ["S/updatePassword", { password: "longenough", user: "x" }, "user"],
  ["S/rename", { name: name(129) }, "name"],
  ["S/forkService", {}, "fork_strategy"],
  ["S/forkService", { fork_strategy: "LATEST" }, "fork_strategy"],
  ["S/forkService", { fork_strategy: "PITR", target_time: "yesterday" }, "target_time"],
  ["S/forkService", { fork_strategy: "PITR", target_time: 1_700_000_000 }, "target_time"],
  ["S/forkService", { fork_strategy: "NOW", name: "" }, "name"],
  ["S/forkService", { fork_strategy: "NOW", name: " " }, "name"],
  ["S/forkService", { fork_strategy: "NOW", cpu_millis: "128001", memory_gbs: "2" }, "cpu_millis: at most"],
  ["S/forkService", { fork_strategy: "NOW", region_code: "us-east-1" }, "region_code"],
  ["S/forkService", { fork_strategy: "NOW", cpu_millis: 500, memory_gbs: 2 }, "cpu_millis"],
  ["S/replicaSets", { ...replica, cpu_millis: "500" }, "cpu_millis"],
  ["S/replicaSets", { ...replica, memory_gbs: "2" }, "memory_gbs"],
  ["S/replicaSets", { ...replica, nodes: 0 }, "nodes"],
  ["S/replicaSets", { ...replica, cpu_millis: 1e9 }, "cpu_millis: at most"],
  ["S/replicaSets", { ...replica, memory_gbs: 1e9 }, "memory_gbs: at most"],
  ["S/replicaSets", { ...replica, nodes: 1.5 }, "nodes"],
  ["S/replicaSets", { ...replica, name: name(129) }, "name"],
  ["S/replicaSets", without(replica, "nodes"), "nodes"],
  ["S/replicaSets", { ...replica, region_code: "x" }, "region_code"],
  ["R/resize", { cpu_millis: 1000, memory_gbs: 4 }, "cpu_millis"],
  ["R/resize", { ...size, nodes: 2 }, "nodes"],
  ["R/resize", { ...size, cpu_millis: "9".repeat(26) }, "cpu_millis: at most"],
  ["R/setEnvironment", { environment: "dev" }, "environment"],
];

async function openWithVpcAndService() {
  const world = await openEmulator();
  const { mutate, projectId } = world.emulator;
  const service = mutate.createService();
  const places: Record<string, string> = {
    P: `/projects/${projectId}`,
    S: world.paths.service(service.id),
    V: world.paths.vpc(mutate.createVpc().id),
    R: world.paths.replicaSet(service.id, mutate.createReplicaSet(service.id).id),
  };
  const fill = (template: string): string => template.replace(/^[PSVR]/, (letter) => places[letter] ?? letter);
  const before = world.emulator.state();
  const expectRefused = async (method: string, path: string, body: unknown, options?: CallOptions) => {
    const answer = await world.call(method, fill(path), body, options);
    expect([answer.status, answer.json]).toMatchObject([400, { code: "INVALID_REQUEST" }]);
    expect(world.emulator.state()).toEqual(before);
    return answer;
  };
  return { ...world, fill, expectRefused };
}

test.each(refused)("POST %s with %j is refused and names %s", async (path, body, field) => {
  const { expectRefused } = await openWithVpcAndService();
  const answer = await expectRefused("POST", path, body);
  expect(answer.text).toContain(field);
  expect(answer.json).toHaveProperty("message");
});

test.each(["128 characters", "1 character"])("a name of %s is taken", async (length) => {
  const { ask, paths } = await openWithVpcAndService();
  const made = await ask(202, "POST", paths.services, { name: name(Number.parseInt(length, 10)) });
  expect(String(made["name"])).toHaveLength(Number.parseInt(length, 10));
});

const withoutBody = [
  ["POST", "S/stop", 202],
  ["POST", "S/enablePooler", 200],
  ["POST", "S/disablePooler", 200],
  ["POST", "R/enablePooler", 200],
  ["POST", "R/disablePooler", 200],
  ["DELETE", "S", 202],
  ["DELETE", "V", 204],
  ["DELETE", "R", 202],
] as const;

test.each(withoutBody)("%s %s takes no body, or an empty object", async (method, path, status) => {
  const { expectRefused, call, fill } = await openWithVpcAndService();
  for (const body of [{ force: true }, [], "now"]) {
    const answer = await expectRefused(method, path, body);
    expect(answer.text).toContain("no request body");
  }
  expect((await call(method, fill(path), {})).status).toBe(status);
});

test("GET takes no body, or an empty object", async () => {
  const { emulator, fill } = await openWithVpcAndService();
  const url = emulator.baseUrl + fill("P/services");
  expect(await rawStatus(url, emulator.apiKey, '{"a":1}')).toBe(400);
  expect(await rawStatus(url, emulator.apiKey, "{}")).toBe(200);
});

test("details are text, and name what else is wrong", async () => {
  const { expectRefused } = await openWithVpcAndService();
  const one = await expectRefused("POST", "S/resize", { cpu_millis: "1000" });
  expect(one.json).not.toHaveProperty("details");
  const several = await expectRefused("POST", "S/resize", { cpu_millis: 1, memory_gbs: 2, nodes: 3 });
  expect(several.json).toMatchObject({
    message: expect.stringMatching(/^invalid request: cpu_millis: /) as unknown,
    details: expect.stringMatching(/^memory_gbs: .*; .*nodes/) as unknown,
  });
});

test("sizes up to the largest are taken, and the largest is a switch", async () => {
  const { emulator, call, fill } = await openWithVpcAndService();
  const largest = { cpu_millis: "128000", memory_gbs: "512" };
  expect((await call("POST", fill("S/resize"), largest)).status).toBe(202);
  emulator.settle();
  Object.assign(emulator.settings.switches, { maxCpuMillis: 1_000, maxMemoryGbs: 4 });
  expect((await call("POST", fill("S/resize"), size)).status).toBe(202);
  emulator.settle();
  expect((await call("POST", fill("S/resize"), largest)).status).toBe(400);
});

test.each(["P/services?status=READY", "S?verbose", "P/vpcs?limit=1"])(
  "GET %s: query parameters that nobody takes",
  async (path) => {
    const { expectRefused } = await openWithVpcAndService();
    const answer = await expectRefused("GET", path, undefined);
    expect(answer.text).toContain("nrecognized key");
  },
);

test.each([
  ["text/plain", "application/json"],
  ["application/x-www-form-urlencoded", "application/json"],
  ["application/jsonp", "application/json"],
])("content type %s is refused", async (type, wanted) => {
  const { expectRefused } = await openWithVpcAndService();
  const answer = await expectRefused("POST", "P/services", someService, { headers: { "content-type": type } });
  expect(answer.text).toContain(wanted);
});

test("a content type with a charset is taken", async () => {
  const { call, paths } = await openWithVpcAndService();
  const headers = { "content-type": "application/json; charset=utf-8" };
  expect((await call("POST", paths.services, someService, { headers })).status).toBe(202);
});

test.each([
  ["half an object", '{"name":'],
  ["not JSON at all", "name=orders"],
  ["an empty body", ""],
  ["arrays in arrays, 8,000 deep", `{"name":${"[".repeat(8_000)}${"]".repeat(8_000)}}`],
])("%s is refused", async (_, rawBody) => {
  const { expectRefused } = await openWithVpcAndService();
  const answer = await expectRefused("POST", "P/services", undefined, { rawBody });
  expect(answer.json).toHaveProperty("message");
});

test.each([
  "limit=5",
  "node=first",
  "node=-1",
  "node=0&node=1",
  "since=yesterday",
  "until=2026-03-01",
  "search=",
  "severities=%20",
  "cursor=",
  "cursor=bm9wZQ",
])("GET logs with %s is refused", async (query) => {
  const { expectRefused } = await openWithVpcAndService();
  const answer = await expectRefused("GET", `S/logs?${query}`, undefined);
  expect(answer.text).toContain(query.split("=")[0]);
});

/** fetch cannot send a GET with a body. */
async function rawStatus(url: string, key: string, body: string): Promise<number> {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": body.length,
    };
    const sent = request(url, { method: "GET", headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
