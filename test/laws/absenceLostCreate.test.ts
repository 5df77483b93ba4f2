// After a create whose answer was lost, nothing is taken, nothing of a stranger is touched, nothing is deleted because of it,
// and the name does not count as free until a created object must have shown. What was noted of it must be proven gone before
// the name is posted again; and once the state has the object, nothing of the note is left.

import { describe, expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import {
  done,
  earlier,
  errorOf,
  fault,
  LARGE,
  makeBystander,
  MINUTE_MS,
  NET,
  PEER,
  SMALL,
  urn,
  world,
} from "../core/scene";
import { countOrders, type CreateCase, kinds, ORDERS, serviceId, useCreates } from "../core/createCases";
import { textWith } from "../support/matchers";
import { alive, make } from "./absence";

useCreates();

const args = { ...ORDERS, ...urn("db") };
const idOfOrders = (): string => world.emulator.state().services.find(({ name }) => name === "orders")?.id ?? "";
const posts = (): number => world.requestsOf("createService").length + world.requestsOf("forkService").length;

/** Of one that the server makes. */
const loseAnswer = (operation: CreateCase["operation"] = "createService"): unknown =>
  fault({ kind: "lostAfter", operation });
const hideAll = (ms: number) => (): unknown => fault({ kind: "brownout", ms, times: Infinity });

/** The create never arrives, and in that moment a stranger makes one of the same name. */
function loseToStranger(kind: "service" | "vpc", fields: Values): { id: string } {
  const theirs = { id: "" };
  const operation = kind === "service" ? "createService" : "createVpc";
  fault({ kind: "meanwhile", operation, act: () => void (theirs.id = world.emulator.mutate[operation](fields).id) });
  fault({ kind: "lostBefore", operation });
  return theirs;
}

test.each<["service" | "vpc", theirs: Values, more: Values]>([
  ["service", { name: ORDERS.name, regionCode: "eu-west-1" }, { allowReplace: true }],
  ["service", { name: "orders-2", regionCode: "eu-west-1" }, { allowReplace: true }],
  ["vpc", { ...NET, cidr: "10.9.0.0/24" }, {}],
])("a replacement of a %s whose create was lost to a stranger's %o takes none", async (kind, fields, more) => {
  const { kept: old, args: before } = await earlier(make(kind, kind === "vpc" ? NET : ORDERS));
  const theirs = loseToStranger(kind, fields);
  for (let run = 0; run < 2; run += 1) {
    const replaced = world[kind].replace(old, { ...before, ...fields, ...more });
    await expect(replaced).rejects.toThrow(/answer was lost|already/);
    world.nextRun();
  }
  expect([world.callsOn(old.id), world.callsOn(theirs.id)]).toEqual([[], []]);
  // That of the old one, and the lost one.
  expect(world.requestsOf(kind === "vpc" ? "createVpc" : "createService")).toHaveLength(2);
  expect(alive().map(({ id }) => id)).toEqual(expect.arrayContaining([old.id, theirs.id]));
});

test.each<[what: string, more: Values]>([
  ["a password", { password: "our-password-0" }],
  ["a stop", { paused: true }],
  ["a size", LARGE],
])("no run sends a stranger's service %s because a create of ours was lost beside it", async (_what, more) => {
  const theirs = loseToStranger("service", ORDERS);
  for (let run = 0; run < 2; run += 1) {
    await errorOf(world.service.create({ ...args, ...more }));
    world.nextRun();
  }
  expect([world.callsOn(theirs.id), countOrders()]).toEqual([[], 1]);
});

/** What an `up` makes of a create that has failed: the engine has an entry of it, or creates anew. */
async function up(kind: (typeof kinds)[number][1], before: Kept | undefined, given: Values): Promise<Kept | undefined> {
  const work = before === undefined ? kind.handlers().create(given) : kind.handlers().update(before, given);
  return work.catch(() => before);
}

/** The run ends when the server gets a request that this is so of. */
const endRun = (isLast: (operation?: string) => boolean): unknown =>
  world.onRequest(({ operation }) => void (isLast(operation) && world.endEngine()));

describe.each(kinds)("the create of a %s", (_name, kind) => {
  test.each<[string, lose: () => unknown, lagMs: number, later?: () => unknown]>([
    ["was lost, although it shows late", () => loseAnswer(kind.operation), 90_000],
    ["ended its run, although it shows late", () => endRun((operation) => operation === kind.operation), 40_000],
    [
      "was lost, although lists hide it minutes later",
      () => loseAnswer(kind.operation),
      0,
      () => world.clock.sleep(5 * MINUTE_MS).then(hideAll(20_000)),
    ],
  ])("is posted once where it %s", async (_how, lose, ms, later) => {
    world.emulator.settings.listLag = { ms };
    const given = { ...kind.args(), ...urn("late") };
    lose();
    // Whatever it ends with, nobody is there to record it.
    await up(kind, undefined, given);
    world.onRequest(() => undefined);
    let kept: Kept | undefined;
    for (let run = 0; run < 2; run += 1) {
      world.nextRun();
      await later?.();
      kept = await up(kind, kept, given);
    }
    expect([kind.count(), world.requestsOf(kind.operation).length]).toEqual([1, 1]);
  });

  test("is sent again some minutes later where it never arrived", async () => {
    fault({ kind: "lostBefore", operation: kind.operation });
    const given = { ...kind.args(), ...urn("never") };
    const kept = await earlier(up(kind, undefined, given));
    await world.clock.sleep(5 * MINUTE_MS);
    const made = await up(kind, kept, given);
    expect([made?.failed, kind.count()]).toEqual([undefined, 1]);
  });
});

test("the refusal of a name that an earlier run may have taken says since when, and how long it stays so", async () => {
  world.emulator.settings.listLag = { ms: 40_000 };
  loseAnswer();
  const hasty = { ...args, timeouts: { create: "20s" } };
  await world.service.create(hasty).catch(() => undefined);
  world.nextRun();
  const refused = await errorOf(world.service.create(hasty));
  expect(refused.errorName).toBe("name-in-doubt");
  expect(refused.message).toMatch(/an earlier run sent a create of it at \d{4}-\S+Z and recorded nothing/);
  expect(refused.hint).toMatch(/^Give it .*\d+ ?s more with `timeouts\.create`/);
  world.nextRun();
  await world.service.create(hasty).catch(() => undefined);
  expect([countOrders(), posts()]).toEqual([1, 1]);
});

/** Lists after the create: what happens at the nth of them. */
function atList(act: (nth: number) => unknown): void {
  let lists = 0;
  world.onRequest(({ operation }) => void (operation === "listServices" && countOrders() > 0 && act((lists += 1))));
}

const UNREADABLE = { kind: "members", members: { status: { value: 7 } }, in: "lists" } as const;
const listedWithout =
  (...members: string[]) =>
  (): unknown =>
    fault({
      kind: "members",
      members: Object.fromEntries(members.map((member) => [member, { value: null }])),
      ids: [idOfOrders()],
      in: "lists",
      times: Infinity,
    });

interface LostCreate {
  /** What happens to the create. */
  lose: () => unknown;
  /** Whether its error names the object. */
  isNamed?: boolean;
  /** How many runs end so. */
  runs?: number;
  /** What the next run meets, long after a create must have shown, and what it says. */
  later: () => unknown;
  says?: RegExp;
  given?: () => Values;
}

test.each<[string, LostCreate]>(
  Object.entries({
    "what the error of a lost create has named, in an outage of everything": {
      lose: loseAnswer,
      isNamed: true,
      later: hideAll(46_000),
      says: /shows no service at all/,
    },
    "what the run after it has named, in an outage of everything": {
      lose: loseAnswer,
      isNamed: true,
      runs: 2,
      later: hideAll(46_000),
      says: /shows no service at all/,
    },
    "what no error could name, in twenty seconds of lists without it": {
      lose: () => [loseAnswer(), (world.emulator.settings.listLag = { ms: 90_000 })],
      later: hideAll(20_000),
      says: /there is already/,
    },
    "what lists fail for, and then hide": {
      lose: loseAnswer,
      later: () => {
        const failsMs = world.clock.now() + 35_000;
        const match = ({ at }: { at: number }): boolean => at < failsMs;
        fault({ kind: "status", status: 503, operation: "listServices", times: Infinity, match });
        hideAll(45_000)();
      },
    },
    "what the create was answered, in a run that ended before that was recorded": {
      lose: () => endRun((operation) => operation === "getService"),
      later: async () => {
        await world.clock.sleep(17 * MINUTE_MS);
        fault({ kind: "brownout", ms: 39_000, in: "lists" });
      },
      says: /cut|already/,
    },
    "what was made in a run that ended while it watched, in an outage of everything": {
      lose: () => [loseAnswer(), atList((nth) => nth === 4 && world.endEngine())],
      later: hideAll(46_000),
    },
    "what an error has named as unreadable, in an outage of everything": {
      lose: () => [loseAnswer(), fault({ ...UNREADABLE, times: Infinity, match: () => countOrders() > 0 })],
      isNamed: true,
      later: hideAll(46_000),
    },
    "what only the first lists have shown, and nobody could read, in an outage of everything": {
      lose: () => {
        loseAnswer();
        atList((nth) => {
          const ids = [idOfOrders()];
          if (nth === 1) fault({ ...UNREADABLE, ids });
          if (nth === 2) fault({ kind: "brownout", ids, in: "lists", times: Infinity });
        });
      },
      isNamed: true,
      later: hideAll(46_000),
    },
    "what was listed after a refusal, in an outage of everything": {
      lose: () => fault({ kind: "status", status: 409, commit: true, operation: "forkService" }),
      isNamed: true,
      later: hideAll(46_000),
      given: () => ({ name: "orders", forkFrom: { serviceId, strategy: "NOW" }, ...urn("db") }),
    },
    "what was made although it was answered 409, in twenty-five seconds of lists without it": {
      lose: () => [makeBystander(), fault({ kind: "status", status: 409, commit: true, operation: "createService" })],
      later: () => fault({ kind: "brownout", ids: [idOfOrders()], ms: 25_000 }),
    },
    "what was listed after a 429, in an outage of everything": {
      lose: () => fault({ kind: "status", status: 429, commit: true, operation: "createService" }),
      isNamed: true,
      later: hideAll(46_000),
    },
    "what was answered 409, where the lists then answer 500, in twenty-five seconds without it": {
      lose: () => {
        const match = ({ operation }: { operation?: string | undefined }): boolean =>
          operation === "listServices" && countOrders() > 0;
        fault({ kind: "status", status: 409, commit: true, operation: "forkService" });
        fault({ kind: "status", status: 500, times: Infinity, match });
      },
      later: () => fault({ kind: "brownout", ids: [idOfOrders()], ms: 25_000 }),
      given: () => ({
        name: "orders",
        forkFrom: { serviceId, strategy: "NOW" },
        timeouts: { create: "3m" },
        ...urn("db"),
      }),
    },
    "what was made in a run that ended at once, while lists show nothing": {
      lose: () => [loseAnswer(), endRun(() => countOrders() > 0)],
      later: () => fault({ kind: "brownout", ms: 46_000, in: "lists" }),
      says: /shows no service at all/,
    },
    "what was made in a run that ended at once, hidden beside others after lists that show nothing": {
      lose: () => [loseAnswer(), endRun(() => countOrders() > 0)],
      later: () => [
        fault({ kind: "brownout", ms: 20_000, in: "lists" }),
        fault({ kind: "brownout", ids: [idOfOrders()], ms: 36_000 }),
      ],
      says: /there is already/,
    },
    "what is listed without its name": { lose: loseAnswer, later: listedWithout("name") },
    "what is listed without its name and id": { lose: loseAnswer, later: listedWithout("name", "service_id", "id") },
  } satisfies Record<string, LostCreate>),
)("a later run makes no second one of %s", async (_what, row) => {
  const { lose, isNamed = false, runs = 1, later, says = /./, given = () => args } = row;
  lose();
  for (let run = 0; run < runs; run += 1) {
    const work = world.service.create(given());
    const said = isNamed ? (await errorOf(work)).fullMessage : await work.then(idOfOrders, idOfOrders);
    expect(said).toContain(idOfOrders());
    world.onRequest(() => undefined);
    world.emulator.faults.clear();
    world.nextRun();
    await world.clock.sleep(3 * MINUTE_MS);
  }
  await later();
  expect((await errorOf(world.service.create(given()))).message).toMatch(says);
  expect([countOrders(), posts()]).toEqual([1, 1]);
});

test("a later run makes no second peering while its VPC is not shown", async () => {
  const given = { vpcId: world.emulator.mutate.createVpc(NET).id, ...PEER, ...urn("peer") };
  const count = (): number => world.emulator.state().peerings.length;
  loseAnswer("createPeering");
  endRun(() => count() > 0);
  await errorOf(world.peering.create(given));
  world.onRequest(() => undefined);
  world.nextRun();
  await world.clock.sleep(3 * MINUTE_MS);
  hideAll(46_000)();
  await errorOf(world.peering.create(given));
  expect(count()).toBe(1);
});

test("where all others were deleted since, a name that a lost create may have is free by the user's word alone", async () => {
  fault({ kind: "lostBefore", operation: "createService" });
  await errorOf(world.service.create(args));
  world.emulator.mutate.deleteService(serviceId);
  world.nextRun();
  await world.clock.sleep(5 * MINUTE_MS);
  const refused = await errorOf(world.service.create(args));
  expect([refused.errorName, refused.hint]).toEqual(["name-in-doubt", textWith("DBCLOUD_BELIEVE_GONE=proj000001")]);
  world.nextRun();
  world.believedGone.push(world.emulator.projectId);
  await done(world.service.create(args));
});

test("the first service of a project, whose create never arrived, is sent again in a list that shows nothing", async () => {
  world.emulator.mutate.deleteService(serviceId);
  fault({ kind: "lostBefore", operation: "createService" });
  await errorOf(world.service.create(args));
  world.nextRun();
  await world.clock.sleep(5 * MINUTE_MS);
  await done(world.service.create(args));
  expect([countOrders(), posts()]).toEqual([1, 2]);
});

test("what was noted, and is gone, holds the name no longer, although somebody's row has no id", async () => {
  loseAnswer();
  await errorOf(world.service.create(args));
  world.emulator.mutate.deleteService(idOfOrders());
  const ids = [world.emulator.mutate.createService({ name: "theirs" }).id];
  world.nextRun();
  await world.clock.sleep(3 * MINUTE_MS);
  fault({ kind: "members", members: { service_id: { value: null }, id: { value: null } }, ids, times: Infinity });
  await done(world.service.create(args));
  expect(countOrders()).toBe(1);
});

test("what was noted stays so beside a row without an id, although its own read has answered 404 once", async () => {
  loseAnswer();
  await errorOf(world.service.create(args));
  const ids = [idOfOrders()];
  world.nextRun();
  await world.clock.sleep(3 * MINUTE_MS);
  listedWithout("service_id", "id")();
  fault({ kind: "status", status: 404, operation: "getService" });
  await errorOf(world.service.create(args));
  world.emulator.faults.clear();
  world.nextRun();
  fault({ kind: "brownout", ids, ms: 46_000 });
  await errorOf(world.service.create(args));
  expect(countOrders()).toBe(1);
});

test("a create does not wait for its own note, although the first reads show another name", async () => {
  fault({ kind: "members", members: { name: { value: "stale" } }, times: 4 });
  expect(await world.secondsOf(() => done(world.service.create(args)))).toBeLessThan(15);
});

async function destroyed(kept: Kept): Promise<void> {
  world.nextRun();
  await world.service.remove(kept);
}

test.each<[string, (kept: Kept) => Promise<void>]>([
  [
    "a refresh that has proven it gone",
    async (kept) => {
      world.emulator.mutate.deleteService(kept.id);
      await world.clock.sleep(60 * MINUTE_MS);
      expect(await world.service.refresh(kept)).toBeUndefined();
    },
  ],
  ["an update and a destroy", async (kept) => destroyed(await done(world.service.update(kept, args)))],
  ["a refresh and a destroy", async (kept) => world.service.refresh(kept).then(() => destroyed(kept))],
  [
    "an import and a destroy",
    async ({ id }) => {
      const { inputs, props } = await world.bare("service").read(id, {});
      return destroyed({ id, inputs: { ...inputs }, outputs: { ...props } });
    },
  ],
])("the name of a create that was canceled after its answer is free at once after %s", async (_how, leave) => {
  makeBystander();
  endRun((operation) => operation === "getService");
  const kept = await world.service.create(args);
  world.onRequest(() => undefined);
  world.nextRun();
  await leave(kept);
  world.nextRun();
  await world.clock.sleep(60 * MINUTE_MS);
  expect(await world.secondsOf(() => done(world.service.create(args)))).toBeLessThan(15);
});

test("a cut list makes no name free", async () => {
  const five = [];
  for (const name of ["a", "b", "c", "d", "e"]) five.push(await make("service", { name, ...SMALL }));
  world.emulator.mutate.createService(ORDERS);
  world.nextRun();
  fault({ kind: "cut", rows: 1 });
  for (const { kind, kept, args: said } of five) world[kind].preview(kept, said);
  await expect(world.service.create(args)).rejects.toThrow(/list/);
  expect(countOrders()).toBe(1);
});
