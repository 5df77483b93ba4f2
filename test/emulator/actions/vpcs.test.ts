// VPCs and peerings over time.

import { expect, test } from "vitest";
import type { EmulatorOptions } from "../../../emulator/index";
import { openWithVpcAndService, peer } from "../support/refusals";

async function openWithPeering(options: EmulatorOptions = {}) {
  const world = await openWithVpcAndService(options);
  const made = await world.ask(201, "POST", world.fill("V/peerings"), peer);
  const path = world.fill(`V/peerings/${String(made["id"])}`);
  return { ...world, made, path, get: () => world.ask(200, "GET", path) };
}

test.each(["VPC", "peering"])("a deleted %s goes a while after its 204, which may be repeated", async (what) => {
  const { ask, call, fill, path: ofPeering, clock, emulator } = await openWithPeering();
  emulator.settle();
  if (what === "VPC") emulator.mutate.deletePeering(emulator.state().peerings[0]?.id ?? "");
  const path = what === "VPC" ? fill("V") : ofPeering;
  await ask(204, "DELETE", path);
  await ask(200, "GET", path);
  await ask(204, "DELETE", path);
  clock.advance(100);
  expect([(await call("GET", path)).status, (await call("DELETE", path)).status]).toEqual([404, 404]);
  expect(emulator.state().peerings).toEqual([]);
  expect(emulator.state().vpcs).toHaveLength(what === "VPC" ? 0 : 1);
});

test("a peering has its id after a while, then its VPC is free again, then it is accepted", async () => {
  const { ask, fill, clock, made, get } = await openWithPeering();
  expect(made).toEqual({ id: expect.stringMatching(/^[0-9]+$/) as unknown, ...peer, status: "pending" });
  clock.advance(100);
  const provisioned = { status: "pending", provisioned_id: expect.stringMatching(/^pcx-0[0-9a-f]{8}$/) as unknown };
  expect(await get()).toEqual({ ...made, ...provisioned });
  await ask(201, "POST", fill("V/peerings"), peer);
  clock.advance(100);
  expect(await get()).toEqual({ ...made, ...provisioned, status: "active" });
});

test("a peering stays pending until it is accepted in the console", async () => {
  const timings = { peeringProvision: 0, peeringActive: Infinity };
  const { clock, emulator, made, get } = await openWithPeering({ timings });
  clock.advance(1e9);
  expect(await get()).toMatchObject({ status: "pending", provisioned_id: expect.stringContaining("pcx-") as unknown });
  emulator.mutate.peering(String(made["id"]), { status: "active" });
  expect(await get()).toMatchObject({ status: "active" });
});

test("a peering that fails says why and has no provisioned id", async () => {
  const { emulator, made, get } = await openWithPeering({ switches: { peeringError: "no such account" } });
  emulator.settle();
  expect(await get()).toEqual({ ...made, status: "failed", error_message: "no such account" });
});
