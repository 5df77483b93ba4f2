// Read replica sets move with their service, and a change of theirs goes on after its wait was refused.

import { beforeEach, describe, expect, test } from "vitest";
import type { EmulatorOptions } from "../../emulator/index";
import { UNKNOWN } from "../../provider/domain/values/value";
import { textLike } from "../support/matchers";
import type { Kept } from "../support/world";
import { done, fault, LARGE, NET, world } from "./scene";
import { parent, readers, useParent } from "./replicaSetScene";

useParent();

const WORD = (set: Kept, how: string) => textLike(new RegExp(`${set.id}.: its service ${how}: .*read again`));

/** What the server itself shows of the set. */
async function shownEndpoint(): Promise<unknown> {
  const { projectId } = world.emulator;
  const { readReplicaSets } = await world.session.client.services.get({ projectId, serviceId: parent.id });
  return readReplicaSets[0]?.endpoint;
}

test.each<[string, EmulatorOptions["stale"]]>([
  ["a server that tells at once", { reads: 0 }],
  ["a server that shows old values for five reads", { reads: 5 }],
  ["a server whose old values come back", { reads: 2, comesBack: 1 }],
])("a move of the service takes its sets along, in the same run: %s", async (_name, stale) => {
  const set = await world.readReplicaSet.create(readers());
  const bystander = await world.service.create({ name: "bills" });
  const beside = readers({ serviceId: bystander.id });
  const other = await world.readReplicaSet.create(beside);
  const net = await world.vpc.create(NET);
  Object.assign(world.emulator.settings.stale, stale);
  world.nextRun();

  const placed = { name: "orders", vpcId: net.id };
  expect(world.service.preview(parent, placed).operations).toEqual(["attachToVPC"]);
  world.warnings.splice(0);
  expect(world.readReplicaSet.preview(set, readers())).toMatchObject({ changes: true, operations: [], replaces: [] });
  expect(world.warnings).toEqual([WORD(set, "moves")]);
  expect(world.readReplicaSet.preview(other, beside).changes).toBeUndefined();

  const moved = await world.service.update(parent, placed);
  const next = await done(world.readReplicaSet.update(set, readers()));
  expect(world.calls()).toEqual(["attachToVPC"]);
  expect(next.outputs["endpoint"]).not.toEqual(set.outputs["endpoint"]);
  expect(next.outputs["endpoint"]).toEqual(await shownEndpoint());

  world.restart();
  world.warnings.splice(0);
  expect(world.service.preview(moved, placed).changes).toBeUndefined();
  expect(world.readReplicaSet.preview(next, readers()).changes).toBeUndefined();
  await world.readReplicaSet.refresh(next);
  expect(world.warnings).toEqual([]);
});

test("a move of the service that is not known yet may take them along", async () => {
  const set = await world.readReplicaSet.create(readers());
  world.restart();
  world.service.preview(parent, { name: "orders", vpcId: UNKNOWN });
  world.warnings.splice(0);
  expect(world.readReplicaSet.preview(set, readers()).changes).toBe(true);
  expect(world.warnings).toEqual([WORD(set, "may move")]);
  // As it turns out to be nothing, nothing is done.
  world.service.preview(parent, { name: "orders" });
  const requests = world.emulator.requests().length;
  expect(await world.readReplicaSet.update(set, readers())).toBe(set);
  expect(world.emulator.requests()).toHaveLength(requests);
});

test("a move of the service is remembered where the service's update ends early", async () => {
  const set = await world.readReplicaSet.create(readers());
  const net = await world.vpc.create(NET);
  world.restart();
  fault({ kind: "status", status: 400, operation: "enablePooler", times: 1 });
  const placed = { name: "orders", vpcId: net.id, poolerEnabled: true };
  const half = await world.service.update(parent, placed);
  expect(half.failed).toContain("failed: enablePooler");

  world.restart();
  const whole = await world.service.update(half, placed);
  const next = await world.readReplicaSet.update(set, readers());
  expect([whole.failed, next.failed]).toEqual([undefined, undefined]);
  expect(next.outputs["endpoint"]).toEqual(await shownEndpoint());
  world.restart();
  expect(world.service.preview(whole, placed).changes).toBeUndefined();
  expect(world.readReplicaSet.preview(next, readers()).changes).toBeUndefined();
});

test("a move of the service that leaves the address of a set as it is keeps nobody waiting for long", async () => {
  const set = await world.readReplicaSet.create(readers());
  world.restart();
  world.service.preview(parent, { name: "orders", vpcId: "12345" });
  const { seconds, result: next } = await world.timed(() => world.readReplicaSet.update(set, readers()));
  expect(seconds).toBeLessThan(300);
  expect(next.outputs["endpoint"]).toEqual(set.outputs["endpoint"]);
});

describe("a change that goes on after its wait was refused", () => {
  let a: Kept;
  let b: Kept;
  beforeEach(async () => {
    a = await world.readReplicaSet.create(readers({ name: "a" }));
    b = await world.readReplicaSet.create(readers({ name: "b" }));
    const { timings } = world.emulator.settings;
    Object.assign(timings, { replicaCreate: 10_000, replicaResize: 10_000, replicaDelete: 10_000 });
  });

  test.each<[string, () => Promise<unknown>]>([
    ["creation", async () => (await world.readReplicaSet.create(readers({ name: "c" }))).failed],
    ["resize", async () => (await world.readReplicaSet.update(a, readers({ name: "a", ...LARGE }))).failed],
    ["deletion", () => world.readReplicaSet.remove(a).catch(String)],
  ])("its %s is over before a sibling goes: until then the server answers 409", async (_change, failureOf) => {
    let next: Promise<void> | undefined;
    world.onRequest(({ committed }) => {
      if (next !== undefined || !committed) return;
      next = world.readReplicaSet.remove(b);
      fault({ kind: "status", status: 401, operation: "getService", skip: 2 });
    });
    expect(await failureOf()).toContain("401");
    await next;
    expect(world.overlaps()).toEqual([]);
    expect(world.emulator.state().replicaSets.map(({ id }) => id)).not.toContain(b.id);
  });
});
