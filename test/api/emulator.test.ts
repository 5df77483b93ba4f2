// The client against a whole control plane that shares no code with it: every operation, the ways in which deployments
// differ, and the faults that networks and servers have.

import { describe, expect, test } from "vitest";
import type { EmulatorOptions } from "../../emulator/index";
import { operationList } from "../../provider/client";
import { failureOf } from "../support/client";
import { connect, walk } from "./emulatorWalk";
import { textLike, textWith } from "../support/matchers";

describe("every operation, wherever it is deployed", () => {
  const switches: [string, EmulatorOptions["switches"]][] = [
    ["as documented", {}],
    ["null for absent, and members nobody knows", { nullFields: true, unknownFields: true, omitZeroHa: true }],
    ["former spellings", { vpcEndpointSpelling: "vpcEndpoint", cursorSpelling: "lastCursor", logEntries: false }],
    ["lower-case words", { statusCase: "lower", endpointInVpc: "empty" }],
    ["upper-case words", { statusCase: "upper", renameVpcAnswer: "vpc" }],
    ["ids of all letters", { idLooks: "hostile" }],
    ["asynchronous VPCs", { vpcStatus: true, endpointGapReads: 2 }],
  ];
  test.each(switches)("%s", async (_, given) => {
    const pair = await connect({ switches: given ?? {} });
    await walk(pair);
    const called = new Set(pair.emulator.requests().map(({ operation }) => operation));
    expect(called).toEqual(new Set(operationList.map(({ name }) => name)));
  });
});

describe("refusals", () => {
  test("have a category for each meaning", async () => {
    const { emulator, client } = await connect();
    const project = { projectId: emulator.projectId };
    const { id: serviceId } = await client.services.create({ ...project, name: "orders" });
    const service = { ...project, serviceId };
    const sizes = { cpuMillis: 1_000, memoryGbs: 4 };
    expect(await failureOf(client.services.resize({ ...service, ...sizes }))).toMatchObject({ category: "conflict" });
    emulator.settings.timings.firstBackup = Infinity;
    emulator.settle();
    const fork = await failureOf(client.services.get({ ...project, serviceId: "svc9999999" }));
    expect(fork).toMatchObject({ category: "notFound", apiCode: "NOT_FOUND" });
    const other = await failureOf(client.services.list({ projectId: "nobodys" }));
    expect(other).toMatchObject({ code: "API", category: textLike(/forbidden|notFound/) });
  });

  test.each(["full", "message", "other", "html", "empty"] as const)("with a body that is %s", async (errorBody) => {
    const { emulator, client } = await connect({ switches: { errorBody } });
    const error = await failureOf(client.services.get({ projectId: emulator.projectId, serviceId: "svc9999999" }));
    expect(error).toMatchObject({ code: "API", status: 404, category: "notFound", operation: "getService" });
  });

  test("a key that is not accepted", async () => {
    const { client } = await connect({}, { apiKey: "not-the-key" });
    const error = await failureOf(client.projects.list());
    expect(error).toMatchObject({ category: "auth", hint: textWith("DBCLOUD_API_KEY") });
    expect(JSON.stringify(error) + String(error)).not.toContain("not-the-key");
  });

  test("a server that shows only what is documented", async () => {
    const { emulator, client } = await connect({ profile: "documented" });
    const project = { projectId: emulator.projectId };
    const { id: serviceId } = await client.services.create({ ...project, name: "orders" });
    emulator.settle();
    const service = { ...project, serviceId };
    for (const call of [
      () => client.services.delete(service),
      () => client.services.start(service),
      () => client.services.rename({ ...service, name: "x" }),
      () => client.readReplicaSets.list(service),
    ]) {
      const error = await failureOf(call());
      expect(error).toMatchObject({ category: textLike(/absentRoute|notFound/) });
    }
    expect(emulator.state().services).toHaveLength(1);
  });
});

describe("faults", () => {
  test("reads and deletes succeed in spite of passing faults", async () => {
    const { emulator, client } = await connect();
    const project = { projectId: emulator.projectId };
    const { id: serviceId } = await client.services.create({ ...project, name: "orders" });
    emulator.settle();
    for (const fault of [
      { kind: "lostBefore" },
      { kind: "lostAfter" },
      { kind: "status", status: 503, headers: { "retry-after": "30" } },
      { kind: "html" },
      { kind: "truncate" },
      { kind: "status", status: 429 },
    ] as const) {
      emulator.faults.add({ ...fault, times: 2 });
      expect(await client.services.list(project)).toHaveLength(1);
    }
    emulator.faults.add({ kind: "lostAfter", operation: "deleteService" });
    const gone = await client.services.delete({ ...project, serviceId }).catch((error: unknown) => error);
    expect([undefined, "notFound"]).toContain(gone instanceof Error && "category" in gone ? gone.category : gone);
  });

  test.each([
    ["lostBefore", 0],
    ["lostAfter", 1],
    ["truncate", 1],
  ] as const)("a create that is struck by %s is left to the caller, and sent once", async (kind, services) => {
    const { emulator, client } = await connect();
    emulator.faults.add({ kind, operation: "createService", times: Infinity });
    const error = await failureOf(client.services.create({ projectId: emulator.projectId, name: "orders" }));
    expect(error).toMatchObject({ code: "TRANSPORT", sent: "maybe" });
    expect(emulator.state().services).toHaveLength(services);
    expect(emulator.requests().filter(({ operation }) => operation === "createService")).toHaveLength(1);
  });

  test("a create with a meaningless answer fails, and one with a 429 is sent again", async () => {
    const { emulator, client } = await connect();
    const create = (): Promise<unknown> => client.services.create({ projectId: emulator.projectId, name: "orders" });
    emulator.faults.add({ kind: "garbage", operation: "createService" });
    expect(await failureOf(create())).toMatchObject({ code: "CONTRACT" });
    emulator.faults.add({ kind: "status", status: 429, operation: "createService", times: 3 });
    await create();
    expect(emulator.state().services).toHaveLength(1);
  });

  test("a redirect is not followed, and the key is not sent on", async () => {
    const { emulator: elsewhere } = await connect();
    const { emulator, client } = await connect();
    emulator.faults.add({ kind: "redirect", location: `${elsewhere.baseUrl}/projects` });
    expect(await failureOf(client.projects.list())).toMatchObject({ status: 307, category: "badRequest" });
    expect(elsewhere.requests()).toEqual([]);
  });

  test("a server that was down comes back", async () => {
    const { emulator, client } = await connect();
    const down = emulator.faults.add({ kind: "down" });
    setTimeout(() => down.remove(), 5);
    const deadlineMs = Number.POSITIVE_INFINITY;
    expect(await client.projects.list({ deadlineMs })).toHaveLength(1);
  });

  test("the client stays below a rate limit", async () => {
    const { emulator, client } = await connect({ rateLimit: { perSecond: 1_000, burst: 1, retryAfterSeconds: 1 } });
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
    await Promise.all(names.map((name) => client.services.create({ projectId: emulator.projectId, name })));
    expect(emulator.state().services).toHaveLength(20);
  });
});

test("log pages are read one after the other to the end", async () => {
  const { emulator, client } = await connect();
  const project = { projectId: emulator.projectId };
  const { id: serviceId } = await client.services.create({ ...project, name: "orders" });
  emulator.settle();
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.services.logs({ ...project, serviceId, cursor });
    expect(page.entries?.map(({ message }) => message)).toEqual(page.logs);
    seen.push(...page.logs);
    cursor = page.lastCursor;
  } while (cursor !== undefined);
  expect(new Set(seen).size).toBeGreaterThan(0);
});
