// Several creates of one program that want the same object, and creates whose engine is gone.

import { beforeEach, describe, expect, test } from "vitest";
import type { OperationName } from "../../emulator/index";
import type { Values } from "../../provider/domain/values/value";
import { textWith } from "../support/matchers";
import type { Kept } from "../support/world";
import { done, earlier, errorOf, fault, LARGE, MINUTE_MS, refreshed, SMALL, urn, world } from "./scene";
import { countOrders, kinds, useCreates } from "./createCases";

useCreates();

const create = (more: Values = {}) => world.service.create({ name: "orders", ...more });

describe.each(kinds)("two resources of one program that want the same %s", (_name, kind) => {
  test("get one: the second is refused, at the same time and later", async () => {
    const both = [done(kind.handlers().create(kind.args())), errorOf(kind.handlers().create(kind.args()))] as const;
    expect((await both[1]).message).toContain("is declared twice");
    await both[0];
    expect((await errorOf(kind.handlers().create(kind.args()))).message).toContain("is declared twice");
    expect(kind.count()).toBe(1);
  });

  test("cannot adopt one", async () => {
    const { id } = kind.makeDuplicate();
    const args = { ...kind.args(), adoptId: id };
    const both = await Promise.allSettled([kind.handlers().create(args), kind.handlers().create(args)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});

test("two resources of one program of which one names the project that the key tells the other get one", async () => {
  const other = world.elsewhere({ projectId: undefined });
  const unnamed = errorOf(other.service.create({ name: "orders" }));
  await done(other.service.create({ name: "orders", projectId: world.emulator.projectId }));
  expect((await unnamed).message).toMatch(/orders is declared twice, also by service2; nothing was sent for this one/);
  expect(countOrders()).toBe(1);
});

test("two resources of one program of which one is called so in the console only get one", async () => {
  const kept = await create({ name: "bills" });
  world.emulator.mutate.service(kept.id, { name: "orders" });
  await world.clock.sleep(MINUTE_MS);
  expect(await errorOf(create())).toMatchObject({
    message: textWith("another resource of this program; nothing was created"),
    hint: textWith("Names are unique in a project for this provider: give one of them another `name`."),
  });
});

test("a create that an error hook calls again creates the object when the first came to nothing", async () => {
  fault({ kind: "status", status: 400, operation: "createService" });
  await errorOf(create(urn("orders")));
  expect((await create(urn("orders"))).failed).toBeUndefined();
});

const refuse = (operation: OperationName) => fault({ kind: "status", status: 403, operation });
const wanted = { ...urn("orders"), name: "orders", poolerEnabled: true };

test("a create that an error hook calls again goes on with the object, whose password only the first answer had", async () => {
  refuse("enablePooler");
  const first = await create(wanted);
  expect(first.failed).toContain("enablePooler");
  const second = await done(world.service.again.create(wanted));
  expect([second.id, second.outputs["poolerEnabled"], countOrders()]).toEqual([first.id, true, 1]);
  expect(second.outputs["initialPassword"]).toEqual(first.outputs["initialPassword"]);
  expect(first.outputs["initialPassword"]).toBeDefined();
});

test("a create that an error hook calls again leaves the id in the state, whatever fails then", async () => {
  refuse("enablePooler");
  const { id, outputs } = await create(wanted);
  fault({ kind: "status", status: 401, times: Infinity });
  const again = await world.service.again.create(wanted);
  expect([again.id, again.outputs, countOrders()]).toEqual([id, outputs, 1]);
  expect(again.failed).toContain("401");
  expect(again.failed).toContain("explain key-refused");
});

test("an update that an error hook calls again stops a service again that the first one had started for its change", async () => {
  const kept = await done(create({ ...urn("orders"), ...SMALL }));
  world.emulator.mutate.service(kept.id, { paused: true });
  const paused = await refreshed(kept);
  refuse("resize");
  const change = { name: "orders", ...LARGE };
  expect((await world.service.update(paused, change)).failed).toContain("done: start");
  await done(world.service.again.update(paused, change));
  const found = world.emulator.state().services.find(({ id }) => id === kept.id);
  expect(found).toMatchObject({ status: "PAUSED", cpuMillis: 1000 });
});

describe("a name that this run gives up", () => {
  let first: Kept;
  beforeEach(async () => {
    first = await create();
    world.restart();
  });
  const rename = () => done(world.service.update(first, { name: "orders-old" }));
  const nameOf = ({ id }: Kept) => world.emulator.state().services.find((service) => service.id === id)?.name;

  test("is free before the rename is done, as the engine sends both at once", async () => {
    expect(world.service.preview(first, { name: "orders-old" }).operations).toEqual(["rename"]);
    const second = await done(create());
    await rename();
    expect([nameOf(first), nameOf(second)]).toEqual(["orders-old", "orders"]);
  });

  test("is free also where the engine comes to the other resource after this create has begun", async () => {
    const created = done(create());
    await world.clock.sleep(1_000);
    await rename();
    expect([nameOf(first), nameOf(await created)]).toEqual(["orders-old", "orders"]);
  });

  test("is free for another one that gives its own up", async () => {
    const second = await earlier(create({ name: "bills" }));
    const swap = (kept: Kept, name: string) => {
      world.service.preview(kept, { name });
      return done(world.service.update(kept, { name }));
    };
    await Promise.all([swap(first, "bills"), swap(second, "orders")]);
    expect([nameOf(first), nameOf(second)]).toEqual(["bills", "orders"]);
  });

  test("is not free where it waits for something first: the error names the way out", async () => {
    expect((await errorOf(create())).errorName).toBe("name-taken");
  });

  test("is not free where an object that no resource has is called so too", async () => {
    const { id } = world.emulator.mutate.createService({ name: "orders" });
    world.service.preview(first, { name: "orders-old" });
    const { message } = await errorOf(create());
    expect(message).toContain(id);
    expect(message).not.toContain(first.id);
  });
});

test("an engine that is gone gets nothing new, also where the post had to wait", async () => {
  fault({ kind: "status", status: 429, operation: "createService", times: 1 });
  const created = errorOf(create());
  while (world.emulator.requests().every(({ status }) => status !== 429)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  world.endEngine();
  expect((await created).message).toContain("nothing was created");
  expect(countOrders()).toBe(0);
});
