// The tag of the live object before a delete or the create of a replacement: whatever single answers say, while nobody can
// read it, and however its letters are written.

import { beforeEach, describe, expect, test } from "vitest";
import type { FaultHandle } from "../../emulator/index";
import type { Kept } from "../support/world";
import {
  done,
  earlier,
  errorOf,
  fault,
  makeBystander,
  MINUTE_MS,
  refreshed,
  setOf,
  urn,
  useWorld,
  world,
} from "./scene";

useWorld();

const ELSEWHERE = { name: "orders", regionCode: "eu-west-1", allowReplace: true };
const TAGGED = /has the environment tag PROD/;

let service: Kept;
let set: Kept;

/** A service with a replica set that somebody tagged PROD in the console, which no run has seen. */
async function makeTagged(environment = "PROD"): Promise<void> {
  service = await world.service.create({ name: "orders" });
  set = await world.readReplicaSet.create(setOf(service));
  world.emulator.mutate.service(service.id, { environment });
  world.nextRun();
}

/** What the next read of the service shows in place of its tag. */
function hideTagOnce(id: string): void {
  world.emulator.mutate.service(id, { wire: { metadata: null } });
  world.onRequest(({ operation }) => {
    if (operation === "getService") world.emulator.mutate.service(id, { wire: { metadata: { environment: "PROD" } } });
  });
}

/** What is said of a delete or create that is refused before anything is sent. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const { message } = await errorOf(work);
  expect(world.calls()).toEqual([]);
  return message;
}

const fail = (status: number, headers: Record<string, string> = {}, times = Infinity): FaultHandle =>
  fault({ kind: "status", status, headers, operation: "getService", times });
const pause = { "retry-after": "30" };

test.each<[string, (id: string) => unknown]>([
  ["a 404", () => fail(404, {}, 1)],
  ["a 500", () => fail(500, {}, 1)],
  ["no JSON", () => fault({ kind: "html", operation: "getService" })],
  ["no tag", hideTagOnce],
  ["a 429 that asks for a pause", () => fail(429, pause, 1)],
  ["a 503 that asks for a pause", () => fail(503, pause, 1)],
  ["nothing for ten seconds", () => fault({ kind: "brownout", ms: 10_000, times: Infinity })],
])("where the server answers %s at first, neither the service nor its replica set is deleted", async (_, answer) => {
  await makeTagged();
  answer(service.id);
  expect(await refusal(world.readReplicaSet.remove(set))).toMatch(TAGGED);
  world.restart();
  answer(service.id);
  expect(await refusal(world.service.remove(service))).toMatch(TAGGED);
});

test("a service whose entry has no tag is protected by the one that it got since", async () => {
  world.onRequest(() => {
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

test("the tag is read only where it decides, and a wait for it is told", async () => {
  const owner = { name: "orders", ...urn("db") };
  service = await world.service.create(owner);
  const sets = [
    await world.readReplicaSet.create(setOf(service)),
    await world.readReplicaSet.create(setOf(service, { name: "more" })),
  ];
  world.nextRun();
  const readsBefore = async (operation: string, work: Promise<void>): Promise<string[]> => {
    world.emulator.clearRequests();
    await work;
    const names = world.emulator.requests().map((one) => String(one.operation));
    return names.slice(0, names.indexOf(operation));
  };
  fail(500, {}, 1);
  const [first, second] = sets as [Kept, Kept];
  expect(await readsBefore("deleteReplicaSet", world.readReplicaSet.remove(first))).toContain("getService");
  expect(world.progress).toContainEqual(expect.stringMatching(/no read has shown yet whether the tag PROD/));
  world.service.preview(service, owner);
  expect(await readsBefore("deleteReplicaSet", world.readReplicaSet.removePending(second))).not.toContain("getService");
});

test("reads that never agree end at the deadline, and nothing is created", async () => {
  service = await earlier(world.service.create({ name: "orders" }));
  fault({ kind: "members", members: { metadata: "absent" }, times: Infinity });
  let reads = 0;
  const match = (): boolean => (reads += 1) % 3 === 1;
  fault({ kind: "status", status: 404, operation: "getService", times: Infinity, match });
  expect(await refusal(world.service.replace(service, { ...ELSEWHERE, timeouts: { create: "5m" } }))).toMatch(
    /no read showed whether the tag PROD protects it, because they did not agree/,
  );
});

test("a replica set stays where the delete of its replaced service is refused for the tag", async () => {
  await makeTagged();
  expect(world.service.preview(service, ELSEWHERE).replaces).not.toEqual([]);
  expect(await refusal(world.readReplicaSet.removePending(set))).toMatch(TAGGED);
  expect(await refusal(world.service.removePending(service))).toMatch(TAGGED);
});

const NO_READ = /^service orders .*: for 5 m.* no read showed .*50\d.*; nothing was deleted$/;

/** Ends the fault after so many minutes. */
function endAfter(broken: FaultHandle, minutes: number): void {
  const endMs = world.clock.now() + minutes * MINUTE_MS;
  world.onEffect(() => {
    if (world.clock.now() > endMs) broken.remove();
  });
}

/** How many seconds a delete takes that goes in the end; the reads are answered once the call is sent. */
function secondsToGo(remove: () => Promise<void>, broken: FaultHandle): Promise<number> {
  world.onRequest(({ operation = "" }) => {
    if (operation.startsWith("delete")) broken.remove();
  });
  return world.secondsOf(remove);
}

describe("a service that is tagged PROD since", () => {
  beforeEach(() => makeTagged());

  test.each<[string, RegExp, [from: number, to: number], () => unknown]>([
    ["after five minutes of failures", NO_READ, [4, 7], () => fail(500)],
    ["after five minutes of failures with short pauses", NO_READ, [4, 7], () => fail(500, { "retry-after": "1" })],
    ["after five minutes of pauses", NO_READ, [4, 7], () => fail(503, { "retry-after": "5" })],
    ["at the deadline of pauses without end", /for 45 m.* no read showed/, [44, 46], () => fail(429, pause)],
    ["once an outage of four minutes is over", TAGGED, [4, 5], () => endAfter(fail(502), 4)],
    ["at once where the key is not accepted", /401/, [0, 0.1], () => fail(401)],
    ["at once where the key has no right", /403/, [0, 0.1], () => fail(403)],
  ])("stays %s, and so says the error", async (_, words, [from, to], answer) => {
    answer();
    const refused = refusal(world.service.remove(service));
    const minutes = (await world.secondsOf(() => refused)) / 60;
    expect(await refused).toMatch(words);
    expect([minutes >= from, minutes <= to]).toEqual([true, true]);
  });

  test("stays with its set where the key is refused: neither is read twice", async () => {
    fail(403);
    const before = world.emulator.requests().length;
    expect(await refusal(world.readReplicaSet.remove(set))).toContain("403");
    expect(await refusal(world.service.remove(service))).toContain("403");
    expect(world.emulator.requests().length - before).toBeLessThanOrEqual(2);
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
    expect(fullMessage).toMatch(/for (1 m 5\d|2 m).* no read showed[^]*`timeouts`/);
    expect(world.calls()).toEqual([]);
  });
});

test.each<[string, RegExp, () => unknown]>([
  ["after a pause before a failure", TAGGED, () => [fail(503, { "retry-after": "15" }, 1), fail(500, {}, 1)]],
  ["after a pause, whatever the status", TAGGED, () => fail(500, { "retry-after": "60" }, 1)],
  ["after pauses of half a minute", TAGGED, () => fail(500, { "retry-after": "15" }, 3)],
  ["where pauses are asked for until the deadline", /for 45 m.* no read showed/, () => fail(429, pause)],
])("a service whose protection is off, and that is tagged PROD since, stays %s", async (_name, words, answer) => {
  service = await world.service.create({ name: "orders", deletionProtection: false });
  world.emulator.mutate.service(service.id, { environment: "PROD" });
  world.nextRun();
  answer();
  expect(await refusal(world.service.remove(service))).toMatch(words);
});

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
  world.nextRun();
  expect(await secondsToGo(() => world.service.remove(kept), fail(500))).toBeLessThan(30);
  expect(world.calls()).toEqual(["deleteService"]);
});

describe("the create of a replacement", () => {
  const args = { name: "orders", regionCode: "us-east-1", ...urn("db") };
  const elsewhere = { ...ELSEWHERE, ...urn("db") };
  let old: Kept;
  beforeEach(async () => {
    old = await earlier(world.service.create(args));
  });

  const tagAs = (environment: string): void =>
    void world.emulator.mutate.service(old.id, { environment: "PROD", wire: { metadata: { environment } } });
  test.each<[string, RegExp, () => unknown]>([
    ["where the old service was tagged PROD since", /tag PROD.*not replaced; nothing was created/, () => tagAs("PROD")],
    ["where the old service was tagged prod since", /tag PROD.*not replaced; nothing was created/, () => tagAs("prod")],
    ["while nobody can read the tag of the old one", /no read showed .*nothing was created/, () => fail(500)],
  ])("is refused %s", async (_, words, prepare) => {
    prepare();
    expect(world.service.preview(old, elsewhere).replaces).toEqual(["regionCode"]);
    expect(await refusal(world.service.create(elsewhere))).toMatch(words);
  });

  test.each<[string, () => unknown]>([
    ["has no such tag", () => undefined],
    ["is gone", () => [makeBystander(), world.emulator.mutate.deleteService(old.id)]],
  ])("goes on where the old service %s", async (_, prepare) => {
    await prepare();
    world.service.preview(old, elsewhere);
    await world.service.create(elsewhere);
    expect(world.calls()).toEqual(["createService"]);
  });
});

test("on a server that shows tags in lower case, a create and an update end at once, and a refresh finds no change", async () => {
  world.onRequest(() => {
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
