// What is deleted, detached or kept is decided by what the state still holds and by what the program says now: calls of the
// engine in its own order, in which something was lost.

import { describe, expect, test } from "vitest";
import { FORMS, type Form } from "../../provider/pulumi/stateNames";
import type { Values } from "../../provider/domain/values/value";
import { dynamicCalls, type EngineCalls, nativeCalls } from "../invariants/engine/calls";
import { createRunBus } from "../support/runBus";
import type { Kept } from "../support/world";
import { earlier, errorOf, fault, NET, setOf, SMALL, underOtherName, urn, useWorld, world } from "../core/scene";
import { alive, make } from "./absence";

useWorld();

const services = () => world.emulator.state().services;

describe.each(FORMS)("what a program no longer manages, in the %s form,", (form: Form) => {
  const NAMED = { logical: "orders", kind: "service" } as const;
  type Known = Parameters<EngineCalls["read"]>[0];

  const nextRun = (): EngineCalls => {
    world.nextRun();
    return form === "native" ? nativeCalls(world.front("service")) : dynamicCalls(world.bare("service"));
  };

  /** As the engine does it: it stores the new inputs also where nothing else has changed. */
  async function up(before: Known, args: Values): Promise<Known> {
    const calls = nextRun();
    const { inputs, failures } = await calls.check(NAMED, before.inputs, args);
    expect(failures).toEqual([]);
    const { hasChanges } = await calls.diff(before, inputs);
    if (!hasChanges) return { ...before, inputs };
    const { outs } = await calls.update(before, inputs);
    return { ...before, inputs, outputs: outs };
  }

  async function refresh(before: Known): Promise<Known> {
    const { props = {}, inputs = before.inputs } = await nextRun().read(before);
    return { ...before, inputs, outputs: props };
  }

  test(`a VPC that the console chose after the program let go of it is not left, in the ${form} form`, async () => {
    const [one, two] = ["one", "two"].map((name) => world.emulator.mutate.createVpc({ ...NET, name }).id);
    const args = { name: "orders", ...SMALL };
    const calls = nextRun();
    const { inputs } = await calls.check(NAMED, {}, { ...args, vpcId: one });
    const { id, outs } = await calls.create(NAMED, inputs);
    let entry: Known = { ...NAMED, id, inputs, outputs: outs };
    world.emulator.mutate.service(id, { vpcId: undefined });
    entry = await refresh(entry);
    entry = await up(entry, args);
    world.emulator.mutate.service(id, { vpcId: two });
    entry = await refresh(entry);
    entry = await up(entry, args);
    expect(world.callsOn(id)).not.toContain("detachFromVPC");
    expect(services()).toMatchObject([{ id, vpcId: two }]);
    expect(entry.inputs).not.toHaveProperty("vpcId");
  });
});

test("a protected service whose resource became a `get` of another one is refused, with what brings its entry back", async () => {
  const { kept } = await make("service", { name: "orders", deletionProtection: true });
  const { id } = world.emulator.mutate.createService({ name: "other" });
  world.nextRun();
  // Pulumi: it reads the new one under the name of the old one, whose entry is then deleted.
  await world.service.refresh({ id, inputs: {}, outputs: urn("service-orders") });
  const refused = await errorOf(world.service.removePending(kept));
  expect(refused.fullMessage).toContain("adoptId");
  expect(refused.fullMessage).toContain(kept.id);
  expect(alive().map((one) => one.id)).toContain(kept.id);
});

describe("a replica set that Pulumi dropped with its service (`deletedWith`), of a service that", () => {
  const made = async (more: Values = {}) => {
    const service = await make("service", { name: "orders", ...SMALL, ...more });
    const set = await earlier(make("readReplicaSet", setOf(service.kept)));
    return { service, set };
  };

  test.each<[string, Values]>([
    ["is protected", { deletionProtection: true }],
    ["has the tag PROD", { environment: "PROD" }],
    ["an earlier version was to stop", { onDelete: "stop" }],
  ])("a replica set that Pulumi dropped with its service, which %s, is named by the refusal", async (_why, more) => {
    const { onDelete, ...args } = more;
    const { service } = await made(args);
    if (onDelete !== undefined) service.kept.outputs = { ...service.kept.outputs, onDelete };
    expect((await errorOf(world.service.removePending(service.kept))).fullMessage).toContain("readers");
  });

  test("a replica set that Pulumi dropped with its service, which another resource keeps, is named by the warning", async () => {
    const { service } = await made();
    world.service.preview(service.kept, { ...service.args, ...urn("renamed") });
    await world.service.removePending(service.kept);
    expect(world.warnings.join("\n")).toContain("readers");
    expect(alive()).toHaveLength(2);
  });

  test("a replica set that Pulumi dropped with its service, which the server refuses to delete, is named by the error", async () => {
    const { service, set } = await made();
    fault({
      kind: "status",
      status: 409,
      body: { code: "CONFLICT", message: "the service has read replica sets" },
      operation: "deleteService",
      times: Infinity,
    });
    expect((await errorOf(world.service.removePending(service.kept))).fullMessage).toContain("readers");
    expect(alive().map(({ id }) => id)).toContain(set.kept.id);
  });
});

test("of one object under two providers, a protected one outlives a program without both, or was not adopted", async () => {
  const [one, other] = [world, world.elsewhere(underOtherName())];
  const nextRun = (): void => {
    const bus = createRunBus();
    for (const process of [one, other]) process.restart(bus.join());
  };
  nextRun();
  const args = { name: "orders", ...SMALL };
  let old = await one.service.create({ ...args, ...urn("old") });
  nextRun();
  const wanted = { ...args, ...urn("new"), adoptId: old.id, deletionProtection: true };
  const taken: Kept | undefined = await other.service.create(wanted).catch(() => undefined);
  old = await one.service.update(old, { ...args, ...urn("old") }).catch(() => old);
  nextRun();
  // Pulumi: with `--continue-on-error` it goes on after a delete that was refused; with `--parallel 1` one goes first.
  await one.service.removePending(old).catch(() => undefined);
  await (taken && other.service.removePending(taken).catch(() => undefined));
  const isAlive = services().some(({ id, status }) => id === old.id && status === "READY");
  expect([isAlive, taken === undefined]).not.toEqual([false, false]);
});

test("the old service of a replacement is not deleted while a replica set stays under it in the state (`ignoreChanges`)", async () => {
  const service = await make("service", { name: "orders", ...SMALL });
  const set = await earlier(make("readReplicaSet", setOf(service.kept)));
  const moved = { ...service.args, name: "moved", regionCode: "eu-west-1", allowReplace: true };
  expect(world.service.preview(service.kept, moved).replaces).toEqual(["regionCode"]);
  await world.service.create(moved).catch(() => undefined);
  // Pulumi: with `ignoreChanges` the set has the id of the old service for its input, whatever the program says.
  expect(world.readReplicaSet.preview(set.kept, set.args).replaces).toEqual([]);
  const refused = await errorOf(world.service.removePending(service.kept));
  expect(refused.message).toContain("readers");
  expect(world.requestsOf("deleteService")).toEqual([]);
  expect(alive().map(({ id }) => id)).toEqual(expect.arrayContaining([service.kept.id, set.kept.id]));
});

describe.each<[string, Values]>([
  ["deletionProtection: true", { deletionProtection: true }],
  ['environment: "PROD"', { environment: "PROD" }],
])("protection that comes with a replacement (%s)", (how, guard) => {
  const movedTo = { regionCode: "us-west-2", allowReplace: true, ...guard };

  test(`${how}, given with a replacement, is honored: nothing is deleted, made, or said to be deleted`, async () => {
    const held = await earlier(
      make("service", { name: "orders", ...SMALL, regionCode: "us-east-1", environment: "DEV" }),
    );
    await expect(world.service.replace(held.kept, { ...held.args, ...movedTo })).rejects.toThrow(/orders[^]*protected/);
    expect([world.calls(), /the old one is deleted/.test(world.warnings.join())]).toEqual([[], false]);
    expect(alive()).toEqual([{ kind: "service", id: held.kept.id }]);
  });
});
