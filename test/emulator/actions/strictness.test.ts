// Requests are strict: what the contract does not take is refused with 400 INVALID_REQUEST and changes nothing.

import { expect, test } from "vitest";
import type { CallOptions } from "../support/httpClient";
import { openEmulator, someService } from "../support/emulator";
import { refused } from "./refusedRequests";

const name = (length: number): string => "n".repeat(length);
const size = { cpu_millis: "1000", memory_gbs: "4" };

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

test.each(["128 characters", "1 character"])("a name of %s is accepted", async (length) => {
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
    message: expect.stringMatching(/^invalid request: there is no field nodes/) as unknown,
    details: expect.stringMatching(/^cpu_millis: must be a string; memory_gbs: /) as unknown,
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
    expect(answer.text).toContain("there is no field ");
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

test("a content type with a charset is accepted", async () => {
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
