// Drift of what no call can change: it is told, and never a reason for a replacement, whatever `allowReplace` says.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorld, type Kept, type World } from "../../support/world";

const SHARED = { cpuMillis: "shared", memoryGbs: "shared" };
const SIZED = { cpuMillis: 500, memoryGbs: 2 };
const SPEC = { cpu_millis: 500, memory_gbs: 2, volume_type: "" };

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

async function refreshed(kept: Kept): Promise<Kept> {
  world.restart();
  const seen = await world.service.refresh(kept);
  if (seen === undefined) throw new Error("it is there");
  // The engine compares what was read with the inputs that it had.
  world.service.compare({ ...seen, inputs: kept.inputs });
  world.restart();
  return seen;
}

test("a region that the server shows in other words is no reason for a replacement, nor for an error", async () => {
  const args = { name: "orders", regionCode: "us-east-1", ...SIZED, allowReplace: true };
  const kept = await world.service.create(args);
  world.emulator.mutate.service(kept.id, { wire: { region_code: "aws-us-east-1" } });
  const seen = await refreshed(kept);
  expect(world.warnings.join()).toContain(
    'the server now shows regionCode as "aws-us-east-1". It was made with "us-east-1"',
  );
  expect(world.service.preview(seen, args)).toMatchObject({ replaces: [] });
  const larger = { ...args, cpuMillis: 1000, memoryGbs: 4 };
  const updated = await world.service.update(seen, larger);
  expect(updated.outputs).toMatchObject({ regionCode: "us-east-1", cpuMillis: 1000 });
  expect(world.service.preview(updated, larger)).toMatchObject({ replaces: [] });
});

test("an object that is shown in other words is known again at another address, and no other one is", async () => {
  const { baseUrl, apiKey, projectId } = world.emulator;
  const args = { name: "orders", regionCode: "us-east-1", ...SIZED };
  const net = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
  const [kept, vpc] = [await world.service.create(args), await world.vpc.create(net)];
  world.emulator.mutate.service(kept.id, { wire: { region_code: "aws-us-east-1" } });
  world.emulator.mutate.vpc(vpc.id, { cidr: "10.9.0.0/24" });
  const seen = await refreshed(kept);
  const updated = await world.service.update(seen, { ...args, poolerEnabled: true });
  const seenVpc = (await world.vpc.refresh(vpc)) ?? vpc;
  const there = (): World => world.elsewhere({ baseUrl: baseUrl.replace("127.0.0.1", "localhost"), apiKey, projectId });
  expect(await there().service.refresh(updated)).toMatchObject({ outputs: { regionCode: "us-east-1" } });
  expect(await there().vpc.refresh(seenVpc)).toMatchObject({ outputs: { cidr: "10.0.0.0/24" } });
  world.emulator.mutate.service(kept.id, { wire: { region_code: "eu-west-1" } });
  await expect(there().service.refresh(updated)).rejects.toThrow("is another service");
});

test("a fork whose origin is shown without the moment of the copy is not told as different", async () => {
  const parent = await world.service.create({ name: "orders", ...SIZED });
  const copy = await world.service.create({ name: "copy", forkFrom: { serviceId: parent.id, strategy: "NOW" } });
  await refreshed(copy);
  expect(world.warnings.filter((line) => line.includes("the server now shows"))).toEqual([]);
});

describe("a shared service that got a size of its own in the console", () => {
  const args = { name: "orders", ...SHARED, allowReplace: true };
  let seen: Kept;
  beforeEach(async () => {
    const kept = await world.service.create(args);
    world.emulator.mutate.service(kept.id, { wire: { resources: [{ id: "r", spec: SPEC }] } });
    seen = await refreshed(kept);
  });

  test("is shown by its refresh, and not replaced", () => {
    expect(seen.outputs).toMatchObject(SIZED);
    expect(() => world.service.preview(seen, args)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(
          'cpuMillis was changed outside Pulumi from "shared" to 500, and no call changes that back; it is not replaced for that',
        ) as string,
        hint: expect.stringContaining("set `cpuMillis: 500` and `memoryGbs: 2`.") as string,
      }),
    );
  });

  test("nor after another refresh, or without allowReplace", async () => {
    seen = await refreshed(seen);
    expect(() => world.service.preview(seen, args)).toThrow("it is not replaced for that");
    expect(() => world.service.preview(seen, { name: "orders", ...SHARED })).toThrow("it is not replaced for that");
  });

  test("is managed again once the program says the live value", async () => {
    const followed = { ...args, ...SIZED, poolerEnabled: true };
    expect(world.service.preview(seen, followed)).toMatchObject({ replaces: [] });
    const updated = await world.service.update(seen, followed);
    expect(updated.failed).toBeUndefined();
    expect(world.service.preview(updated, args)).toMatchObject({ replaces: ["cpuMillis"] });
  });

  test("is as declared once it is changed back in the console", async () => {
    world.emulator.mutate.service(seen.id, { wire: { resources: [{ id: "r", spec: { volume_type: "" } }] } });
    seen = await refreshed(seen);
    expect(world.service.preview(seen, args)).toMatchObject({ changes: undefined, replaces: [] });
  });
});

test("a drift makes no replacement out of a resize that the program asks for at the same time", async () => {
  const kept = await world.service.create({ name: "orders", ...SIZED, allowReplace: true });
  world.emulator.mutate.service(kept.id, { wire: { resources: [{ id: "r", spec: { volume_type: "" } }] } });
  const seen = await refreshed(kept);
  expect(seen.outputs).toMatchObject(SHARED);
  const larger = { name: "orders", cpuMillis: 1000, memoryGbs: 4, allowReplace: true };
  expect(() => world.service.preview(seen, larger)).toThrow(
    'cpuMillis was changed outside Pulumi from 500 to "shared", and no call changes that back; it is not replaced for that',
  );
  // What the program asks for is another thing.
  const moved = { ...larger, regionCode: "eu-west-1" };
  expect(world.service.preview(seen, moved)).toMatchObject({ replaces: ["regionCode", "cpuMillis"] });
});
