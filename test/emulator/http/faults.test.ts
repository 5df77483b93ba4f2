// Faults: what the client sees of each, and whether the operation took effect behind it.

import { expect, test } from "vitest";
import type { Fault, FaultScope } from "../../../emulator/index";
import { openWithService, openEmulator, someService } from "../support/emulator";
import { size } from "../support/refusals";

async function openFaulty(fault: FaultScope & Fault) {
  const world = await openEmulator();
  const handle = world.emulator.faults.add(fault);
  const create = () => world.call("POST", world.paths.services, someService);
  const made = (): number => world.emulator.state().services.length;
  const record = () => world.emulator.requests().at(-1);
  return { ...world, handle, create, made, record };
}

const operation = "createService";

/** What fetch says when the socket ends before the answer does, or the caller gives up. */
const noAnswer = /fetch failed|terminated|aborted/;

test.each<[Fault, number]>([
  [{ kind: "lostBefore" }, 0],
  [{ kind: "lostAfter" }, 1],
  [{ kind: "truncate" }, 1],
  [{ kind: "truncate", commit: false }, 0],
])("the fault %j leaves no answer and %i services", async (fault, services) => {
  const { create, made, record } = await openFaulty({ operation, ...fault });
  await expect(create()).rejects.toThrow(noAnswer);
  expect(made()).toBe(services);
  expect(record()).toMatchObject({ fault: fault.kind, committed: services === 1 });
  expect((await create()).status).toBe(202);
});

test.each<[Fault, number, RegExp, number]>([
  [{ kind: "status", status: 500 }, 500, /injected status 500/, 0],
  [{ kind: "status", status: 500, commit: true }, 500, /injected/, 1],
  [{ kind: "status", status: 429, headers: { "Retry-After": "7" } }, 429, /injected/, 0],
  [{ kind: "status", status: 503, body: { detail: "later" } }, 503, /^\{"detail":"later"\}$/, 0],
  [{ kind: "status", status: 404, body: "" }, 404, /^$/, 0],
  [{ kind: "html" }, 502, /^<html>/, 0],
  [{ kind: "html", status: 503, commit: true }, 503, /^<html>/, 1],
  [{ kind: "garbage" }, 200, /^<html>/, 0],
  [{ kind: "garbage", body: "" }, 200, /^$/, 0],
  [{ kind: "garbage", body: { service_id: 7 }, commit: true }, 200, /^\{"service_id":7\}$/, 1],
  [{ kind: "garbage", body: null, status: 201 }, 201, /^null$/, 0],
])("the fault %j answers %i", async (fault, status, text, services) => {
  const { create, made } = await openFaulty({ operation, ...fault });
  const answer = await create();
  expect(answer.status).toBe(status);
  expect(answer.text).toMatch(text);
  expect(made()).toBe(services);
  expect(answer.headers.get("retry-after")).toBe(fault.kind === "status" && fault.headers ? "7" : null);
  expect((await create()).status).toBe(202);
});

test("a truncated answer has the promised length in its header and ends in the middle", async () => {
  const { emulator, paths } = await openFaulty({ kind: "truncate", operation: "listServices" });
  emulator.mutate.createService();
  const response = await fetch(emulator.baseUrl + paths.services, {
    headers: { authorization: `Bearer ${emulator.apiKey}` },
  });
  expect(response.status).toBe(200);
  expect(Number(response.headers.get("content-length"))).toBeGreaterThan(100);
  await expect(response.text()).rejects.toThrow(noAnswer);
});

test("a stalled request gets nothing, and closing ends it", async () => {
  const { create, emulator, made } = await openFaulty({ operation, kind: "stall", commit: true });
  const pending = create();
  await expect.poll(made).toBe(1);
  await emulator.close();
  await expect(pending).rejects.toThrow(noAnswer);
});

test("the emulator still answers after a client has aborted a stalled and a delayed request", async () => {
  const { call, paths, emulator, ask } = await openFaulty({ kind: "stall" });
  emulator.faults.add({ kind: "delay", ms: 5 });
  for (const milliseconds of [5, 2]) {
    const signal = AbortSignal.timeout(milliseconds);
    await expect(call("GET", paths.services, undefined, { signal })).rejects.toThrow(noAnswer);
  }
  await new Promise((resolve) => setTimeout(resolve, 10));
  await ask(200, "GET", paths.services);
});

test("times, skip, match and operation choose the requests; one fault is removed, or all", async () => {
  const second = { kind: "status", status: 500, times: 2, skip: 1 } as const;
  const { emulator, call, paths, create } = await openFaulty({ operation, ...second });
  const named = emulator.faults.add({
    kind: "status",
    status: 418,
    times: Infinity,
    match: (request) => (request.body as { name?: string } | undefined)?.name === "teapot",
  });
  expect((await call("GET", paths.services)).status).toBe(200);
  const statuses = [await create(), await create(), await create(), await create()].map((answer) => answer.status);
  expect(statuses).toEqual([202, 500, 500, 202]);
  const teapot = () => call("POST", paths.services, { name: "teapot" });
  expect([(await teapot()).status, (await teapot()).status]).toEqual([418, 418]);
  expect(named.struck).toBe(2);
  named.remove();
  expect((await teapot()).status).toBe(202);
  emulator.faults.add({ kind: "status", status: 500, times: Infinity });
  expect((await create()).status).toBe(500);
  emulator.faults.clear();
  expect((await create()).status).toBe(202);
});

test("an object that is stuck stays in the status until settled, and busy", async () => {
  const { ask, call, paths, clock, emulator } = await openFaulty({ operation, kind: "stuck", status: "CONFIGURING" });
  const made = await ask(202, "POST", paths.services, someService);
  const path = paths.service(String(made["service_id"]));
  clock.advance(1e9);
  expect((await ask(200, "GET", path))["status"]).toBe("CONFIGURING");
  expect((await call("POST", `${path}/stop`)).status).toBe(409);
  emulator.settle();
  expect((await ask(200, "GET", path))["status"]).toBe("READY");
});

test("an object is stuck for some time or some reads, with an unknown status", async () => {
  const { ask, get, path, emulator, clock } = await openWithService();
  emulator.faults.add({ operation: "resize", kind: "stuck", status: "REBALANCING", ms: 1_000, reads: 1 });
  await ask(202, "POST", `${path}/resize`, size);
  clock.advance(999);
  expect((await get())["status"]).toBe("REBALANCING");
  clock.advance(1);
  expect((await get())["status"]).toBe("UPGRADING");
  clock.advance(100);
  expect(await get()).toMatchObject({ status: "READY", resources: [{ spec: { cpu_millis: 1000 } }] });
});

test("an object that is stuck on a read shows the status for so many answers", async () => {
  const { get, call, path, emulator } = await openWithService();
  // A refused request does not make its object stuck.
  emulator.faults.add({ operation: "resize", kind: "stuck", status: "UNSTABLE" });
  expect((await call("POST", `${path}/resize`, {})).status).toBe(400);
  expect((await get())["status"]).toBe("READY");
  emulator.faults.add({ operation: "getService", kind: "stuck", status: "UNSTABLE", reads: 2 });
  const statuses = [await get(), await get(), await get()].map((found) => found["status"]);
  expect(statuses).toEqual(["UNSTABLE", "UNSTABLE", "READY"]);
});

test("a status of an object that is stuck while it is renamed does not become permanent", async () => {
  const { ask, emulator, paths } = await openEmulator();
  const made = await ask(201, "POST", paths.vpcs, { name: "net", cidr: "10.0.0.0/24", region_code: "us-east-1" });
  const id = String(made["id"]);
  emulator.settle();
  emulator.faults.add({ operation: "getVpc", kind: "stuck", status: "REBALANCING", reads: 2 });
  await ask(200, "GET", `${paths.vpcs}/${id}`);
  await ask(200, "POST", `${paths.vpcs}/${id}/rename`, { name: "other" });
  emulator.settle();
  expect(emulator.state().vpcs).toMatchObject([{ name: "other", status: "CREATED" }]);
});

test("all requests are lost for so long by the clock, from the first one on", async () => {
  const { ask, call, emulator, clock, paths } = await openEmulator();
  const fault = emulator.faults.add({ kind: "lostBefore", ms: 20_000 });
  for (const ms of [60_000, 19_999]) {
    clock.advance(ms);
    await expect(call("GET", paths.services)).rejects.toThrow(noAnswer);
  }
  clock.advance(1);
  await ask(200, "GET", paths.services);
  expect(fault.struck).toBe(2);
});

test("random faults strike the same requests in the same way with the same seed, at about the rate", async () => {
  const run = async (seed: number) => {
    const { emulator, call, paths } = await openEmulator();
    const handle = emulator.faults.random({ seed, rate: 0.3, operations: ["listServices"] });
    for (let index = 0; index < 100; index += 1) await call("GET", paths.services).catch(() => undefined);
    await call("GET", paths.vpcs);
    return { kinds: emulator.requests().map((request) => request.fault), struck: handle.struck };
  };
  const [one, same, other] = [await run(1), await run(1), await run(2)];
  expect(one).toEqual(same);
  expect(one.kinds).not.toEqual(other.kinds);
  expect(one.struck).toBeGreaterThan(15);
  expect(one.struck).toBeLessThan(45);
  expect(one.kinds.at(-1)).toBeUndefined();
});

test("random faults of the kinds that apply beside others act, leave out and hide, for one request each", async () => {
  const { emulator, call, clock, path, paths, id } = await openWithService();
  emulator.mutate.createVpc();
  const seen = { renames: 0, stops: 0, hidden: 0, bare: 0, empty: 0 };
  emulator.faults.random({ seed: 7, rate: 0.5, kinds: ["meanwhile", "members", "brownout"] });
  for (let index = 0; index < 150; index += 1) {
    clock.advance(1_000);
    const { status, json } = await call("GET", path);
    if (status === 404) seen.hidden += 1;
    else if (!("metadata" in (json as object))) seen.bare += 1;
    if (((await call("GET", paths.vpcs)).json as unknown[]).length === 0) seen.empty += 1;
  }
  emulator.faults.clear();
  const byOthers = emulator.requests().filter(({ userAgent }) => userAgent === "meanwhile");
  seen.renames = byOthers.filter((one) => one.operation === "renameService").length;
  seen.stops = byOthers.filter((one) => one.operation === "stop").length;
  for (const [what, count] of Object.entries(seen)) expect([what, count]).toEqual([what, expect.toSatisfy(Boolean)]);
  expect(new Set(byOthers.map(({ params }) => params["service_id"]))).toEqual(new Set([id]));
  expect((await call("GET", path)).json).toMatchObject({ name: "theirs", metadata: { environment: "PROD" } });
});

test("random cuts shorten lists, one at a time, and say of some where they go on", async () => {
  const { emulator, call, path, paths } = await openWithService();
  emulator.mutate.createService();
  emulator.faults.random({ seed: 7, rate: 0.5, kinds: ["cut"] });
  const shapes = new Set<string>();
  for (let index = 0; index < 200; index += 1) {
    expect((await call("GET", path)).status).toBe(200);
    const { json, headers } = await call("GET", paths.services);
    const { items } = json as { items?: unknown[] };
    shapes.add(
      `${(items ?? (json as unknown[])).length} ${items ? "member" : headers.has("link") ? "header" : "none"}`,
    );
  }
  const each = [0, 1, 2].flatMap((rows) => ["header", "member", "none"].map((next) => `${rows} ${next}`));
  expect([...shapes].toSorted()).toEqual(each);
});

test("the rate limit lets a burst through, then answers 429 with Retry-After, then as much as time gives", async () => {
  const { call, paths, clock, emulator } = await openEmulator({
    rateLimit: { perSecond: 2, burst: 3, retryAfterSeconds: 4 },
  });
  const statuses = async (count: number): Promise<number[]> => {
    const found: number[] = [];
    for (let index = 0; index < count; index += 1) found.push((await call("POST", paths.services, someService)).status);
    return found;
  };
  expect(await statuses(5)).toEqual([202, 202, 202, 429, 429]);
  expect(emulator.state().services).toHaveLength(3);
  const refused = await call("GET", paths.services);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "4"]);
  clock.advance(1_000);
  expect(await statuses(3)).toEqual([202, 202, 429]);
  emulator.settings.rateLimit = { perSecond: 0, burst: 0 };
  const refusedAgain = await call("GET", paths.services);
  expect([refusedAgain.status, refusedAgain.headers.get("retry-after")]).toEqual([429, null]);
  expect(Date.parse(refusedAgain.headers.get("date") ?? "")).toBe(clock.now());
  emulator.settings.rateLimit = undefined;
  expect((await call("GET", paths.services)).status).toBe(200);
});
