// A value that the server or this package refuses: the report says what to change in the program, because the same value
// would be refused again.

import { expect, test } from "vitest";
import type { OperationName } from "../../../emulator/index";
import { textLike, textWith } from "../../support/matchers";
import { errorOf, LARGE, NET, SMALL, useWorld, world } from "../scene";

useWorld();

const ARGS = { name: "orders", ...SMALL };

function refuse(operation: OperationName, status = 400): void {
  const body = { code: "INVALID_REQUEST", message: "not this one" };
  world.emulator.faults.add({ kind: "status", status, body, operation, times: Infinity });
}

test.each<[OperationName, number, object, RegExp]>([
  ["updatePassword", 400, { password: "abc" }, /refuses this value.*`password`/],
  ["setHA", 400, { haReplicas: { replicaCount: 2, syncReplicaCount: 1 } }, /refuses this value.*`haReplicas`/],
  // A call without a value, and a refusal for another reason.
  ["enablePooler", 400, { poolerEnabled: true }, /goes on from here/],
  ["updatePassword", 403, { password: "correct horse" }, /goes on from here/],
])(
  "%s that is refused with %i after a create names what is to change in the program",
  async (operation, status, more, words) => {
    refuse(operation, status);
    const { failed = "" } = await world.service.create({ ...ARGS, ...more });
    expect(failed).toContain(`\nfailed: ${operation}\n`);
    expect(failed.split("\n").at(-1)).toMatch(words);
    expect(failed.includes("refuses this value")).toBe(words.source.startsWith("refuses"));
  },
);

test("an update that changed nothing names each property of the refused call", async () => {
  const kept = await world.service.create(ARGS);
  refuse("resize");
  const { fullMessage } = await errorOf(world.service.update(kept, { ...ARGS, ...LARGE }));
  expect(fullMessage).toMatch(/is as it was[^]*refuses this value.*`cpuMillis` or `memoryGbs`/);
});

test("a VPC that is not there names the id to give, and what became of the service", async () => {
  const vpcId = "network";
  const atCreate = await errorOf(world.service.create({ name: "orders", vpcId }));
  expect(atCreate).toMatchObject({
    message: textLike(/no VPC "network" .*was not made$/),
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
    message: textLike(/in eu-west-1.*was not made$/),
    hint: textWith("`regionCode`"),
  });
  const fork = errorOf(world.service.create({ name: "copy", forkFrom, vpcId }));
  expect(await fork).toMatchObject({ hint: textLike(/VPC in us-east-1, or take/) });
  const update = errorOf(world.service.update(kept, { name: "parent", vpcId }));
  expect(await update).toMatchObject({
    message: textLike(/nothing was changed$/),
    hint: textLike(/VPC in us-east-1, or set/),
  });
  expect(world.calls()).toEqual([]);
});
