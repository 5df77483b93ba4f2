// The program on a real stack, in vitest: what it makes, what a nightly resize by hand leads to, what survives a failure.
import { expect, test } from "vitest";
import { createTestStack } from "pulumi-dbcloud/testing";

test("the orders database survives a nightly resize", async () => {
  await using stack = await createTestStack({ program: () => import("../index.js") });
  await stack.up();
  const orders = stack.resource("orders");
  stack.emulator.mutate.service(orders.id, { cpuMillis: 4000, memoryGbs: 16 });
  const preview = await stack.preview({ refresh: true });
  expect(preview.changes("orders")).toEqual({ cpuMillis: [4000, 1000], memoryGbs: [16, 4] });
  expect(preview.calls("orders")).toEqual(["resize"]);
  expect(preview.effects("orders").join()).toContain("resize restarts the service");
  expect((await stack.up({ refresh: true })).calls("orders")).toEqual(["resize"]);
});

test("an answer that is lost makes no second database: the error names the one that is there, and how to adopt it", async () => {
  await using stack = await createTestStack({ program: () => import("../index.js") });
  stack.emulator.faults.add({ operation: "createService", kind: "lostAfter" });
  await expect(stack.up()).rejects.toThrow("DBCLOUD_ADOPT=orders=");
  await expect(stack.up()).rejects.toThrow("there is already service");
  expect(stack.emulator.state().services).toHaveLength(1);
});

test("what was deleted by hand is noticed at once", async () => {
  await using stack = await createTestStack({ program: () => import("../index.js") });
  await stack.up();
  // Where a project shows no service at all, the provider expects an outage.
  stack.emulator.mutate.createService({ name: "of-another-team" });
  stack.emulator.mutate.deleteService(stack.resource("orders").id);
  const refresh = await stack.refresh();
  // The database and its replicas are gone; the stack and the network stay.
  expect(refresh.summary).toEqual({ delete: 2, same: 2 });
});
