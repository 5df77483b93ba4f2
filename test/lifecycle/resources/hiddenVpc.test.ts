// API: a service in a VPC may show its address there without `vpc_id`. It is attached, to a VPC that is not shown.

import { expect, test } from "vitest";
import { done, NET, refreshed, useWorld, world } from "../scene";

useWorld({ switches: { vpcEndpointSpelling: "vpc_endpoint" } });

test("a service that shows its address in a VPC and not the VPC is attached once", async () => {
  const vpcId = (await world.vpc.create(NET)).id;
  world.emulator.faults.add({ kind: "members", members: { "vpc_endpoint.vpc_id": "absent" }, times: Infinity });
  const args = { name: "orders", vpcId };
  const kept = await done(world.service.create(args));
  expect(world.calls()).toEqual(["createVpc", "createService", "attachToVPC"]);
  world.restart();
  const seen = await refreshed(kept);
  expect(seen.outputs).toMatchObject({ vpcId });
  expect(await world.service.update(seen, args)).toBe(seen);
  const out = await done(world.service.update(seen, { name: "orders" }));
  expect(world.calls()).toEqual(["detachFromVPC"]);
  expect(out.outputs["vpcId"]).toBeUndefined();
});
