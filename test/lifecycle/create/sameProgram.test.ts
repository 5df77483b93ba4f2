// Several creates of one program that want the same object, and creates whose engine is gone.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorld, type World } from "../../support/world";
import { createCases, MINUTE_MS, openScene, refusal, type Scene } from "./createCases";

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
    expect((await both[1]).message).toContain("is declared twice");
    expect((await both[0]).failed).toBeUndefined();
    expect(kind.count()).toBe(1);
  });

  test.each(kinds)("that want the same %s one after the other: the second is refused", async (_name, kind) => {
    await kind.handlers().create(kind.args());
    const { message } = await refusal(kind.handlers().create(kind.args()));
    expect(message).toContain("is declared twice");
    expect(kind.count()).toBe(1);
  });

  test("of which one names the project that the key tells the other: one of them is refused", async () => {
    const { projectId } = world.emulator;
    const other = world.elsewhere({ projectId: undefined });
    const unnamed = refusal(other.service.create({ name: "orders" }));
    const named = other.service.create({ name: "orders", projectId });
    expect((await unnamed).message).toBe("service orders is declared twice, also by service2; nothing was created");
    expect((await named).failed).toBeUndefined();
    expect(cases.service.count()).toBe(1);
  });

  test("of which one is called so in the console only: the second is refused", async () => {
    const kept = await world.service.create({ name: "bills" });
    world.emulator.mutate.service(kept.id, { name: "orders" });
    await world.clock.sleep(MINUTE_MS);
    const { message, hint } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain("which is another resource of this program; nothing was created");
    expect(hint).toBe("Give one of them another `name`, or set `allowDuplicateName: true`.");
  });

  test("with one name: only where the second says so", async () => {
    await world.service.create({ name: "orders", allowDuplicateName: true });
    const { message } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toMatch(/is declared twice.*allowDuplicateName/);
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
    const args = { name: "other", adoptId: kept.id };
    expect((await refusal(world.service.create(args))).message).toContain("another resource of this program");
  });
});

describe("a create that is called again, as error hooks do it", () => {
  const args = {
    name: "orders",
    __urn: "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::orders",
  };

  test("creates the object when the first came to nothing", async () => {
    world.emulator.faults.add({ kind: "status", status: 400, operation: "createService" });
    await refusal(world.service.create(args));
    expect((await world.service.create(args)).failed).toBeUndefined();
  });

  test("creates nothing while the outcome of the first is unknown", async () => {
    world.emulator.faults.add({ kind: "lostBefore", operation: "createService" });
    await refusal(world.service.create(args));
    expect((await refusal(world.service.create(args))).message).toContain("an earlier create of it in this run lost");
    expect(cases.service.count()).toBe(0);
  });
});

describe("a name that this run gives up", () => {
  test("is free before the rename is done, as the engine sends both at once", async () => {
    const first = await world.service.create({ name: "orders" });
    world.restart();
    expect(world.service.preview(first, { name: "orders-old" }).operations).toEqual(["rename"]);
    const second = await world.service.create({ name: "orders" });
    const renamed = await world.service.update(first, { name: "orders-old" });
    expect([second.failed, renamed.failed]).toEqual([undefined, undefined]);
    const names = world.emulator.state().services.map(({ id, name }) => [id, name]);
    expect(names).toContainEqual([first.id, "orders-old"]);
    expect(names).toContainEqual([second.id, "orders"]);
  });

  test("is free also where the engine comes to the other resource after this create has begun", async () => {
    const first = await world.service.create({ name: "orders" });
    world.restart();
    const created = world.service.create({ name: "orders" });
    await world.clock.sleep(1_000);
    const renamed = await world.service.update(first, { name: "orders-old" });
    expect([(await created).failed, renamed.failed]).toEqual([undefined, undefined]);
    expect(world.emulator.state().services.find(({ id }) => id === first.id)?.name).toBe("orders-old");
  });

  test("is not free where it waits for something first: the error names the way out", async () => {
    await world.service.create({ name: "orders" });
    world.restart();
    const { hint } = await refusal(world.service.create({ name: "orders" }));
    expect(hint).toContain("Where another resource gives the name up in this run: `dependsOn` with that one.");
  });

  test("is not free where an object that no resource has is called so too", async () => {
    const first = await world.service.create({ name: "orders" });
    world.restart();
    const { id } = world.emulator.mutate.createService({ name: "orders" });
    world.service.preview(first, { name: "orders-old" });
    const { message } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain(id);
    expect(message).not.toContain(first.id);
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
