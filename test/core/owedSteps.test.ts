// What an update owes after it was cut off: a stop that is still to come, a change that lands later, and one that the
// program takes back.

import { beforeEach, describe, expect, test } from "vitest";
import type { OperationName } from "../../emulator/index";
import type { Kept } from "../support/world";
import type { Values } from "../../provider/domain/values/value";
import { done, earlier, fault, LARGE, NET, refreshed, SMALL, urn, useWorld, world } from "./scene";

useWorld();

const refuse = (operation: OperationName): unknown => fault({ kind: "status", status: 403, operation });

describe("a service that is stopped, although the program says nothing of that", () => {
  const args = { name: "orders", ...LARGE, timeouts: { update: "1m" } };

  let first: Kept;
  beforeEach(async () => {
    const kept = await world.service.create({ ...args, ...SMALL });
    world.emulator.mutate.service(kept.id, { paused: true });
    const seen = await refreshed(kept);
    world.calls();
    refuse("resize");
    first = await world.service.update(seen, args);
  });
  const isStopped = (): boolean => world.emulator.state().services[0]?.status === "PAUSED";

  test("is stopped again by the next run, even if the change is taken back, and by the one after a stuck one", async () => {
    expect(first.failed).toContain("done: start");
    expect(first.outputs["__pending"]).toEqual(["resize", "stop again"]);
    expect(isStopped()).toBe(false);

    world.restart();
    world.emulator.mutate.service(first.id, { status: "REBALANCING" });
    const second = await world.service.update(first, args);
    expect(second.failed).toContain("REBALANCING");
    expect(second.outputs["__pending"]).toEqual(["resize", "stop again"]);

    world.restart();
    world.emulator.mutate.service(first.id, { status: "READY" });
    world.calls();
    const third = await world.service.update(second, { ...args, ...SMALL });
    expect(world.calls()).toEqual(["stop"]);
    expect([third.failed, isStopped()]).toEqual([undefined, true]);
  });

  test("stays started where the program now says so", async () => {
    world.restart();
    const next = await world.service.update(first, { ...args, paused: false });
    expect([next.failed, isStopped()]).toEqual([undefined, false]);
    expect(world.calls()).toEqual(["start", "resize", "resize"]);
  });
});

test("a stop after a change is owed while a refresh still shows the service paused, as before the start", async () => {
  const before = { name: "orders", ...SMALL, paused: true, timeouts: { update: "10m" } };
  const after = { ...before, haReplicas: { replicaCount: 1 } };
  const kept = await earlier(done(world.service.create(before)));
  world.emulator.settings.stale.ms = 60_000;
  world.onRequest(({ operation }) => void (operation === "start" && world.endEngine()));
  const cut = await world.service.update(kept, after);
  world.onRequest(() => undefined);
  world.nextRun();
  const seen = await refreshed(cut);
  expect(seen.outputs).toMatchObject({ paused: true, __pending: ["start", "setHA", "stop again"] });
  world.emulator.settle();
  world.nextRun();
  const next = await world.service.update(seen, after);
  expect([next.failed, world.calls(), next.outputs["paused"]]).toEqual([undefined, ["setHA", "stop"], true]);
});

test("a stop that was asked for, refused and taken back is not owed", async () => {
  const before = { name: "orders", ...SMALL };
  const kept = await world.service.create(before);
  refuse("stop");
  const first = await world.service.update(kept, { ...before, ...LARGE, paused: true });
  expect(first.outputs["__pending"]).toEqual(["stop"]);
  world.nextRun();
  const next = await world.service.update(first, before);
  expect(next.failed).toBeUndefined();
  expect(world.calls()).toEqual(["resize"]);
});

const BEFORE = { name: "orders", regionCode: "us-east-1", ...SMALL, poolerEnabled: false, paused: false };

test.each([
  { change: LARGE, operation: "resize", undone: ["resize"] },
  { change: { poolerEnabled: true }, operation: "enablePooler", undone: ["disablePooler"] },
  { change: { paused: true }, operation: "stop", undone: ["start"] },
  { change: { vpcId: "" }, operation: "attachToVPC", undone: ["detachFromVPC"] },
] as const)(
  "$operation that was cut off, lands later and is taken back is undone",
  async ({ change, operation, undone }) => {
    const args = { ...BEFORE, timeouts: { update: "30s" } };
    const kept = await world.service.create(args);
    const placed = "vpcId" in change ? { vpcId: (await world.vpc.create(NET)).id } : change;
    fault({ kind: "stuck", status: "UPGRADING", operation });
    const cut = await world.service.update(kept, { ...args, ...placed });
    expect(cut.failed).toContain(`accepted, not yet seen: ${operation};`);
    world.emulator.settle();
    world.nextRun();
    const back = await world.service.update(cut, args);
    expect([back.failed, world.calls()]).toEqual([undefined, undone]);
    expect(back.outputs).toMatchObject(args);
    const [service] = world.emulator.state().services;
    expect(service).toMatchObject({ cpuMillis: 500, poolerEnabled: false, status: "READY" });
    expect(service?.vpcId).toBeUndefined();
  },
);

test("a call that takes back one without effect is done once the service has settled after it", async () => {
  const args = { ...BEFORE, timeouts: { update: "30s" } };
  const kept = await world.service.create(args);
  fault({ kind: "stuck", status: "UPGRADING", operation: "enablePooler" });
  const cut = await world.service.update(kept, { ...args, poolerEnabled: true });
  world.emulator.settle();
  world.emulator.mutate.service(kept.id, { poolerEnabled: false });
  world.emulator.settings.stale.ms = 2_000;
  world.nextRun();
  const back = await world.service.update(cut, args);
  expect([back.failed, world.calls()]).toEqual([undefined, ["disablePooler"]]);
  expect(world.emulator.state().services[0]?.status).toBe("READY");
});

test("a call that was never sent is not taken back: what somebody else did instead stays", async () => {
  const [ours, theirs] = [await world.vpc.create(NET), await world.vpc.create({ ...NET, name: "theirs" })];
  const args = { name: "orders", regionCode: "us-east-1", timeouts: { update: "30s" } };
  const kept = await world.service.create(args);
  refuse("setEnvironment");
  const cut = await world.service.update(kept, { ...args, name: "bills", environment: "PROD", vpcId: ours.id });
  expect(cut.outputs["__pending"]).toEqual(["setEnvironment", "attachToVPC"]);
  world.emulator.mutate.service(kept.id, { vpcId: theirs.id });
  world.nextRun();
  const back = await world.service.update(cut, { ...args, name: "bills" });
  expect([back.failed, world.calls()]).toEqual([undefined, []]);
  expect(world.emulator.state().services[0]?.vpcId).toBe(theirs.id);
});

test("a plain preview may repeat what landed, and a refreshed one is exact", async () => {
  const before = { name: "orders", ...SMALL, environment: "DEV", timeouts: { update: "1m" } };
  const after = { ...before, ...LARGE, environment: "PROD", poolerEnabled: true };
  const kept = await world.service.create(before);
  refuse("enablePooler");
  const first = await world.service.update(kept, after);
  // Pulumi: after a failed update the engine keeps the old inputs.
  expect(world.service.preview(first, after).properties).toHaveLength(4);
  expect(world.service.preview(first, after).operations).toEqual(["enablePooler"]);
  const seen = await refreshed(first);
  expect(world.service.preview(seen, after)).toMatchObject({ properties: ["poolerEnabled"], changes: undefined });
  world.calls();
  const whole = await world.service.update(seen, after);
  expect(world.calls()).toEqual(["enablePooler"]);
  expect(world.service.preview(whole, after)).toMatchObject({ properties: [], changes: undefined });
});

describe("a step that landed after its run ended", () => {
  const before = { ...BEFORE, timeouts: { update: "5s" } };
  const changes = [
    { change: LARGE, operation: "resize" },
    { change: { haReplicas: { replicaCount: 1 } }, operation: "setHA" },
    { change: { poolerEnabled: true }, operation: "enablePooler" },
    { change: { paused: true }, operation: "stop" },
    { change: { vpcId: "" }, operation: "attachToVPC" },
  ] as const;

  async function cutOff({ change, operation }: (typeof changes)[number]): Promise<{ cut: Kept; args: Values }> {
    const args = { ...before, ...("vpcId" in change ? { vpcId: (await world.vpc.create(NET)).id } : change) };
    const kept = await done(world.service.create({ ...before, timeouts: {} }));
    fault({ kind: "stuck", status: "UPGRADING", operation });
    const cut = await world.service.update(kept, args);
    expect(cut.outputs["__pending"]).toContain(operation);
    world.emulator.settle();
    world.nextRun();
    return { cut, args };
  }

  test.each(changes)("is dropped by the refresh that sees it: $operation", async (one) => {
    const { cut, args } = await cutOff(one);
    const seen = await refreshed(cut);
    const left = one.operation === "attachToVPC" ? ["addresses moved"] : undefined;
    expect([seen.outputs["__pending"], seen.outputs["__owed"] === undefined]).toEqual([left, left === undefined]);
    const { properties, operations } = world.service.preview(seen, args);
    expect([properties, operations]).toEqual([[], []]);
    const seconds = await world.secondsOf(() => done(world.service.update(seen, args)));
    expect([seconds < 3, world.calls()]).toEqual([true, []]);
  });

  test("leaves the next one, which the server has not accepted", async () => {
    const kept = await done(world.service.create({ ...before, timeouts: {} }));
    fault({ kind: "stuck", status: "UPGRADING", operation: "resize" });
    const args = { ...before, ...LARGE, poolerEnabled: true };
    const cut = await world.service.update(kept, args);
    expect(cut.outputs).toMatchObject({ __pending: ["resize", "enablePooler"], __accepted: true });
    expect((await refreshed(cut)).outputs["__accepted"]).toBe(true);
    world.emulator.settle();
    world.nextRun();
    const seen = await refreshed(cut);
    expect([seen.outputs["__pending"], seen.outputs["__accepted"]]).toEqual([["enablePooler"], undefined]);
    await done(world.service.update(seen, args));
    expect(world.calls()).toEqual(["enablePooler"]);
  });

  test("stays accepted where a read does not show its value", async () => {
    const kept = await done(world.service.create({ ...before, timeouts: {} }));
    fault({ kind: "stuck", status: "UPGRADING", operation: "resize" });
    const cut = await world.service.update(kept, { ...before, ...LARGE });
    world.emulator.settle();
    world.nextRun();
    fault({ kind: "members", members: { "resources.spec": "absent" }, times: Infinity });
    expect((await refreshed(cut)).outputs).toMatchObject({ __pending: ["resize"], __accepted: true });
  });

  test("or has not landed is done within a short time limit", async () => {
    const kept = await done(world.service.create({ ...before, timeouts: {} }));
    refuse("resize");
    const cut = await world.service.update(kept, { ...before, ...LARGE, name: "bills" });
    expect(cut.outputs["__pending"]).toEqual(["resize"]);
    expect((await refreshed(cut)).outputs["__pending"]).toEqual(["resize"]);
    world.emulator.settings.timings.resize = 500;
    world.nextRun();
    const next = await done(world.service.update(cut, { ...before, ...LARGE, name: "bills" }));
    expect([next.outputs["__pending"], world.calls()]).toEqual([undefined, ["resize"]]);
  });

  test("is not a password, which no read shows", async () => {
    const kept = await done(world.service.create({ ...before, timeouts: {} }));
    refuse("updatePassword");
    const cut = await world.service.update(kept, { ...before, name: "bills", password: "hunter2-hunter2" });
    const seen = await refreshed(cut);
    expect(seen.outputs["__pending"]).toEqual(["updatePassword"]);
    expect(JSON.stringify([cut.outputs["__owed"], seen.outputs["__owed"]])).not.toContain("hunter2");
  });
});

test("a stop that is taken back is not still to do: the preview says what follows it", async () => {
  const args = { ...BEFORE, timeouts: { update: "30s" } };
  const kept = await done(world.service.create(args));
  fault({ kind: "stuck", status: "PAUSING", operation: "stop" });
  const cut = await world.service.update(kept, { ...args, paused: true });
  world.service.preview(cut, { ...args, paused: true });
  expect(world.warnings.at(-1)).toMatch(
    /still to do after an interrupted run: the wait for stop, which the server has accepted$/,
  );
  world.service.preview(cut, args);
  expect(world.warnings.at(-1)).toMatch(
    /sent stop, which the program no longer asks for; if it took effect, start follows/,
  );
  expect(world.warnings.at(-1)).not.toContain("still to do");
});

test("a create that ended while it waited says what follows, in its error and in the next preview, as the run then does", async () => {
  const args = { name: "orders", ...SMALL, poolerEnabled: true, password: "correct horse", timeouts: { create: "5s" } };
  world.emulator.settings.timings.create = 60_000;
  const kept = await world.service.create(args);
  expect(kept.failed).toContain("not tried: enablePooler, updatePassword");
  world.restart();
  const longer = { ...args, timeouts: { create: "5s", update: "10m" } };
  world.service.preview(kept, longer);
  expect(world.warnings.join()).toContain(
    "still to do after an interrupted run: the wait until it is settled, enablePooler, updatePassword",
  );
  world.calls();
  expect((await world.service.update(kept, longer)).failed).toBeUndefined();
  expect(world.calls()).toEqual(["enablePooler", "updatePassword"]);
});

const HIDDEN = { notFoundAfterCreate: { ms: 100_000 }, listLag: { ms: 100_000 } };
const ALL = {
  ...urn("orders"),
  ...SMALL,
  name: "orders",
  regionCode: "us-east-1",
  environment: "DEV",
  haReplicas: { replicaCount: 1 },
  poolerEnabled: true,
  timeouts: { create: "30s" },
};

test("the preview after a create that no read has shown names only what the run then sends", async () => {
  Object.assign(world.emulator.settings, HIDDEN);
  const kept = await world.service.create(ALL);
  world.restart();
  const longer = { ...ALL, timeouts: { create: "30s", update: "10m" } };
  world.service.preview(kept, longer);
  expect(world.warnings.join()).toMatch(/the wait until it is settled, enablePooler$/);
  world.calls();
  await done(world.service.update(kept, longer));
  expect(world.calls()).toEqual(["enablePooler"]);
});

test("the error of a create that an error hook calls again lists only what the create did not set", async () => {
  Object.assign(world.emulator.settings, HIDDEN);
  await world.service.create(ALL);
  expect((await world.service.again.create(ALL)).failed).toMatch(/not tried: enablePooler\n/);
});
