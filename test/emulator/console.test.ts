// Who gets what from the emulator's console, by plain HTTP; test/browser looks at it in a browser.

import { request } from "node:http";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import { documentSchema, type PageDocument } from "../../page/schema";

let emulator: Emulator;

beforeEach(async () => {
  emulator = await createEmulator({ seed: 5 });
});

afterEach(() => emulator.close());

const linkOf = ({ consoleUrl }: Emulator) => {
  const { origin, pathname, hash } = new URL(consoleUrl);
  return { at: `${origin}${pathname}`, key: hash.replace("#key=", "") };
};

/** With any headers: `fetch` sets some of them itself. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  { method = "GET", body = "" } = {},
): Promise<IncomingMessage> {
  const sent = request(`${linkOf(emulator).at}${path}`, { method, headers });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return answer;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of answer) text += String(piece);
  return text;
}

const withKey = () => ({ Authorization: `Bearer ${linkOf(emulator).key}` });

/** The first messages of a stream, by name. */
async function streamed(count: number, work: () => unknown = () => undefined): Promise<[name: string, data: object][]> {
  const answer = await ask("stream", withKey());
  expect(answer.headers["content-type"]).toBe("text/event-stream");
  let text = "";
  answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await expect.poll(() => text).toContain("event: controls");
  work();
  await expect.poll(() => text.split("\n\n").length).toBeGreaterThan(count);
  answer.destroy();
  return text
    .split("\n\n")
    .slice(0, -1)
    .map((part) => {
      const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
      return [name, JSON.parse(data) as object];
    });
}

test("without the key nothing but the page is answered, and the keys of the API and of the admin API are not it", async () => {
  const others = [{}, { Authorization: `Bearer ${emulator.apiKey}` }, { Authorization: `Bearer ${emulator.adminKey}` }];
  for (const headers of others)
    for (const path of ["stream", "logs?service=a", "v1/state"])
      expect({ path, status: (await ask(path, headers)).statusCode }).toEqual({ path, status: 401 });
  const url = `${emulator.adminUrl}/state`;
  expect((await fetch(url, { headers: withKey() })).status).toBe(401);
});

test("a foreign host or origin is refused, with the key too", async () => {
  for (const path of ["", "stream", "v1/state"]) {
    const host = await ask(path, { ...withKey(), Host: "evil.example" });
    const origin = await ask(path, { ...withKey(), Origin: "http://evil.example" });
    expect([host.statusCode, origin.statusCode]).toEqual([421, 403]);
  }
  const { origin } = new URL(emulator.consoleUrl);
  expect((await ask("v1/state", { ...withKey(), Origin: origin })).statusCode).toBe(200);
});

test("with its key the console calls the admin API", async () => {
  const { id } = emulator.mutate.createService({ name: "orders" });
  const headers = { ...withKey(), "Content-Type": "application/json" };
  const answer = await ask(`v1/services/${id}`, headers, { method: "PATCH", body: '{"name":"renamed"}' });
  expect([answer.statusCode, emulator.state().services[0]?.name]).toEqual([200, "renamed"]);
  expect((await ask(`v1/services/${id}`, headers, { method: "PATCH", body: '{"nam":"x"}' })).statusCode).toBe(400);
});

test("the document follows the published schema, and holds no password", async () => {
  const { id } = emulator.mutate.createService({ name: "orders", password: "hunter2-hunter2" });
  emulator.mutate.createReplicaSet(id, { name: "reports" });
  emulator.mutate.createPeering(emulator.mutate.createVpc({}).id, {});
  const [[name, data] = ["", {}]] = await streamed(2);
  const { operations, ...document } = data as PageDocument & { operations: string[] };
  expect([name, operations]).toEqual(["document", expect.arrayContaining(["createService"])]);
  expect(documentSchema.parse(document)).toEqual(document);
  expect(document.objects.map(({ kind }) => kind).toSorted()).toEqual(["Peering", "ReadReplicaSet", "Service", "Vpc"]);
  const { initialPassword = "?", password = "?" } = emulator.state().services[0] ?? {};
  for (const secret of [initialPassword, password, emulator.apiKey, emulator.adminKey])
    expect(JSON.stringify(data)).not.toContain(secret);
});

test("a change is told as a patch with what differs alone", async () => {
  const one = emulator.mutate.createService({ name: "one" });
  emulator.mutate.createService({ name: "two" });
  const messages = await streamed(3, () => emulator.mutate.service(one.id, { cpuMillis: 2000 }));
  const [, patch] = messages.find(([name]) => name === "patch") ?? [];
  expect(patch).toMatchObject({
    objects: [{ key: `Service/${one.id}`, properties: { cpuMillis: 2000 } }],
    gone: [],
    events: [
      {
        is: "change",
        title: "changed by hand",
        by: "somebody",
        note: "cpuMillis 500 → 2000",
        about: `Service/${one.id}`,
      },
    ],
  });
});

test("logs are read by service", async () => {
  const { id } = emulator.mutate.createService({ name: "orders" });
  emulator.mutate.logs(id, [{ message: "FATAL: out of memory", severity: "FATAL" }]);
  const lines = JSON.parse(await textOf(await ask(`logs?service=${id}`, withKey()))) as object[];
  expect(lines[0]).toMatchObject({ severity: "FATAL", message: "FATAL: out of memory" });
  expect(JSON.parse(await textOf(await ask("logs?service=none", withKey())))).toEqual([]);
});

test("phases have the durations of the clock, and a change under way has none for its last", async () => {
  await emulator.close();
  let now = Date.UTC(2026, 0);
  emulator = await createEmulator({ seed: 5, now: () => now, timings: { queued: 1_000, create: 4_000 } });
  const { baseUrl, apiKey, projectId } = emulator;
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", "User-Agent": "program/1" };
  const body = JSON.stringify({ name: "orders", region_code: "us-east-1" });
  await fetch(`${baseUrl}/projects/${projectId}/services`, { method: "POST", headers, body });
  const phasesAt = async (ms: number) => {
    now = Date.UTC(2026, 0) + ms;
    const [[, data] = ["", {}]] = await streamed(2);
    return (data as PageDocument).events.find(({ is }) => is === "change");
  };
  expect(await phasesAt(1_500)).toMatchObject({
    title: "createService",
    by: "pat-0",
    program: "program/1",
    phases: [{ status: "QUEUED", ms: 1_000 }, { status: "CONFIGURING" }],
  });
  expect((await phasesAt(9_000))?.phases).toEqual([
    { status: "QUEUED", ms: 1_000 },
    { status: "CONFIGURING", ms: 4_000 },
  ]);
});

test("what somebody changed by hand stands as drift until the API changes it, and what the API changes beside it does not hide it", async () => {
  const { baseUrl, apiKey, projectId } = emulator;
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  const post = (path: string, body: object) =>
    fetch(`${baseUrl}/projects/${projectId}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  await post("/services", { name: "orders", region_code: "us-east-1", cpu_millis: "500", memory_gbs: "2" });
  emulator.settle();
  const id = emulator.state().services[0]?.id ?? "";
  const found = async () => {
    const [[, data] = ["", {}]] = await streamed(2);
    return (data as PageDocument).findings.map(({ title, program, live }) => [title, program, live]);
  };
  expect(await found()).toEqual([]);
  emulator.mutate.service(id, { cpuMillis: 2000 });
  expect(await found()).toEqual([["orders: cpuMillis", 500, 2000]]);
  await post(`/services/${id}/setEnvironment`, { environment: "PROD" });
  emulator.settle();
  expect(emulator.state().services).toMatchObject([{ environment: "PROD", cpuMillis: 2000 }]);
  expect(await found()).toEqual([["orders: cpuMillis", 500, 2000]]);
  await post(`/services/${id}/resize`, { cpu_millis: "500", memory_gbs: "2" });
  emulator.settle();
  expect(await found()).toEqual([]);
  emulator.mutate.deleteService(id);
  emulator.mutate.createService({ name: "legacy" });
  expect(await found()).toEqual([["legacy was made by hand", undefined, undefined]]);
});
