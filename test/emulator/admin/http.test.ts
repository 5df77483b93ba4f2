// The admin API over HTTP: every operation does what the function of the emulator does, and refuses
//  what is none of it.

import { expect, test } from "vitest";
import { bareStatus } from "../support/httpClient";
import { textWith } from "../../support/matchers";
import { openAdmin, openEmulator } from "../support/emulator";

test("it changes the control plane's answers; its own requests are not recorded and meet no fault", async () => {
  const { admin, get, id, emulator, call } = await openAdmin();
  await admin.ask(200, "PATCH", `/services/${id}`, { cpuMillis: 4000, memoryGbs: 16, environment: "PROD" });
  expect(await get()).toMatchObject({
    resources: [{ spec: { cpu_millis: 4000, memory_gbs: 16 } }],
    metadata: { environment: "PROD" },
  });
  emulator.clearRequests();
  const { id: fault } = await admin.ask(201, "POST", "/faults", { kind: "status", status: 503, times: "always" });
  expect((await call("GET", "/projects")).status).toBe(503);
  expect(await admin.askList("/faults")).toEqual([{ id: fault, kind: "status", struck: 1 }]);
  await admin.ask(204, "DELETE", `/faults/${String(fault)}`);
  expect((await call("GET", "/projects")).status).toBe(200);
  const records = await admin.askList("/requests");
  expect(records.map(({ status }) => status)).toEqual([503, 200]);
});

test("given settings change, the others stay, and null removes the rate limit", async () => {
  const { admin, emulator } = await openAdmin();
  const before = structuredClone(emulator.settings);
  const switches = { peeringError: "no room", regions: ["here", "there"], maxAttached: 3 };
  await admin.ask(200, "PATCH", "/settings", { timings: { resize: "forever" }, rateLimit: { perSecond: 5 }, switches });
  expect(emulator.settings).toEqual({
    ...before,
    timings: { ...before.timings, resize: Infinity },
    rateLimit: { perSecond: 5 },
    switches: { ...before.switches, ...switches },
  });
  const shown = await admin.ask(200, "PATCH", "/settings", { rateLimit: null });
  expect(shown).toMatchObject({ rateLimit: null, timings: { resize: "forever" } });
  expect(emulator.settings.rateLimit).toBeUndefined();
});

type Refused = [method: string, path: string, body: unknown, status: number, text: string];

test.each<Refused>([
  ["GET", "/nowhere", undefined, 404, "openapi.json"],
  ["PUT", "/state", undefined, 405, "not allowed"],
  ["PATCH", "/services/nobody", {}, 404, "the emulator has no service with id nobody"],
  ["DELETE", "/replicaSets/nobody", undefined, 404, "the emulator has no replica set with id nobody"],
  ["PATCH", "/services/nobody", { status: "BANANA" }, 400, 'status: Invalid option: expected one of "QUEUED"'],
  ["DELETE", "/faults/fault-9", undefined, 404, "fault-9"],
  ["POST", "/services", { cpu_millis: "500" }, 400, 'Unrecognized key: "cpu_millis"'],
  ["POST", "/clock/advance", { milliseconds: 1 }, 400, 'Unrecognized key: "milliseconds"'],
  ["POST", "/services", { cpuMillis: "500" }, 400, "cpuMillis: Invalid input: expected number"],
  ["POST", "/faults", { kind: "hiccup" }, 400, "kind: Invalid discriminator value. Expected 'lostBefore'"],
  ["POST", "/faults", { kind: "delay", ms: 1, committ: 1 }, 400, 'Unrecognized key: "committ"'],
  [
    "POST",
    "/faults",
    { kind: "stall", operation: "getServic" },
    400,
    'operation: Invalid option: expected one of "getProjects"',
  ],
  ["PATCH", "/settings", { timings: { creat: 1 } }, 400, 'timings: Unrecognized key: "creat"'],
  ["PATCH", "/settings", { switches: { nothing: 1 } }, 400, 'switches: Unrecognized key: "nothing"'],
  ["POST", "/services/svc/logs", [{ mesage: "x" }], 400, 'Unrecognized key: "mesage"'],
  ["POST", "/clock/advance", { ms: -1 }, 400, "ms"],
  ["PATCH", "/services/svc", { createdAt: 1e17 }, 400, "createdAt: Too big"],
  ["POST", "/services", { createdAt: -1 }, 400, "createdAt: Too small"],
  ["POST", "/services/svc/logs", [{ message: "x", at: 1e17 }], 400, "at: Too big"],
  ["POST", "/services/svc/logs", [{ message: "x", at: 0.5 }], 400, "at: Invalid input"],
  ["POST", "/restore", { format: 2 }, 400, "not a snapshot"],
  ["POST", "/reset", { really: true }, 400, "takes no request body"],
  ["GET", "/state?deep=1", undefined, 400, "invalid request"],
])("%s %s with %j is refused and changes nothing", async (method, path, body, status, text) => {
  const { admin, emulator } = await openAdmin();
  const before = [emulator.state(), emulator.ledger(), emulator.faults.list()];
  const answer = await admin.call(method, path, body);
  expect([answer.status, answer.json]).toMatchObject([status, { message: textWith(text) }]);
  expect([emulator.state(), emulator.ledger(), emulator.faults.list()]).toEqual(before);
});

test("neither the API key nor the admin key works for the other API", async () => {
  const { emulator } = await openEmulator();
  const { baseUrl, adminUrl, apiKey, adminKey } = emulator;
  const status = async (url: string, token?: string): Promise<number> =>
    (await fetch(url, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })).status;
  const [state, projects] = [`${adminUrl}/state`, `${baseUrl}/projects`];
  expect([await status(state, adminKey), await status(projects, apiKey)]).toEqual([200, 200]);
  expect([await status(state, apiKey), await status(state), await status(projects, adminKey)]).toEqual([401, 401, 401]);
  expect(await status(`${adminUrl}/openapi.json`)).toBe(200);
});

test("a page of another origin and a foreign Host are refused, whatever key they have; the documents too", async () => {
  const { emulator } = await openEmulator();
  const own = new URL(emulator.adminUrl).host;
  const authorization = `Bearer ${emulator.adminKey}`;
  for (const path of ["/state", "/openapi.json"]) {
    const ask = (headers: Record<string, string>) =>
      bareStatus(`${emulator.adminUrl}${path}`, { authorization, ...headers });
    expect(await ask({})).toBe(200);
    expect(await ask({ origin: `http://${own}` })).toBe(200);
    for (const origin of ["https://evil.example", "http://localhost:3000", "null", "", `https://${own}`]) {
      expect([origin, await ask({ origin })]).toEqual([origin, 403]);
    }
    for (const host of ["evil.example", `${own}.evil.example`, "10.0.0.7"]) {
      expect([host, await ask({ host, origin: `http://${host}` })]).toEqual([host, 421]);
    }
  }
});

test("the clock is not put ahead so far that times have more than four digits for the year", async () => {
  const { admin, ask, paths } = await openAdmin();
  expect((await admin.call("POST", "/clock/advance", { ms: 8.6e15 })).status).toBe(400);
  const { now } = await admin.ask(200, "GET", "/clock");
  await admin.ask(200, "POST", "/clock/advance", { ms: Date.UTC(9_899, 11) - Number(now) });
  expect((await ask(202, "POST", paths.services, { name: "late" }))["created"]).toMatch(/^9899-/);
});
