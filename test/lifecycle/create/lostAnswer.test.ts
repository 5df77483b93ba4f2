// A create whose answer is lost: the one new object is adopted, and where that is not clear the error says so.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Fault } from "../../../emulator/index";
import type { World } from "../../support/world";
import { createCases, MINUTE_MS, openScene, refusal, type Scene, SIZE } from "./createCases";

let scene: Scene;
let world: World;

beforeEach(async () => {
  scene = await openScene();
  world = scene.world;
});
afterEach(() => world.close());

const cases = createCases(() => scene);
const kinds = Object.entries(cases);

describe("an answer that is lost", () => {
  const LOST: Record<string, Fault> = {
    "the connection": { kind: "lostAfter" },
    "a 503": { kind: "status", status: 503, commit: true },
    "a gateway's page": { kind: "html", commit: true },
    "half the answer": { kind: "truncate" },
    nonsense: { kind: "garbage", body: [], commit: true },
    "a redirect": { kind: "redirect", location: "http://127.0.0.1:9/", status: 303, commit: true },
  };

  test.each(kinds.flatMap(([name, kind]) => Object.entries(LOST).map(([how, fault]) => ({ name, kind, how, fault }))))(
    "$name, $how: the one new object is taken",
    async ({ kind, fault }) => {
      world.emulator.faults.add({ ...fault, operation: kind.operation });
      const kept = await kind.handlers().create(kind.args());
      expect(kept.failed).toBeUndefined();
      expect(kind.count()).toBe(1);
      expect(world.calls()).toEqual([kind.operation]);
      expect(world.warnings.join()).toContain(kept.id);
    },
  );

  test("is watched for when the list lags behind", async () => {
    world.emulator.settings.listLag = { ms: 50_000 };
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    expect((await world.service.create({ name: "orders" })).failed).toBeUndefined();
    expect(cases.service.count()).toBe(1);
  });

  test.each(kinds)("and nothing of it: a %s is said to be probably not there, after a minute", async (_name, kind) => {
    world.emulator.faults.add({ kind: "lostBefore", operation: kind.operation });
    const sinceMs = world.clock.now();
    const { message, hint } = await refusal(kind.handlers().create(kind.args()));
    expect(message).toContain("the answer was lost");
    expect(message).toContain("nothing new that fits");
    expect(hint).toContain("it reads before it creates");
    expect(world.clock.now() - sinceMs).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(world.clock.now() - sinceMs).toBeLessThan(2 * MINUTE_MS);
    expect(world.calls()).toEqual([kind.operation]);
  });

  test("is watched for a minute from the first list that answers", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    world.emulator.settings.listLag = { ms: 4 * MINUTE_MS };
    const created = world.service.create({ name: "orders" });
    world.emulator.faults.add({ kind: "status", status: 500, operation: "listServices", times: Infinity, skip: 1 });
    await world.clock.sleep(200_000);
    world.emulator.faults.clear();
    expect((await created).failed).toBeUndefined();
  });

  test("and a list that never answers: the deadline ends it, and says what is not known", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    world.emulator.faults.add({ kind: "status", status: 500, operation: "listServices", times: Infinity, skip: 1 });
    const { message } = await refusal(world.service.create({ name: "orders", timeouts: { create: "10m" } }));
    expect(message).toContain("createService of service orders: the answer was lost");
  });

  test("and a key that lost its rights: what is not known is said at once", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    world.emulator.faults.add({ kind: "status", status: 403, operation: "listServices", times: Infinity, skip: 1 });
    const { message } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain("the answer was lost");
    expect(message).toContain("what became of it cannot be seen: listServices");
  });

  test("with several new ones that fit: all are named, none is taken", async () => {
    rival({ regionCode: "us-east-1" }, "lostAfter");
    const { message } = await refusal(world.service.create({ name: "orders", regionCode: "us-east-1" }));
    const ids = world.emulator.state().services.flatMap(({ id, name }) => (name === "orders" ? [id] : []));
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(message).toContain(id);
  });

  test.each<[string, Parameters<typeof rival>[0]]>([
    ["in another region", { regionCode: "eu-west-1" }],
    ["of another size", { cpuMillis: 4000, memoryGbs: 16 }],
    ["forked from something", { forkedFrom: { projectId: "proj000001", serviceId: "svc0000000" } }],
    ["made long before", { createdAt: 0 }],
  ])("a rival %s is not taken for ours", async (_how, fields) => {
    rival(fields, "lostAfter");
    const args = { name: "orders", regionCode: "us-east-1", ...SIZE };
    const kept = await world.service.create(args);
    expect(world.emulator.ledger().find(({ id }) => id === kept.id)?.by).toBe("api");
  });

  test("a rival alone is named and left alone", async () => {
    rival({ regionCode: "eu-west-1" }, "lostBefore");
    const { message } = await refusal(world.service.create({ name: "orders", regionCode: "us-east-1" }));
    const theirs = world.emulator.state().services.find(({ name }) => name === "orders");
    expect(message).toContain("what is new and differs");
    expect(message).toContain(theirs?.id);
  });

  test("an unreadable creation time does not prevent finding the object", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    const created = world.service.create({ name: "orders" });
    while (cases.service.count() === 0) await new Promise((resolve) => setImmediate(resolve));
    const { id } = world.emulator.state().services.find(({ name }) => name === "orders") ?? { id: "" };
    world.emulator.mutate.service(id, { wire: { created: "yesterday" } });
    expect((await created).id).toBe(id);
  });

  test("of two duplicates that are wanted: each gets its own", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService", times: 2 });
    const args = { name: "orders", allowDuplicateName: true };
    const [one, two] = await Promise.all([world.service.create(args), world.service.create(args)]);
    expect(one.id).not.toBe(two.id);
    expect(cases.service.count()).toBe(2);
  });

  test("never leads to a second request, unlike a 429", async () => {
    world.emulator.faults.add({ kind: "status", status: 429, operation: "createService", times: 3 });
    await world.service.create({ name: "orders" });
    expect(world.calls()).toEqual(Array.from({ length: 4 }, () => "createService"));
    expect(cases.service.count()).toBe(1);
  });

  /** Somebody else makes a service of the same name while ours is under way. */
  function rival(
    fields: Parameters<World["emulator"]["mutate"]["createService"]>[0],
    kind: "lostBefore" | "lostAfter",
  ): void {
    world.emulator.faults.add({
      kind,
      operation: "createService",
      match: () => world.emulator.mutate.createService({ name: "orders", ...fields }).id !== "",
    });
  }
});

test("creates of one moment share a read, and so do those that lost their answers", async () => {
  world.emulator.faults.add({ kind: "lostAfter", operation: "createService", times: 40 });
  world.emulator.settings.listLag = { ms: 30_000 };
  const made = await Promise.all(Array.from({ length: 40 }, (_, index) => world.service.create({ name: `s${index}` })));
  expect(new Set(made.map(({ id }) => id)).size).toBe(40);
  const lists = world.emulator.requests().filter(({ operation }) => operation === "listServices");
  // About two a second while they watch, whatever their number.
  expect(lists.length).toBeLessThan(90);
});
