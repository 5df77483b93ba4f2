// Replacements that delete the old object first (`deleteBeforeReplace`), in the sequences of calls that the engine is
// recorded to make: `diff` without a `check` for all dependents in the state, and the deletes before the create.

import { beforeEach, describe, expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import type { Handlers, Kept } from "../support/world";
import { earlier, NET, setOf, urn, useWorld, world } from "./scene";

const ORDERS = { name: "orders", regionCode: "us-east-1", ...urn("orders") };
const setArgs = (service: Kept): Values => setOf(service, urn("readers"));

useWorld();

const forkOf = (serviceId: string): Values => ({
  name: "copy",
  forkFrom: { serviceId, strategy: "NOW" },
  ...urn("copy"),
});
const unknownFork = { forkFrom: { serviceId: UNKNOWN, strategy: "NOW" } };

/** The engine's `diff` of a dependent: its old inputs, with an unknown value where it takes one from what is replaced. */
function cascade(handlers: Handlers, kept: Kept, unknown: Values): void {
  handlers.compare({ ...kept, inputs: { ...kept.inputs, ...unknown } });
}

const services = (): string[] =>
  world.emulator.state().services.flatMap(({ name, status }) => (status === "DELETING" ? [] : [name]));

describe("a forced replacement of a service", () => {
  let orders: Kept;
  let copy: Kept;

  beforeEach(async () => {
    orders = await world.service.create(ORDERS);
    copy = await world.service.create(forkOf(orders.id));
    world.restart();
  });

  test("deletes a fork that the program no longer has, as the preview says", async () => {
    world.service.check(ORDERS);
    cascade(world.service, copy, unknownFork);
    await world.service.removePending(orders);
    await world.service.create(ORDERS);
    await world.service.removePending(copy);
    expect(services()).toEqual(["orders"]);
  });

  test("is an error in the preview where the program has the fork: it cannot follow", () => {
    world.service.check(ORDERS);
    cascade(world.service, copy, unknownFork);
    expect(() => world.service.preview(copy, { ...forkOf(orders.id), ...unknownFork })).toThrow(
      /copy .*: forkFrom cannot change, and this run replaces the object that it names/,
    );
  });

  test("keeps the sets of a protected service: they go before it", async () => {
    const set = await world.readReplicaSet.create(setArgs(orders));
    world.restart();
    const locked = await world.service.update(orders, { ...ORDERS, deletionProtection: true });
    const marked = await earlier(world.readReplicaSet.update(set, setArgs(orders)));
    world.service.check({ ...ORDERS, deletionProtection: true });
    expect(() => cascade(world.readReplicaSet, marked, { serviceId: UNKNOWN })).toThrow(
      /readers .* belongs to service .* which is protected .*so it is not replaced/,
    );
    await expect(world.readReplicaSet.removePending(marked)).rejects.toThrow("which is protected");
    await expect(world.service.removePending(locked)).rejects.toThrow("is protected against deletion");
    expect(world.calls()).toEqual([]);
  });

  test("keeps the sets of a service that DBCLOUD_ADOPT names: its delete would be refused after theirs", async () => {
    const set = await earlier(world.readReplicaSet.create(setArgs(orders)));
    world.adopt.push(`orders=${orders.id}`);
    world.service.check(ORDERS);
    const belongs = `belongs to service ${orders.id}, which is claimed by orders`;
    expect(() => cascade(world.readReplicaSet, set, { serviceId: UNKNOWN })).toThrow(belongs);
    await expect(world.readReplicaSet.removePending(set)).rejects.toThrow(belongs);
    expect(world.calls()).toEqual([]);
  });
});

test.each(["adoptId", "DBCLOUD_ADOPT"])(
  "an interrupted replacement whose old object was kept (`retainOnDelete`) goes on as in the preview, or with it where %s names it",
  async (by) => {
    const orders = await world.service.create(ORDERS);
    // The state says that it was deleted for its successor: the engine compares, then creates.
    const goOn = (args: Values): Promise<Kept> => {
      world.service.preview(orders, args);
      return world.service.create(args);
    };
    world.nextRun();
    const next = await goOn(ORDERS);
    expect(next.id).not.toBe(orders.id);
    world.emulator.mutate.deleteService(next.id);
    world.nextRun();
    if (by === "DBCLOUD_ADOPT") world.adopt.push(`orders=${orders.id}`);
    expect((await goOn(by === "adoptId" ? { ...ORDERS, adoptId: orders.id } : ORDERS)).id).toBe(orders.id);
    expect(world.calls()).toEqual([]);
  },
);

test("a targeted destroy with dependents, whose `diff` the engine asks for, deletes the forks", async () => {
  const orders = await world.service.create(ORDERS);
  const copy = await world.service.create(forkOf(orders.id));
  world.restart();
  cascade(world.service, copy, unknownFork);
  await world.service.removePending(copy);
  await world.service.removePending(orders);
  expect([services(), world.warnings.filter((line) => line.includes("is kept"))]).toEqual([[], []]);
});

test("a VPC that goes first cannot be replaced while a service is in it: an error in the preview", async () => {
  const net = await world.vpc.create({ ...NET, ...urn("net") });
  const inside = await world.service.create({ ...ORDERS, vpcId: net.id });
  world.restart();
  world.vpc.check({ ...NET, ...urn("net") });
  expect(() => cascade(world.service, inside, { vpcId: UNKNOWN })).toThrow(
    /orders .* is in VPC .* which would be deleted before its replacement is created \(`deleteBeforeReplace`\)/,
  );
  // A destroy asks the same, and deletes the service before the VPC.
  world.restart();
  expect(() => cascade(world.service, inside, { vpcId: UNKNOWN })).not.toThrow();
});

test("a fork that may be replaced is replaced in the run after the one that replaces its source, whose preview could not show it", async () => {
  const orders = await world.service.create(ORDERS);
  const fork = (serviceId: string): Values => ({ ...forkOf(serviceId), allowReplace: true });
  const copy = await world.service.create(fork(orders.id));
  world.restart();
  const next = await world.service.create({ ...ORDERS, name: "orders-2" });
  expect(() => world.service.preview(copy, fork(next.id))).toThrow("names an object that this run created");
  world.restart();
  expect(world.service.preview(copy, fork(next.id)).replaces).toEqual(["forkFrom"]);
});
