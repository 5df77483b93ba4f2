// Pairs of changes of a service, and seeded triples: the calls are exactly the planned ones, one at a time, what was
// previewed is what is done, and the end is a service as if it had been created that way.

import { describe, expect, test } from "vitest";
import type { EmulatorOptions } from "../../../emulator/index";
import type { Values } from "../../../provider/domain/values/value";
import { repeats, someOf } from "../../support/repeats";
import { done, open, world } from "../scene";
import { type Change, pairsOf, serviceChanges, triplesOf, wordOf } from "./serviceChanges";

const SEED = 4711;
const AT_ONCE = 12;

/** Long enough that the words in between are seen; the others are over at the first read. */
const TIMINGS = { resize: 2_500, ha: 2_500, attach: 2_500, stop: 1_500 };
/** How many pairs and triples are tried on the first server, and on those that repeat what is tried there. */
const SOME = { prompt: { pairs: 60, triples: 10 }, others: { pairs: 20, triples: 5 } };

const PROMPT = "a slow server";
const SERVERS: Record<string, EmulatorOptions> = {
  [PROMPT]: { timings: TIMINGS },
  "a server that shows old values for five reads": { timings: TIMINGS, stale: { reads: 5 } },
  "a server whose old values come back": { timings: TIMINGS, stale: { reads: 2, comesBack: 1 } },
};

describe.each(Object.entries(SERVERS))("%s", (name, options) => {
  test("makes pairs and triples of changes exactly", { timeout: 240_000 }, async () => {
    await open({ ...options, switches: { busy: "allow", maxAttached: 1_000 } });
    const changes = await serviceChanges();
    const all = pairsOf(changes);
    const some = name === PROMPT ? SOME.prompt : SOME.others;
    const pairs = repeats(someOf(all, some.pairs), all);
    const triples = triplesOf(changes, repeats(some.triples, 40), SEED);
    const alone = name === PROMPT ? changes : repeats([], changes);
    const cases = [...alone, ...pairs, ...triples];
    const failures: string[] = [];
    for (let start = 0; start < cases.length; start += AT_ONCE) {
      const batch = cases.slice(start, start + AT_ONCE);
      await Promise.all(
        batch.map(async (change, index) => {
          await walk(change, `s${start + index}`).catch((error: unknown) => {
            failures.push(`${change.name}: ${error instanceof Error ? error.message : String(error)}`);
          });
        }),
      );
    }
    expect(failures).toEqual([]);
    expect(world.overlaps()).toEqual([]);
  });
});

async function walk(change: Change, label: string): Promise<void> {
  const from = named(change.from, label);
  const to = named(change.to, label);
  const kept = await done(world.service.create(from));
  const before = world.callsOn(kept.id).length;

  const preview = world.service.preview(kept, to);
  expect(preview.operations).toEqual(change.calls.map(wordOf));
  expect(preview.properties.toSorted()).toEqual(differing(from, to));

  const next = await done(world.service.update(kept, to));
  expect(world.callsOn(kept.id).slice(before)).toEqual(change.calls);
  expect(next.outputs).toMatchObject(to);
  expect(next.outputs["__pending"]).toBeUndefined();

  const fresh = await world.service.create({ ...to, name: `${label} fresh` });
  expect(stateOf(kept.id)).toEqual({ ...stateOf(fresh.id), name: to["name"] });
  expect(serviceOf(kept.id)["password"]).toBe(to["password"] ?? kept.outputs["initialPassword"]);

  const calls = world.callsOn(kept.id).length;
  expect(await world.service.update(next, to)).toBe(next);
  expect(world.callsOn(kept.id)).toHaveLength(calls);
  for (const { id } of [kept, fresh]) world.emulator.mutate.deleteService(id);
}

/** Many services live in one world, so each has names of its own. */
function named(inputs: Values, label: string): Values {
  return { deletionProtection: false, ...inputs, name: inputs["name"] === "new" ? `${label} renamed` : label };
}

function differing(from: Values, to: Values): string[] {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].filter((key) => JSON.stringify(from[key]) !== JSON.stringify(to[key])).toSorted();
}

function serviceOf(id: string): Record<string, unknown> {
  const found = world.emulator.state().services.find((service) => service.id === id);
  if (found === undefined) throw new Error(`no service ${id}`);
  return { ...found };
}

const ITS_OWN = new Set(["id", "createdAt", "password", "initialPassword", "moves"]);

/** What a service is, without what tells it from its counterpart. */
function stateOf(id: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(serviceOf(id)).filter(([key]) => !ITS_OWN.has(key)));
}
