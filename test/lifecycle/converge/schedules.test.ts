// Whatever slows a hundred deletes, steps and creates down: each ends, each call follows its last look, and together they
// cost few requests.

import { expect, test } from "vitest";
import type { RateLimit, RequestRecord } from "../../../emulator/index";
import { LARGE, open, SMALL, world } from "../scene";

const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
const timings = { queued: 0, create: 2_000, resize: 2_000, delete: 2_000 };
const timeouts = { create: "4h", update: "4h", delete: "4h" };

/** How old the last look may be when the call leaves. A delete has it in its own turn. */
const OLDEST_MS: Readonly<Record<string, number>> = { createService: 2_000, resize: 1_000, deleteService: 0 };

// The figures: the requests of the creates, the steps and the deletes when calls rested on older reads.
test.each<
  [string, { rateLimit?: RateLimit; limits?: Record<string, string>; answerMs?: number; gapMs?: number }, number[]]
>([
  ["a server that lets two requests a second through", { rateLimit: { perSecond: 2 } }, [142, 214, 420]],
  ["the same with a Retry-After", { rateLimit: { perSecond: 2, retryAfterSeconds: 1 } }, [142, 214, 420]],
  [
    "a server that refuses two requests at once",
    { rateLimit: { perSecond: 2, burst: 1 }, gapMs: 900 },
    [142, 214, 420],
  ],
  ["one request in two seconds", { limits: { maxRequestsPerSecond: "0.5" } }, [201, 301, 401]],
  ["answers that take three seconds", { answerMs: 3_000 }, [103, 219, 402]],
  ["one request at once", { limits: { maxConcurrency: "1" } }, [113, 110, 409]],
])("%s", { timeout: 120_000 }, async (_, { rateLimit, limits, answerMs = 0, gapMs = 0 }, withoutLooks) => {
  await open({ timings, ...(rateLimit && { rateLimit }) }, { maxRequestsPerSecond: "10000", ...limits });
  const { service, emulator } = world;
  world.told.answerMs = answerMs;
  const counts: number[] = [];
  const counted = async <I, T>(items: readonly I[], each: (item: I) => Promise<T>): Promise<T[]> => {
    const before = emulator.requests().length;
    const results = await Promise.all(items.map(each));
    counts.push(emulator.requests().length - before);
    return results;
  };
  const made = await counted(names, (name) => service.create({ name, ...SMALL, timeouts }));
  const large = await counted(made, (kept) => service.update(kept, { ...kept.inputs, ...LARGE }));
  await counted(large, (kept) => service.remove(kept));
  expect([...made, ...large].filter(({ failed }) => failed !== undefined)).toEqual([]);
  expect(emulator.ledger().map(({ event }) => event)).toHaveLength(300);
  expect(emulator.state().services).toEqual([]);
  expect(sentWithoutLook(emulator.requests(), answerMs + gapMs)).toEqual([]);
  const tooMany = counts.filter((count, at) => count > 2 * (withoutLooks[at] ?? 0));
  expect(tooMany, `${counts.join(", ")} requests`).toEqual([]);
});

/** The calls that did not follow their last look: a read of the object, or the list. Only a read of it allows a delete. */
function sentWithoutLook(requests: readonly RequestRecord[], slackMs: number): string[] {
  const shownMs = new Map<string, number>();
  let listedMs = Number.NEGATIVE_INFINITY;
  return requests.flatMap(({ operation = "", params, at, status = 0 }) => {
    const id = params["service_id"] ?? "";
    if (status < 300 && operation === "listServices") listedMs = at;
    if (status < 300 && operation === "getService") shownMs.set(id, at);
    const limitMs = OLDEST_MS[operation];
    if (limitMs === undefined) return [];
    const alone = shownMs.get(id) ?? Number.NEGATIVE_INFINITY;
    const ageMs = at - slackMs - (operation === "deleteService" ? alone : Math.max(alone, listedMs));
    return ageMs <= limitMs ? [] : [`${operation} ${id}: ${ageMs} ms after its look`];
  });
}
