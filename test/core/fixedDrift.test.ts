// Drift of what no call can change: it is told, and never a reason for a replacement, whatever `allowReplace` says.

import { beforeEach, describe, expect, test } from "vitest";
import { textLike } from "../support/matchers";
import type { Kept, World } from "../support/world";
import { done, NET, refreshed, SMALL, underOtherName, useWorld, world } from "./scene";

const SHARED = { cpuMillis: "shared", memoryGbs: "shared" };
const SPEC = { cpu_millis: 500, memory_gbs: 2, volume_type: "" };

useWorld();

async function comparedAfterRefresh(kept: Kept): Promise<Kept> {
  world.restart();
  const seen = await refreshed(kept);
  // The engine compares what was read with the inputs that it had.
  world.service.compare({ ...seen, inputs: kept.inputs });
  world.restart();
  return seen;
}

test("a region that the server shows in other words is no reason for a replacement, nor for an error", async () => {
  const args = { name: "orders", regionCode: "us-east-1", ...SMALL, allowReplace: true };
  const kept = await world.service.create(args);
  world.emulator.mutate.service(kept.id, { wire: { region_code: "aws-us-east-1" } });
  const seen = await comparedAfterRefresh(kept);
  expect(world.warnings.join()).toContain(
    'the server now shows regionCode as "aws-us-east-1". It was created with "us-east-1"',
  );
  expect(world.service.preview(seen, args)).toMatchObject({ replaces: [] });
  const larger = { ...args, cpuMillis: 1000, memoryGbs: 4 };
  const updated = await world.service.update(seen, larger);
  expect(updated.outputs).toMatchObject({ regionCode: "us-east-1", cpuMillis: 1000 });
  expect(world.service.preview(updated, larger)).toMatchObject({ replaces: [] });
});

test("an object that is shown in other words is known again at another address, and no other one is", async () => {
  const args = { name: "orders", regionCode: "us-east-1", ...SMALL };
  const [kept, vpc] = [await world.service.create(args), await world.vpc.create(NET)];
  world.emulator.mutate.service(kept.id, { wire: { region_code: "aws-us-east-1" } });
  world.emulator.mutate.vpc(vpc.id, { cidr: "10.9.0.0/24" });
  const seen = await comparedAfterRefresh(kept);
  const updated = await world.service.update(seen, { ...args, poolerEnabled: true });
  const seenVpc = (await world.vpc.refresh(vpc)) ?? vpc;
  const there = (): World => world.elsewhere(underOtherName());
  expect(await there().service.refresh(updated)).toMatchObject({ outputs: { regionCode: "us-east-1" } });
  expect(await there().vpc.refresh(seenVpc)).toMatchObject({ outputs: { cidr: "10.0.0.0/24" } });
  world.emulator.mutate.service(kept.id, { wire: { region_code: "eu-west-1" } });
  await expect(there().service.refresh(updated)).rejects.toThrow("is another service");
});

test("a fork whose origin is shown without the moment of the copy is not told as different", async () => {
  const parent = await world.service.create({ name: "orders", ...SMALL });
  const copy = await world.service.create({ name: "copy", forkFrom: { serviceId: parent.id, strategy: "NOW" } });
  await comparedAfterRefresh(copy);
  expect(world.warnings.filter((line) => line.includes("the server now shows"))).toEqual([]);
});

describe("a shared service that got a size of its own in the console", () => {
  const args = { name: "orders", ...SHARED, allowReplace: true };
  let seen: Kept;
  beforeEach(async () => {
    const kept = await world.service.create(args);
    world.emulator.mutate.service(kept.id, { wire: { resources: [{ id: "r", spec: SPEC }] } });
    seen = await comparedAfterRefresh(kept);
  });

  test("is shown by its refresh, and not replaced, nor after another one or without allowReplace", async () => {
    expect(seen.outputs).toMatchObject(SMALL);
    const message = textLike(/cpuMillis: cannot change from 500 to "shared"\. .*keep the size it has/);
    expect(() => world.service.preview(seen, args)).toThrow(expect.objectContaining({ message }));
    seen = await comparedAfterRefresh(seen);
    for (const same of [args, { name: "orders", ...SHARED }]) {
      expect(() => world.service.preview(seen, same)).toThrow("cannot change");
    }
  });

  test("is managed again once the program says the live value", async () => {
    const followed = { ...args, ...SMALL, poolerEnabled: true };
    expect(world.service.preview(seen, followed)).toMatchObject({ replaces: [] });
    const updated = await done(world.service.update(seen, followed));
    expect(() => world.service.preview(updated, args)).toThrow("cannot change");
  });

  test("is as declared once it is changed back in the console", async () => {
    world.emulator.mutate.service(seen.id, { wire: { resources: [{ id: "r", spec: { volume_type: "" } }] } });
    seen = await comparedAfterRefresh(seen);
    expect(world.service.preview(seen, args)).toMatchObject({ changes: undefined, replaces: [] });
  });
});

test("a drift makes no replacement out of a resize that the program asks for at the same time", async () => {
  const kept = await world.service.create({ name: "orders", ...SMALL, allowReplace: true });
  world.emulator.mutate.service(kept.id, { wire: { resources: [{ id: "r", spec: { volume_type: "" } }] } });
  const seen = await comparedAfterRefresh(kept);
  expect(seen.outputs).toMatchObject(SHARED);
  const larger = { name: "orders", cpuMillis: 1000, memoryGbs: 4, allowReplace: true };
  expect(() => world.service.preview(seen, larger)).toThrow(/cpuMillis: cannot change from "shared" to 1000/);
  // What the program asks for is another thing.
  const moved = { ...larger, regionCode: "eu-west-1" };
  expect(world.service.preview(seen, moved)).toMatchObject({ replaces: ["regionCode", "cpuMillis"] });
});

test.each([{ volume_type: "gp3" }, undefined])("a row of %j beside the size hides no drift", async (spec) => {
  const kept = await world.service.create({ name: "orders", ...SMALL });
  const rows = [
    { id: "r", spec: { ...SPEC, cpu_millis: 1000, memory_gbs: 4 } },
    { id: "v", spec },
  ];
  world.emulator.mutate.service(kept.id, { wire: { resources: rows } });
  expect((await refreshed(kept)).outputs).toMatchObject({ cpuMillis: 1000, memoryGbs: 4 });
});
