// A value that the server or this package refuses: the report says what to change in the program, because the same value
// would be refused again.

import { afterEach, beforeEach, expect, test } from "vitest";
import type { OperationName } from "../../../emulator/index";
import { ProviderError } from "../../../provider/domain/errors";
import { openWorld, type World } from "../../support/world";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const ARGS = { name: "orders", cpuMillis: 500, memoryGbs: 2 };
const NET = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
const GOES_ON = "The next `pulumi up` goes on from here and does only what is missing.";

function refuse(operation: OperationName, status = 400): void {
  const body = { code: "INVALID_REQUEST", message: "not this one" };
  world.emulator.faults.add({ kind: "status", status, body, operation, times: Infinity });
}

async function errorOf(act: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await act.catch((thrown: unknown) => thrown);
  if (!(error instanceof ProviderError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

test.each<[OperationName, object, string]>([
  ["updatePassword", { password: "abc" }, "`password`"],
  ["setHA", { haReplicas: { replicaCount: 2, syncReplicaCount: 1 } }, "`haReplicas`"],
])("%s at a create: the property is to be changed before the next run", async (operation, more, named) => {
  refuse(operation);
  const { failed = "" } = await world.service.create({ ...ARGS, ...more });
  expect(failed).toContain(`\nfailed: ${operation}\n`);
  expect(failed.split("\n").at(-1)).toBe(
    `The server refuses this value. Change ${named} in the program; the next \`pulumi up\` then goes on from here.`,
  );
  expect(failed).not.toContain(GOES_ON);
});

test("at an update that changed nothing: each property of the call is named", async () => {
  const kept = await world.service.create(ARGS);
  refuse("resize");
  const { fullMessage } = await errorOf(world.service.update(kept, { ...ARGS, cpuMillis: 1000, memoryGbs: 4 }));
  expect(fullMessage).toContain("is as it was");
  expect(fullMessage).toMatch(/The server refuses this value\. Change `cpuMillis` or `memoryGbs` in the program\.$/);
});

test.each<[string, OperationName, number, object]>([
  ["a call without a value", "enablePooler", 400, { poolerEnabled: true }],
  ["a refusal for other reasons", "updatePassword", 403, { password: "correct horse" }],
])("%s blames no value", async (_what, operation, status, more) => {
  refuse(operation, status);
  const { failed = "" } = await world.service.create({ ...ARGS, ...more });
  expect(failed).not.toContain("refuses this value");
  expect(failed.split("\n").at(-1)).toBe(GOES_ON);
});

test("a VPC that is none: which id to give, and what became of the service", async () => {
  const vpcId = "network";
  const atCreate = await errorOf(world.service.create({ name: "orders", vpcId }));
  expect(atCreate.message).toMatch(/there is no VPC "network" in project .*; the service was not made$/);
  expect(atCreate.hint).toContain("`vpcId` of a resource (`network.vpcId`)");
  world.restart();
  const kept = await world.service.create({ name: "orders" });
  const atUpdate = await errorOf(world.service.update(kept, { name: "orders", vpcId }));
  expect(atUpdate.message).toMatch(/nothing was changed$/);
});

test("a VPC in another region: what the program can change, and what became of the service", async () => {
  const { id: vpcId } = await world.vpc.create({ ...NET, regionCode: "eu-west-1" });
  const kept = await world.service.create({ name: "parent", regionCode: "us-east-1" });
  const atCreate = await errorOf(world.service.create({ name: "orders", regionCode: "us-east-1", vpcId }));
  expect(atCreate.message).toMatch(/is in eu-west-1, the service in us-east-1; the service was not made$/);
  expect(atCreate.hint).toContain("Set `regionCode` of one of them to that of the other, or take `vpcId` out.");
  const forkFrom = { serviceId: kept.id, strategy: "NOW" };
  const atFork = await errorOf(world.service.create({ name: "copy", forkFrom, vpcId }));
  expect(atFork.hint).toContain("Give the id of a VPC in us-east-1, or take `vpcId` out.");
  const atUpdate = await errorOf(world.service.update(kept, { name: "parent", vpcId }));
  expect(atUpdate.message).toMatch(/nothing was changed$/);
  expect(atUpdate.hint).toContain("Give the id of a VPC in us-east-1, or set `vpcId` back.");
});
