// A refusal: ridden out while something is under way, tried a few times more where nothing is, and then told, with what is
// to change in the program where the same value would be refused again.

import { beforeEach, describe, expect, test } from "vitest";
import type { FaultScope, OperationName } from "../../emulator/index";
import { textLike, textWith } from "../support/matchers";
import type { Kept } from "../support/world";
import { done, earlier, errorOf, fault, LARGE, MINUTE_MS, NET, PEER, setOf, SMALL, useWorld, world } from "./scene";

useWorld();

type How = Omit<Partial<FaultScope>, "operation"> & { status?: number; code?: string };

const refuse = (operation: OperationName, message: string, { code = "CONFLICT", ...more }: How = {}) =>
  fault({
    kind: "status",
    status: 409,
    body: { code, message },
    operation,
    times: Infinity,
    ...more,
  });

/** The value is at fault: the same one would be refused again. */
const refuseValue = (operation: OperationName, words: string, status = 400) =>
  refuse(operation, words, { status, code: "INVALID_REQUEST" });

const forTenMinutes = (): { untilMs: number; match: (request: { at: number }) => boolean } => {
  const untilMs = world.clock.now() + 10 * MINUTE_MS;
  return { untilMs, match: ({ at }) => at < untilMs };
};

const ORDERS = { name: "orders", ...SMALL };

/** A half-made object is an error here. */
async function completed(work: Promise<Kept | void>): Promise<void> {
  const kept = await work;
  if (kept?.failed !== undefined) throw new Error(kept.failed);
}

let made: Record<"service" | "vpc" | "emptyVpc" | "peering", Kept>;
const ACTS: [OperationName, () => Promise<Kept | void>][] = [
  ["resize", () => world.service.update(made.service, { ...ORDERS, ...LARGE })],
  ["createReplicaSet", () => world.readReplicaSet.create(setOf(made.service))],
  ["forkService", () => world.service.create({ forkFrom: { serviceId: made.service.id, strategy: "NOW" } })],
  ["createPeering", () => world.peering.create({ vpcId: made.vpc.id, ...PEER, peerVpcId: "vpc-2" })],
  ["deleteService", () => world.service.remove(made.service)],
  ["deleteVpc", () => world.vpc.remove(made.emptyVpc)],
  ["deletePeering", () => world.peering.remove(made.peering)],
];

describe.each(ACTS)("%s", (operation, act) => {
  beforeEach(async () => {
    const vpc = await world.vpc.create(NET);
    made = {
      service: await world.service.create(ORDERS),
      vpc,
      emptyVpc: await world.vpc.create({ ...NET, name: "empty" }),
      peering: await world.peering.create({ vpcId: vpc.id, ...PEER }),
    };
    world.emulator.clearRequests();
  });

  test.each([409, 423])("refused with %i for good ends soon with words, count, time and remedy", async (status) => {
    refuse(operation, "limit of the plan reached", { status });
    const words = /limit of the plan reached.*refused 7 times in [\d.]+ m?s while no change to it was under way/;
    const refused = (): Promise<void> => expect(completed(act())).rejects.toThrow(words);
    expect(await world.secondsOf(refused)).toBeLessThan(45);
    const sends = world.requestsOf(operation).map(({ at }) => at);
    expect(sends.length).toBeGreaterThan(3);
    expect(sends.length).toBeLessThanOrEqual(10);
    const pauses = sends.slice(1).map((at, index) => at - (sends[index] ?? 0));
    expect(pauses.at(-1)).toBeGreaterThan(pauses[0] ?? 0);
    expect(world.progress).toContainEqual(textWith("limit of the plan reached; waiting"));
  });

  test("refused three times, and busy by the server's own words for ten minutes, is ridden out", async () => {
    const { untilMs, match } = forTenMinutes();
    refuse(operation, "please try again", { times: 3 });
    refuse(operation, "Already being updated", { match });
    await completed(act());
    expect(world.clock.now()).toBeGreaterThanOrEqual(untilMs);
  });
});

describe.each([400, 409])("a delete that is refused with %i for good", (status) => {
  test("names what is in a service, and what to do about it", async () => {
    const kept = await world.service.create(ORDERS);
    const set = await earlier(world.readReplicaSet.create(setOf(kept)));
    refuse("deleteService", "it has read replica sets", { status });
    const beganMs = world.clock.now();
    // Each once, although the service and the list of the project both show it.
    expect(await errorOf(world.service.remove(kept))).toMatchObject({
      message: textLike(
        new RegExp(
          `it has read replica sets; nothing was deleted, because objects that stay are in it: read replica set "readers" \\(${set.id}[^"]*$`,
        ),
      ),
      hint: textWith("Delete these objects"),
    });
    expect(world.clock.now() - beganMs).toBeLessThan(30_000);
    expect(world.emulator.state().services).toMatchObject([{ status: "READY" }]);
  });

  test("names the way out where no list shows why: a peering that the peer has rejected", async () => {
    const vpc = await world.vpc.create(NET);
    const kept = await world.peering.create({ vpcId: vpc.id, ...PEER });
    refuse("deletePeering", "a rejected peering cannot be deleted", { status });
    expect(await errorOf(world.peering.remove(kept))).toMatchObject({
      message: textWith(`${status} CONFLICT a rejected peering cannot be deleted; nothing was deleted`),
      hint: textWith("`pulumi state delete` with its URN"),
    });
    // The VPC names it, and what to do about it.
    expect(await errorOf(world.vpc.remove(vpc))).toMatchObject({
      message: textWith(`because objects that stay are in it: a peering with vpc-1`),
      hint: textWith("Delete these objects"),
    });
  });
});

test("an object that is seen unsettled is busy, whatever the words of the refusal", async () => {
  const kept = await world.service.create(ORDERS);
  const { untilMs, match } = forTenMinutes();
  refuse("resize", "not now", { match });
  world.onRequest(({ at }) => {
    world.emulator.mutate.service(kept.id, at < untilMs ? { status: "OPTIMIZING" } : { status: "READY" });
    if (at >= untilMs) world.onRequest(() => undefined);
  });
  await done(world.service.update(kept, { ...ORDERS, ...LARGE }));
  expect(world.clock.now()).toBeGreaterThanOrEqual(untilMs);
});

test.each<[string, () => Promise<unknown>]>([
  ['vpcId: there is no VPC "nobody0000"', () => world.peering.create({ vpcId: "nobody0000", ...PEER })],
  [
    'forkFrom.serviceId: there is no service "nobody0000"',
    () => world.service.create({ name: "copy", forkFrom: { serviceId: "nobody0000", strategy: "NOW" } }),
  ],
  ['serviceId: there is no service "nobody0000"', () => world.readReplicaSet.create(setOf({ id: "nobody0000" }))],
])("an id that leads nowhere is an error of its property: %s", async (words, act) => {
  expect(await errorOf(act())).toMatchObject({
    code: "INPUT",
    message: textWith(words),
    hint: textWith("Give the id"),
  });
  expect(world.emulator.state()).toMatchObject({ services: [], peerings: [], replicaSets: [] });
});

test.each<[OperationName, number, string, object, RegExp]>([
  ["updatePassword", 400, "the password is too weak", { password: "abc" }, /^Change `password`/],
  ["setHA", 422, "replica_count", { haReplicas: { replicaCount: 2, syncReplicaCount: 1 } }, /^Change `haReplicas`/],
  // Words about something else, and a refusal for another reason.
  ["setHA", 400, "the plan is too small", { haReplicas: { replicaCount: 2, syncReplicaCount: 1 } }, /^(?!Change )/],
  ["enablePooler", 400, "not in this region", { poolerEnabled: true }, /^(?!Change )/],
  ["updatePassword", 403, "the password is not yours", { password: "correct horse" }, /^(?!Change )/],
])("%s, refused with %i after a create, names what is to change: %s", async (operation, status, said, more, words) => {
  refuseValue(operation, said, status);
  const { failed = "" } = await world.service.create({ ...ORDERS, ...more });
  expect(failed).toContain(`\nfailed: ${operation}\n`);
  expect(failed.split("\n").at(-2)).toMatch(/continues from here/);
  expect(failed.split("\n").at(-3)).toMatch(words);
});

test("an update that changed nothing names each property of the refused call", async () => {
  const kept = await world.service.create(ORDERS);
  refuseValue("resize", "no such pair of CPU millis and memory");
  const { fullMessage } = await errorOf(world.service.update(kept, { ...ORDERS, ...LARGE }));
  expect(fullMessage).toMatch(/is as it was[^]*Change `cpuMillis` or `memoryGbs`/);
});

test("a VPC that is not there names the id to give, and what became of the service", async () => {
  const vpcId = "network";
  const atCreate = await errorOf(world.service.create({ name: "orders", vpcId }));
  expect(atCreate).toMatchObject({
    message: textLike(/no VPC "network" .*was not created$/),
    hint: textWith("`network.vpcId`"),
  });
  world.restart();
  const kept = await world.service.create({ name: "orders" });
  const atUpdate = await errorOf(world.service.update(kept, { name: "orders", vpcId }));
  expect(atUpdate.message).toMatch(/nothing was changed$/);
});

test("a VPC in another region names what the program can change, and neither makes nor moves the service", async () => {
  const { id: vpcId } = await world.vpc.create({ ...NET, regionCode: "eu-west-1" });
  const near = await world.vpc.create({ ...NET, name: "near" });
  const kept = await world.service.create({ name: "parent", regionCode: "us-east-1", vpcId: near.id });
  world.calls();
  const forkFrom = { serviceId: kept.id, strategy: "NOW" };
  const create = errorOf(world.service.create({ name: "orders", regionCode: "us-east-1", vpcId }));
  expect(await create).toMatchObject({
    message: textLike(/in eu-west-1, the service in us-east-1; the service was not created$/),
    hint: textWith("VPC of its own region"),
  });
  const fork = errorOf(world.service.create({ name: "copy", forkFrom, vpcId }));
  expect(await fork).toMatchObject({ message: textLike(/the service in us-east-1/) });
  const update = errorOf(world.service.update(kept, { name: "parent", vpcId }));
  expect(await update).toMatchObject({
    message: textLike(/nothing was changed$/),
    hint: textWith("VPC of its own region"),
  });
  expect(world.calls()).toEqual([]);
});
