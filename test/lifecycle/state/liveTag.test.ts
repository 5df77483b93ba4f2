// The tag of the live object before a delete or the create of a replacement: whatever single answers say, while nobody can
// read it, and however its letters are written.

import { beforeEach, describe, expect, test } from "vitest";
import type { Fault, FaultHandle } from "../../../emulator/index";
import type { Kept } from "../../support/world";
import {
  done,
  errorOf,
  MINUTE_MS,
  nextRun,
  onRequest,
  refreshed,
  secondsOf,
  setOf,
  settings,
  urn,
  useWorld,
  world,
} from "../scene";

useWorld();

const TAGGED = "has the environment tag PROD";

let service: Kept;
let set: Kept;

/** A service with a replica set that somebody tagged PROD in the console, which no run has seen. */
async function makeTagged(environment = "PROD"): Promise<void> {
  service = await world.service.create({ name: "orders" });
  set = await world.readReplicaSet.create(setOf(service));
  world.emulator.mutate.service(service.id, { environment });
  nextRun();
}

/** What the next read of the service shows in place of its tag. */
function hideTagOnce(id: string): void {
  world.emulator.mutate.service(id, { wire: { metadata: null } });
  onRequest(({ operation }) => {
    if (operation === "getService") world.emulator.mutate.service(id, { wire: { metadata: { environment: "PROD" } } });
  });
}

const failing = (fault: Fault) => (): unknown => world.emulator.faults.add({ ...fault, operation: "getService" });
const pause = { "retry-after": "30" };

test.each<[string, (id: string) => unknown]>([
  ["a 404", failing({ kind: "status", status: 404 })],
  ["a 500", failing({ kind: "status", status: 500 })],
  ["no JSON", failing({ kind: "html" })],
  ["no tag", hideTagOnce],
  ["a 429 that asks for a pause", failing({ kind: "status", status: 429, headers: pause })],
  ["a 503 that asks for a pause", failing({ kind: "status", status: 503, headers: pause })],
])("one wrong answer, %s, deletes neither the service nor its replica set", async (_, answer) => {
  await makeTagged();
  answer(service.id);
  await expect(world.readReplicaSet.remove(set)).rejects.toThrow(TAGGED);
  world.restart();
  answer(service.id);
  await expect(world.service.remove(service)).rejects.toThrow(TAGGED);
  expect(world.calls()).toEqual([]);
});

test("a service whose entry has no tag is protected by the one that it got since", async () => {
  onRequest(() => {
    for (const { id, environment } of world.emulator.state().services) {
      world.emulator.mutate.service(id, { wire: { metadata: environment === "PROD" ? { environment } : {} } });
    }
  });
  const plain = await world.service.create({ name: "orders" });
  expect(plain.outputs).not.toHaveProperty("environment");
  world.emulator.mutate.service(plain.id, { environment: "PROD" });
  world.restart();
  await expect(world.service.remove(plain)).rejects.toThrow(TAGGED);
});

test("a replica set stays where the delete of its replaced service is refused for the tag", async () => {
  await makeTagged();
  const elsewhere = { name: "orders", regionCode: "eu-west-1", allowReplace: true };
  expect(world.service.preview(service, elsewhere).replaces).not.toEqual([]);
  await expect(world.readReplicaSet.removePending(set)).rejects.toThrow(TAGGED);
  await expect(world.service.removePending(service)).rejects.toThrow(TAGGED);
  expect(world.calls()).toEqual([]);
});

test.each<[string, number, () => Record<string, string>]>([
  ["may send one request a second", 24, () => ({ maxRequestsPerSecond: "1" })],
  [
    "meet a server that lets few requests through",
    64,
    () => {
      world.emulator.settings.rateLimit = { perSecond: 5, burst: 5 };
      return {};
    },
  ],
])("many deletes that %s wait for the reads of their tags", async (_, count, limits) => {
  const names = Array.from({ length: count }, (_unused, index) => `orders-${index}`);
  const all = await Promise.all(names.map((name) => world.service.create({ name })));
  for (const { id } of all) world.emulator.mutate.service(id, { environment: "PROD" });
  world.calls();
  const limited = world.elsewhere(settings(limits()));
  const ended = await Promise.allSettled(all.map((one) => limited.service.removePending(one)));
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  expect(world.calls()).toEqual([]);
});

test.each(["deleteService", "deleteReplicaSet"] as const)(
  "%s that is refused because the service is being tagged is not sent again",
  async (operation) => {
    await makeTagged("DEV");
    const body = { code: "CONFLICT", message: "service is already being updated" };
    world.emulator.faults.add({ kind: "status", status: 409, body, operation, times: 3 });
    onRequest((request) => {
      if (request.operation !== operation) return;
      onRequest(() => undefined);
      world.emulator.mutate.service(service.id, { environment: "PROD" });
    });
    const remove = {
      deleteService: () => world.service.removePending(service),
      deleteReplicaSet: () => world.readReplicaSet.remove(set),
    };
    await expect(remove[operation]()).rejects.toThrow(TAGGED);
    expect(world.emulator.state()).toMatchObject({ services: [{ status: "READY" }], replicaSets: [{}] });
  },
);

const fail = (status: number, headers: Record<string, string> = {}, times = Infinity): FaultHandle =>
  world.emulator.faults.add({ kind: "status", status, headers, operation: "getService", times });

/** How many seconds a delete takes that goes in the end; the reads are answered once the call is sent. */
function secondsToGo(remove: () => Promise<void>, broken: FaultHandle): Promise<number> {
  onRequest(({ operation = "" }) => {
    if (operation.startsWith("delete")) broken.remove();
  });
  return secondsOf(remove);
}

describe("a service that is tagged PROD since", () => {
  beforeEach(() => makeTagged());

  test.each([
    [500, {}],
    [500, { "retry-after": "1" }],
    [503, { "retry-after": "5" }],
  ])("stays after five minutes of %i %j, and the error says why", async (status, headers) => {
    fail(status, headers);
    const refused = errorOf(world.service.remove(service));
    const minutes = (await secondsOf(() => refused)) / 60;
    expect([minutes > 4, minutes < 7]).toEqual([true, true]);
    const words = new RegExp(`^service orders .*: for 5 m.* no read told .*${status}.*; nothing was deleted$`);
    expect((await refused).message).toMatch(words);
    expect(world.progress.join()).toContain("no read tells yet whether the tag PROD protects it");
    expect(world.calls()).toEqual([]);
  });

  test("stays where the server asks for pauses until the deadline", async () => {
    fail(429, { "retry-after": "30" });
    await expect(world.service.remove(service)).rejects.toThrow(/^service orders .*: for 45 m.* no read told/);
    expect(world.calls()).toEqual([]);
  });

  test("stays after an outage of four minutes, which only delays the answer", async () => {
    const outage = fail(502);
    const endMs = world.clock.now() + 4 * MINUTE_MS;
    world.onEffect(() => {
      if (world.clock.now() > endMs) outage.remove();
    });
    await expect(world.service.remove(service)).rejects.toThrow(TAGGED);
    expect(world.calls()).toEqual([]);
  });

  test.each([401, 403])("stays with its set, at once, where the key is refused (%i)", async (status) => {
    fail(status);
    const before = world.emulator.requests().length;
    await expect(world.readReplicaSet.remove(set)).rejects.toThrow(String(status));
    await expect(world.service.remove(service)).rejects.toThrow(String(status));
    expect(world.emulator.requests().length - before).toBeLessThanOrEqual(2);
    expect(world.calls()).toEqual([]);
  });

  test("does not keep its replica set, which holds no data, for more than five minutes", async () => {
    const seconds = await secondsToGo(() => world.readReplicaSet.remove(set), fail(500));
    expect(seconds).toBeGreaterThan(4 * 60);
    expect(world.calls()).toEqual(["deleteReplicaSet"]);
  });

  test("keeps a replica set that has less time than that, and the error says what helps", async () => {
    fail(500);
    const short = { ...set, outputs: { ...set.outputs, timeouts: { delete: "2m" } } };
    const { fullMessage } = await errorOf(world.readReplicaSet.remove(short));
    expect(fullMessage).toMatch(/for (1 m 5\d|2 m).* no read told[^]*`timeouts`/);
    expect(world.calls()).toEqual([]);
  });
});

test.each<[string, RegExp, () => void]>([
  [
    "after a pause before a failure",
    new RegExp(TAGGED),
    () => [fail(503, { "retry-after": "15" }, 1), fail(500, {}, 1)],
  ],
  ["after a pause, whatever the status", new RegExp(TAGGED), () => fail(500, { "retry-after": "60" }, 1)],
  [
    "where pauses are asked for until the deadline",
    /for 45 m.* no read told/,
    () => fail(429, { "retry-after": "30" }),
  ],
])(
  "a service whose protection is switched off, and that is tagged PROD since, stays %s",
  async (_name, words, answer) => {
    const open = await world.service.create({ name: "orders", deletionProtection: false });
    world.emulator.mutate.service(open.id, { environment: "PROD" });
    nextRun();
    answer();
    await expect(world.service.remove(open)).rejects.toThrow(words);
    expect(world.calls()).toEqual([]);
  },
);

test.each<[string, () => Promise<Kept>]>([
  [
    "the program has switched the protection off",
    async () => {
      const kept = await world.service.create({ name: "orders" });
      fail(500);
      return done(world.service.update(kept, { name: "orders", deletionProtection: false }));
    },
  ],
  [
    "no run has ever read it",
    () => {
      fail(500);
      return world.service.create({ name: "orders" });
    },
  ],
])("a service goes soon where %s, because its tag would not keep it", async (_how, make) => {
  const kept = await make();
  world.emulator.faults.clear();
  nextRun();
  expect(await secondsToGo(() => world.service.remove(kept), fail(500))).toBeLessThan(30);
  expect(world.calls()).toEqual(["deleteService"]);
});

describe("the create of a replacement", () => {
  const args = { name: "orders", regionCode: "us-east-1", ...urn("db") };
  const elsewhere = { ...args, regionCode: "eu-west-1", allowReplace: true };
  let old: Kept;
  beforeEach(async () => {
    old = await world.service.create(args);
    nextRun();
  });

  test.each(["PROD", "prod"])("is refused where the old service was tagged %s since", async (environment) => {
    world.emulator.mutate.service(old.id, { environment: "PROD", wire: { metadata: { environment } } });
    expect(world.service.preview(old, elsewhere).replaces).toEqual(["regionCode"]);
    const { message } = await errorOf(world.service.create(elsewhere));
    expect(message).toMatch(/environment tag PROD.*not replaced; nothing was created/);
    expect(world.calls()).toEqual([]);
  });

  test("is refused while nobody can read the tag of the old service", async () => {
    fail(500);
    expect(world.service.preview(old, elsewhere).replaces).toEqual(["regionCode"]);
    await expect(world.service.create(elsewhere)).rejects.toThrow(/no read told .*nothing was created/);
    expect(world.calls()).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    ["has no such tag", () => undefined],
    ["is gone", () => world.emulator.mutate.deleteService(old.id)],
    [
      "is stopped and left",
      async () => {
        old = await world.service.update(old, { ...args, onDelete: "stop" });
        world.emulator.mutate.service(old.id, { environment: "PROD" });
        world.restart();
      },
    ],
  ])("goes on where the old service %s", async (_, prepare) => {
    await prepare();
    world.service.preview(old, elsewhere);
    await world.service.create(elsewhere);
    expect(world.calls()).toEqual(["createService"]);
  });
});

test("on a server that shows tags in lower case, a create and an update end at once, and a refresh finds no change", async () => {
  onRequest(() => {
    for (const { id, environment } of world.emulator.state().services) {
      world.emulator.mutate.service(id, { wire: { metadata: { environment: environment.toLowerCase() } } });
    }
  });
  const startedMs = world.clock.now();
  let kept = await done(world.service.create({ name: "orders", environment: "DEV" }));
  for (const environment of ["PROD", "DEV"]) {
    const args = { name: "orders", environment };
    kept = await refreshed(await done(world.service.update(kept, args)));
    expect(world.service.preview(kept, args).changes).toBe(false);
    expect(kept.outputs["deletionProtection"]).toBe(environment === "PROD");
    kept = { ...kept, outputs: { ...kept.outputs, deletionProtection: false } };
  }
  expect(world.clock.now() - startedMs).toBeLessThan(120_000);
  expect(world.calls()).toEqual(["createService", "setEnvironment", "setEnvironment"]);
});
