// One odd answer among good ones, and an old value that comes back: neither is drift, and neither ends a wait.

import { afterEach, describe, expect, test } from "vitest";
import type { EmulatorOptions, OperationName, RequestRecord } from "../../../emulator/index";
import { openWorld, type Kept, type World } from "../../support/world";
import { ALL, changedInputs, LARGE, settled } from "./settledService";

let world: World;
let onRequest: (request: RequestRecord) => void = () => undefined;
afterEach(async () => {
  onRequest = () => undefined;
  await world.close();
});

async function open(options: EmulatorOptions = {}): Promise<void> {
  world = await openWorld({ ...options, onRequest: (request) => onRequest(request) });
}

describe("one odd answer among good ones", () => {
  const odd: Record<string, Record<string, unknown>> = {
    "no pooler": { connection_pooler: null },
    "no sizes": { resources: [] },
    "sizes without numbers": { resources: [{ id: "x" }] },
    "no replicas": { ha_replicas: null },
    "no tag": { metadata: null },
    "another name": { name: "somebody else's" },
    "no address": { endpoint: null },
  };

  test.each(Object.entries(odd))("%s: no drift in a refresh", async (_name, wire) => {
    await open();
    const kept = await settled(world.service.create(ALL));
    await spoilNextRead(kept, wire);
    expect(await changedInputs(world, kept, ALL)).toEqual([]);
    expect(world.service.preview(kept, ALL).changes).toBeUndefined();
  });

  test.each(Object.entries(odd))("%s: no call, no warning and no failure in an update", async (_name, wire) => {
    await open();
    const kept = await settled(world.service.create(ALL));
    world.restart();
    world.calls();
    await spoilNextRead(kept, wire);
    const next = await world.service.update(kept, { ...ALL, password: "correct horse" });
    expect(next.failed).toBeUndefined();
    expect(world.calls()).toEqual(["updatePassword"]);
    expect(world.warnings.filter((line) => line.includes("outside Pulumi"))).toEqual([]);
    expect(next.outputs).toMatchObject(ALL);
  });

  test.each<[string, Parameters<World["emulator"]["faults"]["add"]>[0]]>([
    ["an HTML page", { kind: "html" }],
    ["a 500", { kind: "status", status: 500 }],
    ["a 429", { kind: "status", status: 429, headers: { "Retry-After": "3" } }],
    ["nothing", { kind: "lostBefore" }],
    ["half a body", { kind: "truncate" }],
    ["something else", { kind: "garbage", body: { hello: "world" } }],
    ["a 404", { kind: "status", status: 404 }],
  ])("%s in the middle of a wait", async (_name, fault) => {
    await open({ timings: { resize: 8_000 } });
    const kept = await settled(world.service.create(ALL));
    for (const skip of [1, 2, 4]) world.emulator.faults.add({ ...fault, operation: "getService", skip });
    const next = await world.service.update(kept, { ...ALL, ...LARGE });
    expect(next.failed).toBeUndefined();
    expect(world.calls().filter((call) => call === "resize")).toHaveLength(1);
  });

  test("two in a row are drift", async () => {
    await open();
    const kept = await settled(world.service.create(ALL));
    world.emulator.mutate.service(kept.id, { wire: { connection_pooler: null } });
    const seen = (await world.service.refresh(kept)) ?? kept;
    expect(world.warnings.at(-1)).toMatch(
      /moved outside Pulumi: connectionPooler from .* to nothing\. The next preview shows the settings that moved$/,
    );
    world.restart();
    expect(world.service.preview(seen, ALL)).toMatchObject({ changes: undefined, properties: ["poolerEnabled"] });
  });
});

describe("an old value that comes back", () => {
  test("is not taken for the new one, even when it is what the program goes back to", async () => {
    await open({ stale: { comesBack: 1 }, timings: { resize: 3_000 } });
    const kept = await settled(world.service.create(ALL));
    const there = await settled(world.service.update(kept, { ...ALL, ...LARGE }));
    world.restart();
    world.calls();
    const back = await settled(world.service.update(there, ALL));
    expect(world.calls()).toEqual(["resize"]);
    expect(back.outputs).toMatchObject({ cpuMillis: 500, memoryGbs: 2 });
    expect(world.emulator.state().services).toMatchObject([{ cpuMillis: 500, memoryGbs: 2, status: "READY" }]);
  });
});

/** The next answer about the service shows this, and the ones after it show again what is there. */
async function spoilNextRead(kept: Kept, wire: Record<string, unknown>): Promise<void> {
  const { baseUrl, apiKey, projectId } = world.emulator;
  const answer = await fetch(`${baseUrl}/projects/${projectId}/services/${kept.id}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const truth = (await answer.json()) as Record<string, unknown>;
  world.emulator.mutate.service(kept.id, { wire });
  onRequest = ({ method }) => {
    if (method !== "GET") return;
    onRequest = () => undefined;
    const restored = Object.fromEntries(Object.keys(wire).map((key) => [key, truth[key]]));
    world.emulator.mutate.service(kept.id, { wire: restored });
  };
}

describe("a refusal that is sent as a success", () => {
  const body = { code: "QUOTA_EXCEEDED", message: "no more CPU for the key dbc_secret" };
  const refuse = (operation: OperationName): void => {
    const text = { ...body, message: body.message.replace("dbc_secret", world.emulator.apiKey) };
    world.emulator.faults.add({ kind: "garbage", body: text, operation, times: Infinity });
  };
  const WORDS = /200 QUOTA_EXCEEDED no more CPU for the key \[redacted\]/;

  test("of a change: the rows and the error have its words, long before the deadline", async () => {
    await open();
    const kept = await settled(world.service.create(ALL));
    refuse("resize");
    const startedMs = world.clock.now();
    const next = await world.service.update(kept, { ...ALL, ...LARGE });
    expect(next.failed).toMatch(WORDS);
    expect(next.failed).not.toContain(world.emulator.apiKey);
    expect(world.progress).toContainEqual(expect.stringMatching(WORDS));
    expect(world.clock.now() - startedMs).toBeLessThan(6 * 60_000);
    expect(next.outputs).toMatchObject({ cpuMillis: ALL.cpuMillis });
  });

  test("of a change that takes effect all the same: it is done", async () => {
    await open();
    const kept = await settled(world.service.create(ALL));
    world.emulator.faults.add({ kind: "garbage", body, operation: "resize", commit: true });
    const next = await settled(world.service.update(kept, { ...ALL, ...LARGE }));
    expect(next.outputs).toMatchObject(LARGE);
    expect(world.callsOn(kept.id).filter((call) => call === "resize")).toHaveLength(1);
  });

  test("of a change that then lasts too long: the timeout has its words", async () => {
    await open({ timings: { resize: Infinity } });
    const kept = await settled(world.service.create(ALL));
    world.emulator.faults.add({ kind: "garbage", body, operation: "resize", commit: true });
    const next = await world.service.update(kept, { ...ALL, ...LARGE });
    expect(next.failed).toMatch(/not done after 45 m .*UPGRADING/);
    expect(next.failed).toContain("200 QUOTA_EXCEEDED no more CPU");
  });

  test("of a change that no read shows: it is no success", async () => {
    await open();
    const kept = await settled(world.service.create(ALL));
    refuse("updatePassword");
    const next = await world.service.update(kept, { ...ALL, password: "correct horse" });
    expect(next.failed).toMatch(WORDS);
  });

  test("of a create: nothing is created, and the error has its words", async () => {
    await open();
    refuse("createService");
    await expect(world.service.create(ALL)).rejects.toThrow(WORDS);
  });

  test("of a delete: the rows and the timeout have its words, and an object that is gone is gone", async () => {
    await open();
    const kept = await settled(world.service.create({ ...ALL, timeouts: { delete: "3m" } }));
    refuse("deleteService");
    await expect(world.service.remove(kept)).rejects.toThrow(WORDS);
    expect(world.progress).toContainEqual(expect.stringMatching(WORDS));
    world.emulator.faults.clear();
    world.emulator.faults.add({ kind: "garbage", body, operation: "deleteService", commit: true });
    await world.service.remove(kept);
    expect(world.emulator.state().services).toEqual([]);
  });

  test.each([{ code: "OK", message: "password updated" }, { code: 200 }, { message: "done" }])(
    "is no refusal: %j",
    async (answer) => {
      await open();
      const kept = await settled(world.service.create(ALL));
      world.emulator.faults.add({ kind: "garbage", body: answer, operation: "updatePassword", commit: true });
      await settled(world.service.update(kept, { ...ALL, password: "correct horse" }));
      expect(world.callsOn(kept.id).filter((call) => call === "updatePassword")).toHaveLength(1);
    },
  );
});
