// One odd answer among good ones, and an old value that comes back: neither is drift, and neither ends a wait.

import { describe, expect, test } from "vitest";
import type { OperationName } from "../../../emulator/index";
import { httpClientFor } from "../../emulator/support/httpClient";
import { textLike } from "../../support/matchers";
import type { Kept } from "../../support/world";
import {
  ALL,
  changedInputs,
  done,
  LARGE,
  nextRun,
  onRequest,
  refreshed,
  requestsOf,
  timed,
  SMALL,
  useWorld,
  world,
} from "../scene";

useWorld();

describe("one odd answer among good ones", () => {
  test.each<[string, Record<string, unknown>]>([
    ["no pooler", { connection_pooler: null }],
    ["no sizes", { resources: [] }],
    ["sizes without numbers", { resources: [{ id: "x" }] }],
    ["no replicas", { ha_replicas: null }],
    ["no tag", { metadata: null }],
    ["another name", { name: "somebody else's" }],
    ["no address", { endpoint: null }],
  ])("with %s is no drift in a refresh, and no call, warning or failure in an update", async (_name, wire) => {
    const kept = await done(world.service.create(ALL));
    await spoilNextRead(kept, wire);
    expect(await changedInputs(kept, ALL)).toEqual([]);
    expect(world.service.preview(kept, ALL).changes).toBeUndefined();
    nextRun();
    await spoilNextRead(kept, wire);
    const next = await done(world.service.update(kept, { ...ALL, password: "correct horse" }));
    expect(world.calls()).toEqual(["updatePassword"]);
    expect(world.warnings.filter((line) => line.includes("outside Pulumi"))).toEqual([]);
    expect(next.outputs).toMatchObject(ALL);
  });

  test("is drift where it comes twice in a row", async () => {
    const kept = await done(world.service.create(ALL));
    world.emulator.mutate.service(kept.id, { wire: { connection_pooler: null } });
    const seen = await refreshed(kept);
    expect(world.warnings.at(-1)).toMatch(/moved outside Pulumi: connectionPooler from .* to nothing/);
    world.restart();
    expect(world.service.preview(seen, ALL)).toMatchObject({ changes: undefined, properties: ["poolerEnabled"] });
  });
});

test("an old value that comes back is not the new one, even when it is what the program goes back to", async () => {
  Object.assign(world.emulator.settings.stale, { comesBack: 1 });
  world.emulator.settings.timings.resize = 3_000;
  const kept = await done(world.service.create(ALL));
  const there = await done(world.service.update(kept, { ...ALL, ...LARGE }));
  nextRun();
  const back = await done(world.service.update(there, ALL));
  expect(world.calls()).toEqual(["resize"]);
  expect(back.outputs).toMatchObject(SMALL);
  expect(world.emulator.state().services).toMatchObject([{ ...SMALL, status: "READY" }]);
});

/** The next answer about the service shows this, and the ones after it show again what is there. */
async function spoilNextRead(kept: Kept, wire: Record<string, unknown>): Promise<void> {
  const { emulator } = world;
  const truth = await httpClientFor(emulator).ask(200, "GET", `/projects/${emulator.projectId}/services/${kept.id}`);
  world.emulator.mutate.service(kept.id, { wire });
  onRequest(({ method }) => {
    if (method !== "GET") return;
    onRequest(() => undefined);
    const restored = Object.fromEntries(Object.keys(wire).map((key) => [key, truth[key]]));
    world.emulator.mutate.service(kept.id, { wire: restored });
  });
}

describe("a refusal that is sent as a success", () => {
  const body = { code: "QUOTA_EXCEEDED", message: "no more CPU for the key dbc_secret" };
  const WORDS = /200 QUOTA_EXCEEDED no more CPU for the key \[redacted\]/;
  const refuse = (operation: OperationName): void => {
    const text = { ...body, message: body.message.replace("dbc_secret", world.emulator.apiKey) };
    world.emulator.faults.add({ kind: "garbage", body: text, operation, times: Infinity });
  };
  const takes = (operation: OperationName): unknown =>
    world.emulator.faults.add({ kind: "garbage", body, operation, commit: true });

  test("of a change that no read shows is an error with its words, long before the deadline", async () => {
    const kept = await done(world.service.create(ALL));
    refuse("resize");
    refuse("updatePassword");
    const { seconds, result: next } = await timed(() => world.service.update(kept, { ...ALL, ...LARGE }));
    expect(seconds).toBeLessThan(6 * 60);
    expect(next.failed).toMatch(WORDS);
    expect(next.failed).not.toContain(world.emulator.apiKey);
    expect(world.progress).toContainEqual(textLike(WORDS));
    expect(next.outputs).toMatchObject(SMALL);
    expect((await world.service.update(kept, { ...ALL, password: "correct horse" })).failed).toMatch(WORDS);
  });

  test("of a change that takes effect all the same is none, and a timeout has its words", async () => {
    const kept = await done(world.service.create(ALL));
    takes("resize");
    const next = await done(world.service.update(kept, { ...ALL, ...LARGE }));
    expect(next.outputs).toMatchObject(LARGE);
    expect(requestsOf("resize")).toHaveLength(1);
    world.emulator.settings.timings.resize = Infinity;
    takes("resize");
    expect((await world.service.update(next, ALL)).failed).toMatch(/200 QUOTA_EXCEEDED.*not done after 45 m/);
  });

  test("of a create creates nothing", async () => {
    refuse("createService");
    await expect(world.service.create(ALL)).rejects.toThrow(WORDS);
  });

  test("of a delete is an error with its words, and an object that is gone is gone", async () => {
    const kept = await done(world.service.create({ ...ALL, timeouts: { delete: "3m" } }));
    refuse("deleteService");
    await expect(world.service.remove(kept)).rejects.toThrow(WORDS);
    expect(world.progress).toContainEqual(textLike(WORDS));
    world.emulator.faults.clear();
    takes("deleteService");
    await world.service.remove(kept);
    expect(world.emulator.state().services).toEqual([]);
  });

  test.each([{ code: "OK", message: "password updated" }, { code: 200 }, { message: "done" }])(
    "is not what %j is",
    async (answer) => {
      const kept = await done(world.service.create(ALL));
      world.emulator.faults.add({ kind: "garbage", body: answer, operation: "updatePassword", commit: true });
      await done(world.service.update(kept, { ...ALL, password: "correct horse" }));
      expect(requestsOf("updatePassword")).toHaveLength(1);
    },
  );
});
