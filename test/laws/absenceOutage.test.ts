// While a server shows nothing for some time, no command forgets what is alive: neither a refresh, nor a delete, nor a
// replacement, whatever was accepted, refused or lost meanwhile.

import { expect, test } from "vitest";
import { createRunBus } from "../support/runBus";
import { earlier, fault, KINDS, SMALL, underOtherName, useWorld, world } from "../core/scene";
import {
  atDelete,
  destroyAll,
  endOf,
  forgotten,
  type Held,
  hide,
  madeOf,
  madeStack,
  make,
  makeServices,
  refreshAll,
  refuse404,
} from "./absence";

useWorld();

type Forgotten = ReturnType<typeof forgotten>;

/** The state of the next run, which remembers nothing of the one before, in an outage of so many milliseconds. */
async function inOutage(ms: number, state: Held[], work: (all: Held[]) => Promise<Held[]>): Promise<Forgotten> {
  world.nextRun();
  hide(ms);
  return forgotten(await work(state));
}

/** Deletes the object in a run whose program still has the others. */
async function removed(ms: number, held: Held, others: Held[], prepare?: () => unknown): Promise<Forgotten> {
  world.nextRun();
  for (const { kind, kept, args } of others) world[kind].preview(kept, args);
  await prepare?.();
  hide(ms);
  return (await endOf(held)) === "forgotten" ? [{ kind: held.kind, id: held.kept.id }] : [];
}

/** Deletes the old one of a replacement. */
async function replaced(ms: number, prepare: (args: Held["args"]) => unknown): Promise<Forgotten> {
  const others = [await make("service", { name: "stays", ...SMALL })];
  const { held } = await madeOf("service");
  return removed(ms, held, others, () => {
    const args = { ...held.args, regionCode: "eu-west-1", allowReplace: true };
    expect(world.service.preview(held.kept, args).replaces).toEqual(["regionCode"]);
    return prepare(args);
  });
}

const COMMANDS: [string, (ms: number) => Promise<Forgotten>][] = [
  ["a refresh at once", async (ms) => inOutage(ms, (await madeStack()).all, (all) => refreshAll(all, "at once"))],
  ["one after the other", async (ms) => inOutage(ms, (await madeStack()).all, (all) => refreshAll(all, "one by one"))],
  [
    "a refresh of two services, one after the other",
    async (ms) => inOutage(ms, await makeServices("orders", "bills"), (all) => refreshAll(all, "one by one")),
  ],
  [
    "a refresh under two providers, each of which reads a kind",
    async (ms) => {
      const { vpc, service, set, all } = await madeStack();
      const other = world.elsewhere(underOtherName());
      const bus = createRunBus();
      for (const process of [world, other]) process.restart(bus.join());
      hide(ms);
      const outcomes = await Promise.allSettled([
        other.vpc.refresh(vpc.kept),
        world.service.refresh(service.kept),
        world.readReplicaSet.refresh(set.kept),
      ]);
      const isGone = outcomes.map((end) => end.status === "fulfilled" && end.value === undefined);
      return forgotten(all.filter((_, at) => isGone[at] === false));
    },
  ],
  ["a destroy", async (ms) => inOutage(ms, (await madeStack()).all, destroyAll)],
  ...KINDS.map((kind): [string, (ms: number) => Promise<Forgotten>] => [
    `the removal of a ${kind}`,
    async (ms) => {
      const others = [await make("service", { name: "stays", ...SMALL })];
      const { held, all } = await madeOf(kind);
      return removed(ms, held, [...others, ...all.slice(0, -1)]);
    },
  ]),
  ["a replacement, the new one first,", async (ms) => replaced(ms, (args) => world.service.create(args))],
  ["a replacement, the old one first,", async (ms) => replaced(ms, (args) => void world.service.check(args))],
];

test.each(COMMANDS.flatMap(([command, run]) => [20, 50, 300].map((seconds) => [command, seconds, run] as const)))(
  "%s forgets nothing in an outage of %i s, in which reads answer 404 and lists are empty",
  async (_command, seconds, run) => {
    expect(await run(seconds * 1_000)).toEqual([]);
  },
);

test.each(KINDS.filter((kind) => kind !== "vpc"))("seconds of 404s, also to DELETE, forget no %s", async (kind) => {
  const { held } = await madeOf(kind);
  if (kind === "service") {
    held.kept = await world.service.update(held.kept, { ...held.args, deletionProtection: false });
  }
  world.nextRun();
  hide(10_000);
  refuse404(10_000, "deleteService", "deleteReplicaSet", "deletePeering");
  expect(await endOf(held)).not.toBe("forgotten");
});

test("one 404 to its DELETE and one list without it leave a peering in the state", async () => {
  const { held } = await earlier(madeOf("peering"));
  fault({ kind: "status", status: 404, operation: "deletePeering" });
  fault({ kind: "brownout", ids: [held.kept.id], operation: "listPeerings", times: 1 });
  expect(await endOf(held)).not.toBe("forgotten");
});

const garbage = (body: unknown) => (): unknown => fault({ kind: "garbage", operation: "deleteService", body });

test.each<[string, answer: () => unknown, hidden: () => unknown]>([
  ["200 and a page, before a brown-out", garbage("<html>It works!</html>"), () => hide(10_000)],
  ["200 and an empty object, before a brown-out", garbage({}), () => hide(10_000)],
  ["200 and a list, before a brown-out", garbage([]), () => hide(10_000)],
  ["200 and a refusal, before a brown-out", garbage({ code: "CONFLICT", message: "busy" }), () => hide(10_000)],
  [
    "202, before a service that a list shows is missing for 6 s",
    () => fault({ kind: "status", status: 202, body: "", operation: "deleteService", times: 1 }),
    () => hide(6_000, "reads"),
  ],
])("a delete that is answered %s, forgets no service that lives", async (_what, answer, hidden) => {
  const { all } = await earlier(madeOf("service"));
  answer();
  atDelete(hidden);
  expect(forgotten(await destroyAll(all))).toEqual([]);
});
