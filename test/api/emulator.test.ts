// The client against a whole control plane that shares no code with it: every operation, the ways in which deployments
// differ, and the faults that networks and servers have.

import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
import { type ClientOptions, createClient } from "../../provider/client";
import { contract, methodOf, objectOf } from "../contract/operations";
import { clientCaller, walk } from "../contract/walk";
import { failureOf } from "../support/client";
import { createTestClock } from "../support/clock";
import { textLike, textWith } from "../support/matchers";

async function connect(options: EmulatorOptions = {}, clientOptions: Partial<ClientOptions> = {}) {
  const emulator = await createEmulator({ seed: 7, ...options });
  const { baseUrl, apiKey, projectId } = emulator;
  const usual = { baseUrl, apiKey, clock: createTestClock(), maxRequestsPerSecond: 100_000, environment: {} };
  const client = createClient({ ...usual, ...clientOptions });
  onTestFinished(async () => {
    await client.close();
    await emulator.close();
  });
  const project = { projectId };
  const create = async (name = "orders") => {
    const { id: serviceId } = await client.services.create({ ...project, name });
    return { ...project, serviceId };
  };
  return { emulator, client, project, create };
}

/** The objects of the world, each with its properties as text. */
function objectsOf(emulator: Emulator): Map<string, { kind: string; object: Map<string, string> }> {
  const { vpcs, peerings, services, replicaSets } = emulator.state();
  const all = { vpc: vpcs, peering: peerings, service: services, replicaSet: replicaSets };
  const textOf = (object: object) =>
    new Map(Object.entries(object).map(([name, value]) => [name, JSON.stringify([value])]));
  return new Map(
    Object.entries(all).flatMap(([kind, objects]) =>
      objects.map((object) => [`${kind} ${object.id}`, { kind, object: textOf(object) }]),
    ),
  );
}

/** Which objects came and went, and which properties of the others changed. */
function changesBetween(before: ReturnType<typeof objectsOf>, after: ReturnType<typeof objectsOf>): string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys
    .flatMap((key) => {
      const [was, is] = [before.get(key), after.get(key)];
      if (was === undefined || is === undefined) return `${was?.kind ?? is?.kind} ${was ? "went" : "came"}`;
      const names = [...new Set([...was.object.keys(), ...is.object.keys()])];
      return names
        .filter((name) => name !== "replicaSetIds" && was.object.get(name) !== is.object.get(name))
        .map((name) => `${is.kind} ${name}`);
    })
    .toSorted();
}

describe("a walk through every operation", () => {
  test.each<[string, NonNullable<EmulatorOptions["switches"]>]>([
    ["the default", {}],
    ["null for absent, and members nobody knows", { nullFields: true, unknownFields: true, omitZeroHa: true }],
    ["former spellings", { vpcEndpointSpelling: "vpcEndpoint", cursorSpelling: "lastCursor", logEntries: false }],
    ["lower-case words", { statusCase: "lower", endpointInVpc: "empty" }],
    ["upper-case words", { statusCase: "upper", renameVpcAnswer: "vpc" }],
    ["ids of all letters", { idLooks: "hostile" }],
    ["asynchronous VPCs", { vpcStatus: true, endpointGapReads: 2 }],
  ])("reads what was changed, and changes nothing else, with %s", async (_, switches) => {
    const { emulator, client } = await connect({ switches });
    let before = objectsOf(emulator);
    await walk(contract, clientCaller(client), {
      before: () => {
        emulator.settle();
        before = objectsOf(emulator);
      },
      sent: () => emulator.settle(),
      after: (row) => {
        const kind = objectOf(row) ?? "";
        const changes = (row.changes ?? []).map((property) => `${kind} ${property}`);
        const came = row.creates ? [`${kind} came`] : [];
        const went = methodOf(row) === "DELETE" ? [`${kind} went`] : [];
        const found = changesBetween(before, objectsOf(emulator));
        expect([row.name, found]).toEqual([row.name, [...changes, ...came, ...went].toSorted()]);
      },
    });
    const called = new Set(emulator.requests().map(({ operation }) => operation));
    expect(called).toEqual(new Set(contract.map(({ name }) => name)));
  });
});

describe("a refusal", () => {
  test("has a category for its meaning", async () => {
    const { emulator, client, project, create } = await connect({ timings: { create: 60_000 } });
    const service = await create();
    const resized = await failureOf(client.services.resize({ ...service, cpuMillis: 1_000, memoryGbs: 4 }));
    expect(resized).toMatchObject({ category: "conflict" });
    emulator.settle();
    const absent = await failureOf(client.services.get({ ...project, serviceId: "svc9999999" }));
    expect(absent).toMatchObject({ category: "notFound", apiCode: "NOT_FOUND" });
    const other = await failureOf(client.services.list({ projectId: "nobodys" }));
    expect(other).toMatchObject({ code: "API", category: textLike(/forbidden|notFound/) });
  });

  test.each(["full", "message", "other", "html", "empty"] as const)(
    "is one with a body that is %s",
    async (errorBody) => {
      const { client, project } = await connect({ switches: { errorBody } });
      const error = await failureOf(client.services.get({ ...project, serviceId: "svc9999999" }));
      expect(error).toMatchObject({ code: "API", status: 404, category: "notFound", operation: "getService" });
    },
  );

  test("of the key does not name the key", async () => {
    const { client } = await connect({}, { apiKey: "not-the-key" });
    const error = await failureOf(client.projects.list());
    expect(error).toMatchObject({ category: "auth", hint: textWith("API key") });
    expect(JSON.stringify(error) + String(error)).not.toContain("not-the-key");
  });

  test("meets what the contract does not show, where a server has only that", async () => {
    const { emulator, client, create } = await connect({ profile: "documented" });
    const service = await create();
    emulator.settle();
    const at = {
      project: service,
      vpc: { ...service, vpcId: "1" },
      peering: { ...service, vpcId: "1", peeringId: "1" },
    };
    for (const row of contract.filter(({ isUndocumented }) => isUndocumented)) {
      const error = await failureOf(row.call(client, { ...at, service, set: { ...service, replicaSetId: "1" } }));
      expect([row.name, error]).toMatchObject([row.name, { category: textLike(/absentRoute|notFound/) }]);
    }
    expect(emulator.state().services).toHaveLength(1);
  });
});

describe("faults", () => {
  test("that pass do not reach the callers of reads and deletes", async () => {
    const { emulator, client, project, create } = await connect();
    const service = await create();
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
    const gone = await client.services.delete(service).catch((error: unknown) => error);
    expect([undefined, "notFound"]).toContain(gone instanceof Error && "category" in gone ? gone.category : gone);
  });

  test.each([
    ["lostBefore", 0],
    ["lostAfter", 1],
    ["truncate", 1],
  ] as const)("like %s leave a create to the caller, sent once", async (kind, services) => {
    const { emulator, create } = await connect();
    emulator.faults.add({ kind, operation: "createService", times: Infinity });
    expect(await failureOf(create())).toMatchObject({ code: "TRANSPORT", sent: "maybe" });
    expect(emulator.state().services).toHaveLength(services);
    expect(emulator.requests().filter(({ operation }) => operation === "createService")).toHaveLength(1);
  });

  test("like a meaningless answer fail a create; after a 429 it is sent again", async () => {
    const { emulator, create } = await connect();
    emulator.faults.add({ kind: "garbage", operation: "createService" });
    expect(await failureOf(create())).toMatchObject({ code: "CONTRACT" });
    emulator.faults.add({ kind: "status", status: 429, operation: "createService", times: 3 });
    await create();
    expect(emulator.state().services).toHaveLength(1);
  });

  test("like a server that is down end", async () => {
    const { emulator, client } = await connect();
    const down = emulator.faults.add({ kind: "down" });
    setTimeout(() => down.remove(), 5);
    expect(await client.projects.list({ deadlineMs: Number.POSITIVE_INFINITY })).toHaveLength(1);
  });

  test("like a rate limit slow the client down", async () => {
    const { emulator, create } = await connect({ rateLimit: { perSecond: 1_000, burst: 1, retryAfterSeconds: 1 } });
    await Promise.all(Array.from({ length: 20 }, (_, index) => create(`s${index}`)));
    expect(emulator.state().services).toHaveLength(20);
  });
});
