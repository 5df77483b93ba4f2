// Several creates of one program that want the same object, and creates whose engine is gone.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorld, type World } from "../../support/world";
import { createCases, openScene, refusal, type Scene } from "./createCases";

let scene: Scene;
let world: World;

beforeEach(async () => {
  scene = await openScene();
  world = scene.world;
});
afterEach(() => world.close());

const cases = createCases(() => scene);
const kinds = Object.entries(cases);

describe("two of one program", () => {
  test.each(kinds)("that want the same %s at once: the second is refused", async (_name, kind) => {
    const both = [kind.handlers().create(kind.args()), refusal(kind.handlers().create(kind.args()))] as const;
    expect((await both[1]).message).toContain("another resource of this program");
    expect((await both[0]).failed).toBeUndefined();
    expect(kind.count()).toBe(1);
  });

  test.each(kinds)("that want the same %s one after the other: the second is refused", async (_name, kind) => {
    await kind.handlers().create(kind.args());
    const { message } = await refusal(kind.handlers().create(kind.args()));
    expect(message).toContain("another resource of this program");
    expect(kind.count()).toBe(1);
  });

  test("the second may have the name when the first came to nothing", async () => {
    world.emulator.faults.add({ kind: "status", status: 400, operation: "createService" });
    const first = refusal(world.service.create({ name: "orders" }));
    await first;
    expect((await world.service.create({ name: "orders" })).failed).toBeUndefined();
  });

  test("the second may not use the name while the outcome of the first is unknown", async () => {
    world.emulator.faults.add({ kind: "lostBefore", operation: "createService" });
    await refusal(world.service.create({ name: "orders" }));
    const { message } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain("an earlier create of it in this run lost its answer");
    expect(cases.service.count()).toBe(0);
  });

  test("with one name: only where the second says so", async () => {
    await world.service.create({ name: "orders", allowDuplicateName: true });
    const { message, hint } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain("another resource of this program");
    expect(hint).toContain("allowDuplicateName");
    await world.service.create({ name: "orders", allowDuplicateName: true });
    expect(cases.service.count()).toBe(2);
  });

  test.each(kinds)("cannot adopt one %s", async (_name, kind) => {
    const { id } = kind.makeDuplicate();
    const args = { ...kind.args(), adoptId: id };
    const both = [kind.handlers().create(args), kind.handlers().create(args)];
    const settled = await Promise.allSettled(both);
    expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test("cannot have one object either where one of them has it already", async () => {
    const kept = await world.service.create({ name: "orders" });
    world.restart();
    expect(await world.service.update(kept, { name: "orders" })).toBe(kept);
    for (const args of [{ name: "orders" }, { name: "other", adoptId: kept.id }]) {
      expect((await refusal(world.service.create(args))).message).toContain("another resource of this program");
    }
  });
});

test("a name that this very run has just given up is free", async () => {
  world = await openWorld();
  const first = await world.service.create({ name: "orders" });
  world.restart();
  await world.service.create({ name: "carts" });
  await world.service.update(first, { name: "bills" });
  const second = await world.service.create({ name: "orders" });
  expect(second.failed).toBeUndefined();
  expect(world.emulator.state().services.map(({ name }) => name)).toEqual(["bills", "carts", "orders"]);
});

describe("an engine that is gone", () => {
  test("gets nothing new, also where the post had to wait", async () => {
    world.emulator.faults.add({ kind: "status", status: 429, operation: "createService", times: 1 });
    const created = refusal(world.service.create({ name: "orders" }));
    while (world.emulator.requests().every(({ status }) => status !== 429)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    world.endEngine();
    expect((await created).message).toContain("nothing was created");
    expect(cases.service.count()).toBe(0);
  });
});
