// What an update owes after it was cut off: a stop that is still to come, a change that lands later, and one that the
// program takes back.

import { beforeEach, describe, expect, test } from "vitest";
import type { OperationName } from "../../emulator/index";
import type { Kept } from "../support/world";
import { sentOf } from "../../provider/core/state";
import type { Values } from "../../provider/domain/values/value";
import { done, earlier, fault, LARGE, MINUTE_MS, NET, refreshed, setOf, SMALL, urn, useWorld, world } from "./scene";

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
    expect([seen.outputs["__pending"], seen.outputs["__sent"]]).toEqual([left, left && "[]"]);
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
    expect(sentOf(cut.outputs)).toEqual([{ entry: "resize", values: LARGE, isAccepted: true }]);
    expect(sentOf((await refreshed(cut)).outputs)).toEqual(sentOf(cut.outputs));
    world.emulator.settle();
    world.nextRun();
    const seen = await refreshed(cut);
    expect([seen.outputs["__pending"], sentOf(seen.outputs)]).toEqual([["enablePooler"], []]);
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
    expect(sentOf((await refreshed(cut)).outputs)).toMatchObject([{ entry: "resize", isAccepted: true }]);
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
    expect(JSON.stringify([sentOf(cut.outputs), sentOf(seen.outputs)])).not.toContain("hunter2");
  });
});

test("a stop that is taken back is not still to do: the preview says what follows it", async () => {
  const args = { ...BEFORE, timeouts: { update: "30s" } };
  const kept = await done(world.service.create(args));
  fault({ kind: "stuck", status: "PAUSING", operation: "stop" });
  const cut = await world.service.update(kept, { ...args, paused: true });
  world.service.preview(cut, { ...args, paused: true });
  expect(world.warnings.at(-1)).toMatch(
    /an interrupted run sent stop, which the server has accepted; this run waits for it$/,
  );
  world.service.preview(cut, args);
  expect(world.warnings.at(-1)).toMatch(/sent stop, which the server has accepted; if it took effect, start follows$/);
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

// What a run has sent, and what the next one says and does about it.

const PLAIN = { name: "orders", regionCode: "us-east-1", ...SMALL, timeouts: { update: "1m" } };
const LARGER = { ...PLAIN, ...LARGE };
const TAGGED = { ...LARGER, environment: "PROD", deletionProtection: false };

const made = (more: Values = {}): Promise<Kept> => earlier(done(world.service.create({ ...PLAIN, ...more })));
const vpcNamed = async (name: string, cidr: string): Promise<string> =>
  (await world.vpc.create({ ...NET, name, cidr })).id;
const pausedByHand = async (): Promise<Kept> => {
  const kept = await made();
  world.emulator.mutate.service(kept.id, { paused: true });
  return earlier(refreshed(kept));
};

/** After a run that ended at this call: it was accepted and has landed since, it was refused, or it got no answer. */
async function cutAt(operation: OperationName, kept: Kept, args: Values, how?: "refused" | "lost"): Promise<Kept> {
  if (how === "refused") refuse(operation);
  const lost = how === "lost" ? fault({ kind: "lostBefore", operation, times: Infinity }) : undefined;
  if (how === undefined) fault({ kind: "stuck", status: "UPGRADING", operation });
  const cut = await world.service.update(kept, args);
  lost?.remove();
  expect(cut.failed).toBeDefined();
  world.emulator.settle();
  world.nextRun();
  return cut;
}

/** What a preview says, and what the run after it does. */
async function previewAndUp(kept: Kept, args: Values) {
  world.warnings.splice(0);
  const { operations } = world.service.preview(kept, args);
  const said = world.warnings.join("\n");
  world.nextRun();
  const { failed } = await world.service.update(kept, args);
  return { operations, said, failed, calls: world.calls() };
}

test.each([
  { now: "asked for", args: TAGGED, calls: ["resize"] },
  { now: "taken back", args: { ...TAGGED, ...SMALL }, calls: [] },
])("a step that no run has sent, and that is $now, is not waited for after a refresh", async ({ args, calls }) => {
  const cut = await cutAt("setEnvironment", await made({ environment: "DEV" }), TAGGED);
  expect(await previewAndUp(await refreshed(cut), args)).toMatchObject({ failed: undefined, calls, operations: calls });
});

test("a service that somebody paused is stopped again, even if two runs in a row end early", async () => {
  const args = { ...LARGER, poolerEnabled: true };
  const first = await cutAt("resize", await pausedByHand(), args, "refused");
  const second = await cutAt("enablePooler", first, args, "refused");
  await done(world.service.update(second, args));
  expect(world.emulator.state().services[0]?.status).toBe("PAUSED");
});

test.each([
  { now: "is taken back", isBack: true, calls: ["attachToVPC"] },
  { now: "leads to none", isBack: false, calls: [] },
])("a move to another VPC that ended at its detach, and now $now, goes on from there", async ({ isBack, calls }) => {
  const [one, two] = [await vpcNamed("one", "10.1.0.0/24"), await vpcNamed("two", "10.2.0.0/24")];
  const cut = await cutAt("detachFromVPC", await made({ vpcId: one }), { ...PLAIN, vpcId: two });
  const args = isBack ? { ...PLAIN, vpcId: one } : PLAIN;
  expect(await previewAndUp(cut, args)).toMatchObject({ failed: undefined, calls });
});

test("a start for a change, at which a run ended, is not sent again where the program now wants it started", async () => {
  const cut = await cutAt("start", await made({ paused: true }), { ...LARGER, paused: true });
  expect(await previewAndUp(cut, { ...LARGER, paused: false })).toMatchObject({ failed: undefined, calls: ["resize"] });
});

test("a service stays in a VPC that only somebody else has named, after an attach without an answer that the program gives up", async () => {
  const [ours, theirs] = [await vpcNamed("ours", "10.1.0.0/24"), await vpcNamed("theirs", "10.2.0.0/24")];
  const cut = await cutAt("attachToVPC", await made(), { ...LARGER, vpcId: ours }, "lost");
  world.emulator.mutate.service(cut.id, { vpcId: theirs });
  expect((await previewAndUp(cut, LARGER)).failed).toContain("moved outside Pulumi");
  expect(world.emulator.state().services[0]?.vpcId).toBe(theirs);
});

test.each([409, 400])(
  "a resize that was answered %i and took effect is undone when it is taken back",
  async (status) => {
    const kept = await made();
    Object.assign(world.emulator.settings.timings, { resize: 30 * MINUTE_MS });
    fault({ kind: "status", status, operation: "resize", commit: true });
    const cut = await world.service.update(kept, { ...LARGER, name: "bills" });
    expect(cut.failed).toContain("UPGRADING");
    world.emulator.settle();
    Object.assign(world.emulator.settings.timings, { resize: 0 });
    world.nextRun();
    await done(world.service.update(cut, { ...PLAIN, name: "bills" }));
    expect(world.emulator.state().services[0]).toMatchObject(SMALL);
  },
);

test("a refused call was not sent, whatever the run had done before it", async () => {
  const vpcId = await vpcNamed("ours", "10.1.0.0/24");
  const cut = await cutAt("attachToVPC", await made(), { ...LARGER, name: "bills", vpcId }, "refused");
  const again = await previewAndUp(cut, { ...LARGER, name: "bills" });
  expect(again).toMatchObject({ failed: undefined, operations: again.calls });
  expect(again.calls).not.toContain("renameService");
  expect(again.said).not.toContain("interrupted run sent");
});

test("a set whose update failed after its service moved gets its new address in the next run", async () => {
  const vpcId = await vpcNamed("one", "10.1.0.0/24");
  const owner = await done(world.service.create({ ...PLAIN, ...urn("orders") }));
  const args = { ...setOf(owner), ...urn("readers"), timeouts: { update: "1m" } };
  const set = await earlier(done(world.readReplicaSet.create(args)));
  const placed = { ...PLAIN, vpcId, ...urn("orders") };
  const moved = await done(world.service.update(owner, placed));
  const outage = fault({ kind: "status", status: 503, times: Infinity });
  const left = await world.readReplicaSet.update(set, args);
  outage.remove();
  world.nextRun();
  await world.service.update(moved, placed);
  const { outputs } = await done(world.readReplicaSet.update(left, args));
  expect(outputs["host"]).not.toBe(set.outputs["host"]);
});

test.each([
  { cut: "a rename", by: "renameService", first: { name: "bills" }, now: { name: "bills" } },
  { cut: "a start that is taken back", by: "start", first: LARGE, now: {} },
] as const)("the preview after $cut names the stop that follows", async ({ by, first, now }) => {
  const cut = await cutAt(by, await pausedByHand(), { ...PLAIN, ...first });
  const { operations, said, calls } = await previewAndUp(cut, { ...PLAIN, ...now });
  expect(calls).toEqual(["stop"]);
  expect([...operations, said].join()).toMatch(/^stop|if it took effect, stop follows/);
  expect(said).not.toContain("left as it is");
});

test("the preview after an accepted attach names the detach, where the program names another VPC now", async () => {
  const [one, two] = [await vpcNamed("one", "10.1.0.0/24"), await vpcNamed("two", "10.2.0.0/24")];
  const cut = await cutAt("attachToVPC", await made(), { ...PLAIN, vpcId: one });
  const { said, calls } = await previewAndUp(cut, { ...PLAIN, vpcId: two });
  expect(calls).toEqual(["detachFromVPC", "attachToVPC"]);
  expect(said).toContain("sent attachToVPC, which the server has accepted; if it took effect, detachFromVPC follows");
});

test("the preview after an accepted stop names the start for a new change", async () => {
  const cut = await cutAt("stop", await made({ paused: false }), { ...PLAIN, paused: true });
  const { said, calls } = await previewAndUp(cut, { ...LARGER, paused: true });
  expect(calls).toEqual(["start", "resize", "stop"]);
  expect(said).toContain("sent stop, which the server has accepted; if it took effect, start follows");
});

test("a preview does not say that a step was sent which no run has tried", async () => {
  const cut = await cutAt("resize", await made({ poolerEnabled: false }), { ...LARGER, poolerEnabled: true });
  expect((await previewAndUp(await refreshed(cut), { ...LARGER, poolerEnabled: false })).said).not.toContain(
    "sent enablePooler",
  );
});

test.each([
  { what: "a refused stop", by: "stop", args: LARGER, how: "refused", calls: ["stop"] },
  { what: "a stop", by: "stop", args: LARGER, how: undefined, calls: [] },
  { what: "a tag", by: "setEnvironment", args: { ...TAGGED, ...SMALL }, how: undefined, calls: [] },
] as const)("an equal program after $what that was cut off sends what its preview says", async (one) => {
  const kept = one.by === "stop" ? await pausedByHand() : await made({ environment: "DEV" });
  const cut = await cutAt(one.by, kept, one.args, one.how);
  expect(await previewAndUp(cut, one.args)).toMatchObject({ operations: one.calls, calls: one.calls });
});

test("what follows in any case is not said to follow if the owed step took effect", async () => {
  const kept = await made({ password: "correct horse" });
  const cut = await cutAt("updatePassword", kept, { ...PLAIN, name: "bills", password: "battery staple" });
  const { said } = await previewAndUp(cut, { ...PLAIN, name: "carts" });
  expect(said).toMatch(/sent updatePassword, which the server has accepted; it may still take effect$/);
});

test("the plugin's preview does not show as known what an accepted change may still set", async () => {
  const { cpuMillis: _, memoryGbs: __, ...less } = PLAIN;
  const cut = await cutAt("resize", await made(), LARGER);
  const [front, call] = [world.front("service"), { urn: String(cut.outputs["__urn"]) }];
  const { inputs } = await front.check(call, cut.inputs, less);
  const shown = await front.update(call, cut.id, cut.outputs, cut.inputs, inputs, true);
  const { outs } = await front.update(call, cut.id, cut.outputs, cut.inputs, inputs, false);
  expect(outs["cpuMillis"]).toBe(LARGE.cpuMillis);
  expect(shown.outs["cpuMillis"]).not.toBe(SMALL.cpuMillis);
});

test("one stale read does not tell a refresh that a paused service runs, if the program leaves out `paused`", async () => {
  const seen = await pausedByHand();
  fault({ kind: "members", members: { status: { value: "READY" } }, ids: [seen.id], times: 1 });
  expect((await refreshed(seen)).outputs).toMatchObject({ paused: true, status: "PAUSED" });
});

// Calls of several interrupted runs.

/** The effect of the call shows so late that the run ends before. */
const cutLate = async (kept: Kept, args: Values): Promise<Kept> => {
  world.emulator.settings.stale.ms = 600_000;
  return earlier(world.service.update(kept, args));
};
const cutByRefusal = (operation: OperationName, kept: Kept, args: Values): Promise<Kept> => {
  refuse(operation);
  return earlier(world.service.update(kept, args));
};
const showAll = async (): Promise<void> => {
  await world.clock.sleep(20 * MINUTE_MS);
  world.emulator.settings.stale.ms = 0;
};

test("a password whose call lost its answers is taken back, also after a run that ended at another call", async () => {
  const kept = await made({ password: "correct horse" });
  const lost = fault({ kind: "lostAfter", operation: "updatePassword", times: Infinity });
  const first = await earlier(world.service.update(kept, { ...PLAIN, password: "battery staple" }));
  lost.remove();
  const args = { ...PLAIN, name: "bills", password: "correct horse" };
  await done(world.service.update(await cutByRefusal("renameService", first, args), args));
  expect(world.emulator.state().services[0]?.password).toBe("correct horse");
});

test("an attach that shows late is taken back, also after a run that ended at another call", async () => {
  const first = await cutLate(await made(), { ...PLAIN, vpcId: await vpcNamed("one", "10.1.0.0/24") });
  const args = { ...PLAIN, name: "bills" };
  const second = await cutByRefusal("renameService", first, args);
  await showAll();
  expect(await previewAndUp(second, args)).toMatchObject({
    failed: undefined,
    calls: ["renameService", "detachFromVPC"],
  });
});

test.each([
  { how: "refused once", second: PLAIN, refused: true },
  { how: "waited for in vain", second: LARGER, refused: false },
])("a resize that shows late is taken back, also after that was $how", async ({ second, refused }) => {
  const first = await cutLate(await made(), LARGER);
  const cut = await (refused ? cutByRefusal("resize", first, second) : earlier(world.service.update(first, second)));
  await done(world.service.update(cut, { ...PLAIN, timeouts: { update: "30m" } }));
  await showAll();
  expect(world.emulator.state().services[0]).toMatchObject(SMALL);
});

test("a call that was waited for in vain, and is sent again, is told once", async () => {
  const cut = await earlier(world.service.update(await cutLate(await made(), LARGER), LARGER));
  world.warnings.splice(0);
  world.service.preview(cut, LARGER);
  expect(world.warnings).toEqual([
    expect.stringMatching(/service; an interrupted run sent resize; it is sent again, unless it took effect$/),
  ]);
});

test("a resize that a later run has seen land is over, whatever somebody does after that", async () => {
  const first = await cutLate(await made(), LARGER);
  await showAll();
  const second = await cutByRefusal("renameService", first, { ...LARGER, name: "bills" });
  world.emulator.mutate.service(second.id, SMALL);
  expect(await previewAndUp(second, { ...PLAIN, name: "bills" })).toMatchObject({
    failed: undefined,
    calls: ["renameService"],
  });
});

test("what a landed call has ended is not in the state, also where a later call ends the run", async () => {
  const vpcId = await vpcNamed("one", "10.1.0.0/24");
  const cut = await cutAt("updatePassword", await made({ vpcId }), { ...PLAIN, password: "correct horse" });
  expect(world.service.preview(cut, { ...PLAIN, vpcId }).operations).toEqual(["attachToVPC"]);
});

test("a call with more members than the accepted one is sent", async () => {
  const cut = await cutAt("setHA", await made(), { ...PLAIN, haReplicas: { replicaCount: 2 } });
  const args = { ...PLAIN, haReplicas: { replicaCount: 2, syncReplicaCount: 1 } };
  expect(await previewAndUp(cut, args)).toMatchObject({ failed: undefined, calls: ["setHA"] });
});

test("a setHA that a refresh has seen land is over, although a read shows more members than it has sent", async () => {
  const cut = await cutAt("setHA", await pausedByHand(), { ...PLAIN, haReplicas: { replicaCount: 2 } });
  const { said, calls } = await previewAndUp(await refreshed(cut), { ...PLAIN, haReplicas: { replicaCount: 2 } });
  expect(calls).toEqual(["stop"]);
  expect(said).toContain("still to do after an interrupted run: stop");
  expect(said).not.toContain("setHA");
});

describe("the state of an older version names what is owed, and not what was sent", () => {
  const older = ({ outputs, ...kept }: Kept, pending: string): Kept => {
    const { __sent: _, ...rest } = outputs;
    return { ...kept, outputs: { ...rest, __pending: [pending] } };
  };

  test.each([
    { operation: "resize", undone: "resize" },
    { operation: "attachToVPC", undone: "detachFromVPC" },
  ] as const)("$operation that is taken back is undone", async ({ operation, undone }) => {
    const change = operation === "resize" ? LARGE : { vpcId: await vpcNamed("one", "10.1.0.0/24") };
    const cut = older(await cutAt(operation, await made(), { ...PLAIN, ...change }), operation);
    expect(await previewAndUp(cut, PLAIN)).toMatchObject({ failed: undefined, calls: [undone] });
  });

  test("an owed wait is no call", async () => {
    world.service.preview(older(await made(), "settle"), PLAIN);
    expect(world.warnings.join()).toContain("still to do after an interrupted run: the wait until it is settled");
    expect(world.warnings.join()).not.toContain("sent settle");
  });
});
