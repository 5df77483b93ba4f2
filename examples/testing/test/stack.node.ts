// The same with Node's own test runner: one stack for the file, and a hook that takes it away.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestStack, type TestStack } from "pulumi-dbcloud/testing";

let stack: TestStack;

before(async () => {
  stack = await createTestStack({ program: () => import("../index.ts"), stack: "dev" });
});
after(() => stack.dispose());

test("a database in its network, by default names of the stack", async () => {
  assert.deepEqual((await stack.up()).summary, { create: 4 });
  const { services, vpcs } = stack.emulator.state();
  assert.deepEqual([services[0]?.name, services[0]?.vpcId], ["test-orders-dev", vpcs[0]?.id]);
  assert.equal(stack.resource("orders").outputs["status"], "READY");
});

test("an equal program changes nothing, and asks the server nothing", async () => {
  const preview = await stack.preview();
  assert.deepEqual([preview.summary, preview.requests.length], [{ same: 4 }, 0]);
});

test("protection stops a destroy before anything is deleted", async () => {
  stack.emulator.mutate.service(stack.resource("orders").id, { environment: "PROD" });
  await stack.refresh();
  await assert.rejects(stack.destroy(), /protected/);
  assert.equal(stack.emulator.state().services.length, 1);
});
