// What waiting costs, in requests and in lateness: as much for a hundred as for ten. The emulator over real HTTP, the
// real handlers, and a clock that jumps; nothing here depends on how fast the machine is.

import { afterEach, describe, expect, test } from "vitest";
import type { EmulatorOptions } from "../../../emulator/index";
import { listed } from "../../../provider/domain/listed";
import { SharedReader } from "../../../provider/lifecycle/session/sharedReader";
import { createTestClock } from "../../support/clock";
import { openWorld, type Kept, type World } from "../../support/world";

const MINUTE_MS = 60_000;

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function open(options: EmulatorOptions = {}): Promise<World> {
  world = await openWorld(options);
  return world;
}

/** GETs since the last time, by operation. */
function takeGets({ emulator }: World): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, operation = "none" } of emulator.requests()) {
    if (method === "GET") counts[operation] = (counts[operation] ?? 0) + 1;
  }
  emulator.clearRequests();
  return counts;
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Each service takes its own time, from 2 to 20 s, in no order. */
function spread(count: number): EmulatorOptions {
  const create = ({ name }: { name: string }): number => {
    const index = Number(name.slice(1));
    return 2_000 + (((index * 7_919) % count) / Math.max(1, count - 1)) * 18_000;
  };
  return { timings: { queued: 0, create } };
}

const atOnce: EmulatorOptions = { timings: { queued: 0, create: 0, resize: 0, delete: 0 } };
const small = { regionCode: "eu-west-1", cpuMillis: 500, memoryGbs: 2 };

function createServices({ service }: World, count: number): Promise<Kept[]> {
  return Promise.all(times(count, (index) => service.create({ ...small, name: `s${index}` })));
}

describe("services that become ready over 2 to 20 s", () => {
  test.each([
    [2, 50],
    [10, 50],
    [100, 65],
  ])("%i of them: at most %i reads", async (count, most) => {
    const here = await open(spread(count));
    await createServices(here, count);
    expect(sum(takeGets(here))).toBeLessThanOrEqual(most);
  });

  test("are done within half a second, and the one that takes five minutes within eight seconds", async () => {
    const usual = spread(100).timings?.create as (object: { id: string; name: string }) => number;
    const readyAfter = (name: string): number => (name === "s0" ? 5 * MINUTE_MS : usual({ id: "", name }));
    const here = await open({ timings: { queued: 0, create: ({ name }) => readyAfter(name) } });
    const lateMs: number[] = [];
    const create = async (index: number): Promise<void> => {
      const name = `s${index}`;
      const postedMs = here.clock.now();
      await here.service.create({ ...small, name });
      lateMs.push(here.clock.now() - postedMs - readyAfter(name));
    };
    await Promise.all(times(100, create));
    const sorted = lateMs.toSorted((a, b) => a - b);
    expect(sorted[49]).toBeLessThanOrEqual(300);
    expect(sorted[98]).toBeLessThanOrEqual(600);
    expect(sorted[99]).toBeLessThanOrEqual(8_000);
  });

  test("one alone is never read through a list, but for the read before its create", async () => {
    const here = await open(spread(1));
    await createServices(here, 1);
    const gets = takeGets(here);
    expect(gets["listServices"]).toBe(1);
    expect(gets["getService"]).toBeLessThanOrEqual(13);
  });
});

describe("services that are ready at once", () => {
  test("share the read before their creates, and are each seen once", async () => {
    const here = await open(atOnce);
    await createServices(here, 60);
    expect(takeGets(here)).toEqual({ listServices: 1, getService: 60 });
  });

  test("a refresh of all of them is a list or two", async () => {
    const here = await open(atOnce);
    const kept = await createServices(here, 60);
    here.restart();
    takeGets(here);
    const eight = times(8, async (lane) => {
      for (const one of kept.filter((_, index) => index % 8 === lane)) {
        expect(await here.service.refresh(one)).toBeDefined();
      }
    });
    await Promise.all(eight);
    expect(sum(takeGets(here))).toBeLessThanOrEqual(4);
  });

  test("an update of all of them reads no list for each", async () => {
    const here = await open(atOnce);
    const kept = await createServices(here, 40);
    takeGets(here);
    const large = { ...small, cpuMillis: 1_000, memoryGbs: 4 };
    await Promise.all(kept.map((one, index) => here.service.update(one, { ...large, name: `s${index}` })));
    const gets = takeGets(here);
    expect(gets["listServices"] ?? 0).toBeLessThanOrEqual(2);
    expect(gets["getService"]).toBeLessThanOrEqual(3 * 40);
  });

  test("a delete of all of them reads no list of services", async () => {
    const here = await open(atOnce);
    const kept = await createServices(here, 40);
    takeGets(here);
    await Promise.all(kept.map((one) => here.service.remove(one)));
    const { getService, listVpcs = 0, ...others } = takeGets(here);
    expect(others).toEqual({});
    // One before, for the live tag; one until it is gone, and one to make sure.
    expect(getService).toBe(3 * 40);
    expect(listVpcs).toBeLessThanOrEqual(40);
    expect(here.emulator.state().services).toEqual([]);
  });
});

describe("objects that are gone", () => {
  test("are confirmed together, with a few lists", async () => {
    const here = await open(atOnce);
    const kept = await createServices(here, 40);
    here.restart();
    for (const { id } of here.emulator.state().services) here.emulator.mutate.deleteService(id);
    await here.clock.sleep(10 * MINUTE_MS);
    takeGets(here);
    expect(await Promise.all(kept.map((one) => here.service.refresh(one)))).toEqual(kept.map(() => undefined));
    expect(takeGets(here)["listServices"]).toBeLessThanOrEqual(8);
  });
});

describe("a list alone", () => {
  test("never tells that a service is gone", async () => {
    const here = await open(atOnce);
    const kept = await createServices(here, 10);
    here.restart();
    await here.clock.sleep(10 * MINUTE_MS);
    here.emulator.mutate.deleteService(kept[0]?.id ?? "");
    takeGets(here);
    const seen = await Promise.all(kept.map((one) => here.service.refresh(one)));
    expect(seen.filter((one) => one === undefined)).toHaveLength(1);
    // Asked for by its id, and then the project once more.
    expect(takeGets(here)["getService"]).toBeGreaterThanOrEqual(1);
  });
});

describe("others", () => {
  test("replica sets are read with their services", async () => {
    const timings = { queued: 0, create: 0, replicaCreate: [5_000, 20_000] } as const;
    const here = await open({ timings });
    const parents = await createServices(here, 20);
    takeGets(here);
    const sets = parents.map(({ id }) =>
      here.readReplicaSet.create({ serviceId: id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 }),
    );
    await Promise.all(sets);
    const { listServices = 0, getService = 0, ...rest } = takeGets(here);
    expect(rest).toEqual({});
    expect(listServices).toBeLessThanOrEqual(50);
    // The read before each create is of its own parent, and the last one to wait is alone.
    expect(getService).toBeLessThanOrEqual(24);
  });

  test("the VPC of services that are made one soon after the other is read once a second", async () => {
    const here = await open({ timings: { queued: 0, create: 0, attach: 0 } });
    const vpc = await here.vpc.create({ name: "net", cidr: "10.0.0.0/24", regionCode: small.regionCode });
    here.restart();
    takeGets(here);
    const made: Promise<Kept>[] = [];
    for (let index = 0; index < 30; index += 1) {
      made.push(here.service.create({ ...small, name: `s${index}`, vpcId: vpc.id }));
      await here.clock.sleep(50);
    }
    await Promise.all(made);
    expect(takeGets(here)["getVpc"]).toBeLessThanOrEqual(4);
  });

  test("VPCs wait together", async () => {
    const here = await open({ timings: { vpcCreate: [5_000, 15_000] }, switches: { vpcStatus: true } });
    const vpcs = times(20, (index) =>
      here.vpc.create({ name: `v${index}`, cidr: `10.${index}.0.0/24`, regionCode: "eu-west-1" }),
    );
    await Promise.all(vpcs);
    expect(sum(takeGets(here))).toBeLessThanOrEqual(40);
  });
});

describe("a long wait", () => {
  test.each([
    [5, 200],
    [45, 380],
  ])("of %i minutes takes at most %i reads", async (minutes, most) => {
    const here = await open({ timings: { queued: 0, create: minutes * MINUTE_MS - 1_000 } });
    await createServices(here, 1);
    expect(sum(takeGets(here))).toBeLessThanOrEqual(most);
  });

  test("leaves no timer behind", async () => {
    const clock = createTestClock(0);
    let asleep = 0;
    const counted = {
      now: () => clock.now(),
      sleep: async (ms: number, signal?: AbortSignal) => {
        asleep += 1;
        await clock.sleep(ms, signal).finally(() => (asleep -= 1));
      },
    };
    const view = new SharedReader(
      { one: (id) => Promise.resolve(id), all: () => Promise.resolve(listed([])), idOf: String },
      { clock: counted, wallClock: clock },
      1_000,
    );
    await Promise.all([
      view.nextPoll("a", { deadlineMs: 1e9 }),
      view.nextPoll("b", { inMs: 9_000, deadlineMs: 1e9 }),
      view.nextPoll("c", { inMs: 4_000, deadlineMs: 1e9 }),
    ]);
    await view.nextPoll("a", { inMs: 2_000, deadlineMs: 1e9 });
    expect(asleep).toBe(0);
    clock.close();
  });
});
