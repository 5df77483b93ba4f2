// What one operation costs beside many others, and while a list that it does not depend on fails.

import { expect, test } from "vitest";
import { done, LARGE, MINUTE_MS, NET, open, SMALL, world } from "./scene";

test("a create beside 200 reads that are wanted at once takes no longer than alone", async () => {
  await open({ timings: { queued: 0, create: 15_000 } });
  const others = await Promise.all(Array.from({ length: 40 }, (_, n) => world.service.create({ name: `s${n}` })));
  world.restart();
  const left = Array.from({ length: 200 }, (_, n) => n).values();
  const read = async (): Promise<void> => {
    for (const n of left) {
      await world.service.refresh({ id: others[n % 40]?.id ?? "", inputs: {}, outputs: {} });
      await world.clock.sleep(50 + ((n * 37) % 50));
    }
  };
  const reads = Promise.all(Array.from({ length: 16 }, read));
  const seconds = await world.secondsOf(() => done(world.service.create({ name: "x", ...SMALL })));
  expect(seconds).toBeLessThan(18);
  await reads;
});

test("an outage of two seconds while a hundred services are resized costs no flood of single reads", async () => {
  await open({ timings: { queued: 0, create: 1_000, resize: 60_000 } });
  const names = Array.from({ length: 100 }, (_, n) => `s${n}`);
  const all = await Promise.all(names.map((name) => world.service.create({ name, ...SMALL })));
  world.restart();
  const before = world.requestsOf("getService").length;
  const work = Promise.all(all.map((one) => done(world.service.update(one, { ...one.inputs, ...LARGE }))));
  await world.clock.sleep(5_000);
  world.emulator.faults.add({ kind: "lostBefore", ms: 2_000 });
  await work;
  expect(world.requestsOf("getService").length - before).toBeLessThan(3_000);
});

const FAULTS = [{ kind: "status", status: 500 }, { kind: "status", status: 503 }, { kind: "lostBefore" }] as const;

test.each(FAULTS)("while lists of VPCs fail, a create in one and a move into it take no longer: %j", async (fault) => {
  await open({});
  const vpc = await world.vpc.create(NET);
  const service = await done(world.service.create({ name: "a", regionCode: "us-east-1" }));
  const args = { regionCode: "us-east-1", vpcId: vpc.id };
  const alone = await world.secondsOf(() => done(world.service.create({ name: "b", ...args })));
  world.restart();
  world.emulator.faults.add({ ...fault, operation: "listVpcs", times: Infinity });
  const created = await world.secondsOf(() => done(world.service.create({ name: "c", ...args })));
  const moved = await world.secondsOf(() => done(world.service.update(service, { ...service.inputs, vpcId: vpc.id })));
  expect(Math.max(created, moved)).toBeLessThan(alone + 15);
});

test("a delete outlasts a list that cannot be read for ten minutes", async () => {
  await open({ timings: { vpcDelete: 1_000 } });
  const vpc = await done(world.vpc.create({ ...NET, timeouts: { delete: "30m" } }));
  const untilMs = world.clock.now() + 10 * MINUTE_MS;
  const match = (): boolean => world.clock.now() < untilMs;
  const odd = { kind: "garbage", body: [{ name: "odd" }], operation: "listVpcs" } as const;
  world.emulator.faults.add({ ...odd, times: Infinity, match });
  await world.vpc.remove(vpc);
  expect(world.emulator.state().vpcs).toEqual([]);
});

test("a refused delete is waited for as long with slow polls", async () => {
  await open({}, { pollInterval: "10s", pollIntervalMax: "10s" });
  const vpc = await done(world.vpc.create(NET));
  const busy = { kind: "status", status: 409, body: { message: "cannot now" } } as const;
  world.emulator.faults.add({ ...busy, operation: "deleteVpc", times: Infinity });
  expect(await world.secondsOf(() => expect(world.vpc.remove(vpc)).rejects.toThrow("cannot now"))).toBeGreaterThan(200);
});
