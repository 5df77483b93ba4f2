// What waiting costs, in requests and in lateness: as much for a hundred as for ten. The emulator over real HTTP, the
// real handlers, and a clock that jumps; nothing here depends on how fast the machine is.

import { expect, test } from "vitest";
import type { EmulatorOptions } from "../../emulator/index";
import { repeats } from "../support/repeats";
import type { Kept } from "../support/world";
import { NET, open, setOf, SMALL, world } from "./scene";

/** GETs since the last time, by operation. */
function takeGets(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, operation = "none" } of world.emulator.requests()) {
    if (method === "GET") counts[operation] = (counts[operation] ?? 0) + 1;
  }
  world.emulator.clearRequests();
  return counts;
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The services take so long each, by their number. */
const taking = (msOf: (index: number) => number): EmulatorOptions => ({
  timings: { queued: 0, create: ({ name }: { name: string }) => msOf(Number(name.slice(1))) },
});

/** From 2 to 20 s, in no order. */
const spread = (count: number) => (index: number) => 2_000 + (((index * 7_919) % count) / (count - 1)) * 18_000;

const atOnce: EmulatorOptions = { timings: { queued: 0, create: 0, resize: 0, delete: 0 } };
const small = { regionCode: NET.regionCode, ...SMALL };

const createService = (index: number): Promise<Kept> => world.service.create({ ...small, name: `s${index}` });
const createServices = (count: number): Promise<Kept[]> => Promise.all(times(count, createService));

type Bounds = readonly [median: number, most: number, gets: number];

test.each<readonly [number, number, string, (index: number) => number, Bounds]>([
  [10, 10, "over 2 to 20 s", spread(10), [500, 600, 50]],
  [100, 100, "over 2 to 20 s", spread(100), [260, 500, 46]],
  ...repeats([], [[1_000, 1_000, "over 2 to 20 s", spread(1_000), [260, 500, 46]] as const]),
  [100, 8, "after 2.06 s", () => 2_060, [400, 400, 1 + 4 + 4 * 32]],
  [20, 8, "after 30 ms", () => 30, [250, 250, 60]],
  [1, 1, "after 5 minutes", () => 300_000, [8_000, 8_000, 260]],
])(
  "%i services, %i at once, that are ready %s are soon seen to be, by few reads",
  async (count, lanes, _, ms, most) => {
    await open(taking(ms));
    const left = times(count, (index) => index);
    const lateMs: number[] = [];
    const lane = async (): Promise<void> => {
      for (let index = left.shift(); index !== undefined; index = left.shift()) {
        const { id } = await createService(index);
        const createdMs = world.emulator.state().services.find((service) => service.id === id)?.createdAt ?? Number.NaN;
        lateMs.push(world.clock.now() - createdMs - ms(index));
      }
    };
    await Promise.all(times(lanes, lane));
    lateMs.sort((a, b) => a - b);
    const gets = takeGets();
    const found = [lateMs[Math.ceil(count / 2) - 1] ?? Number.NaN, lateMs.at(-1) ?? Number.NaN, sum(gets)];
    expect(found.map((value, index) => value <= (most[index] ?? 0) || value)).toEqual([true, true, true]);
    // One alone is never read through a list, but for the read before its create.
    expect(count > 1 || gets["listServices"] === 1).toBe(true);
  },
);

test("ready at once: share the read before their creates, and are each seen once", async () => {
  await open(atOnce);
  await createServices(60);
  expect(takeGets()).toEqual({ listServices: 1, getService: 60 });
});

test("ready at once: an update of all of them reads no list for each", async () => {
  await open(atOnce);
  const kept = await createServices(40);
  takeGets();
  const large = { ...small, cpuMillis: 1_000, memoryGbs: 4 };
  await Promise.all(kept.map((one, index) => world.service.update(one, { ...large, name: `s${index}` })));
  const gets = takeGets();
  expect(gets["listServices"] ?? 0).toBeLessThanOrEqual(2);
  expect(gets["getService"]).toBeLessThanOrEqual(3 * 40);
});

test("ready at once: a delete of all of them reads each of them three times, and two lists", async () => {
  await open(atOnce);
  const kept = await createServices(40);
  takeGets();
  await Promise.all(kept.map((one) => world.service.remove(one)));
  // The last look, at the live tag, and two 404s. The list after the second one is shared, but by those that came too early.
  expect(takeGets()).toEqual({ getService: 3 * 40, listServices: 2 });
  expect(world.emulator.state().services).toEqual([]);
});

test("ready at once: of deletes that take 30 ms, eight at a time, each is seen after a tenth of a second, by four reads", async () => {
  await open({ timings: { ...atOnce.timings, delete: 30 } });
  const left = await createServices(24);
  takeGets();
  const beganMs = world.clock.now();
  const lane = async (): Promise<void> => {
    for (let kept = left.shift(); kept !== undefined; kept = left.shift()) await world.service.remove(kept);
  };
  await Promise.all(times(8, lane));
  expect(world.clock.now() - beganMs).toBeLessThanOrEqual(3 * 110);
  // The look, a read that still shows it, and two 404s; eight at once share the list of every 404.
  expect(takeGets()).toEqual({ getService: 4 * 24, listServices: 9 });
});

test("replica sets are read with their services", async () => {
  const timings = { queued: 0, create: 0, replicaCreate: [5_000, 20_000] } as const;
  await open({ timings });
  const parents = await createServices(20);
  takeGets();
  await Promise.all(parents.map((parent) => world.readReplicaSet.create(setOf(parent))));
  const { listServices = 0, getService = 0, listReplicaSets = 0, ...rest } = takeGets();
  expect(rest).toEqual({});
  expect(listServices).toBeLessThanOrEqual(50);
  // A parent without sets is asked for them by its own list, in the read before each create and in the last look.
  expect(listReplicaSets).toBeLessThanOrEqual(40);
  // The read before each create and the last look are of its own parent, and the last one to wait is alone.
  expect(getService).toBeLessThanOrEqual(44);
});

test("the VPC of services that are made one soon after the other is read once a second", async () => {
  await open({ timings: { queued: 0, create: 0, attach: 0 } });
  const vpc = await world.vpc.create(NET);
  world.restart();
  takeGets();
  const made: Promise<Kept>[] = [];
  for (let index = 0; index < 30; index += 1) {
    made.push(world.service.create({ ...small, name: `s${index}`, vpcId: vpc.id }));
    await world.clock.sleep(50);
  }
  await Promise.all(made);
  expect(takeGets()["getVpc"]).toBeLessThanOrEqual(4);
});
