// Many services at a server that lets five requests a second through and answers 429 to the rest: created, found
// unchanged, read and deleted by their handlers. Nothing fails, nothing is made twice, and the requests are counted.

import { expect, test } from "vitest";
import { repeats } from "../../support/repeats";
import { open, world } from "../scene";

const PER_SECOND = 5;
// Statuses take minutes, as in the field.
const timings = { queued: 20_000, create: 90_000, delete: 60_000 };

// A server that does not say when to come back is asked more often, which costs real time here: fewer services do.
test.each([
  {
    count: repeats(150, 1_000),
    words: "a Retry-After of a second",
    rateLimit: { perSecond: PER_SECOND, retryAfterSeconds: 1 },
  },
  { count: repeats(50, 300), words: "no Retry-After", rateLimit: { perSecond: PER_SECOND } },
])("$count services, 429s with $words", { timeout: 120_000 }, async ({ count, rateLimit }) => {
  await open({ rateLimit, timings }, { maxRequestsPerSecond: "10000" });
  const { service, emulator } = world;
  const all = Array.from({ length: count }, (_, index) => ({ name: `s${index}` }));

  const made = await counted(() => Promise.all(all.map((args) => service.create(args))));
  expect(made.result.filter(({ failed }) => failed !== undefined)).toEqual([]);
  const ids = made.result.map(({ id }) => id);
  expect(new Set(ids).size).toBe(count);
  const same = await counted(() => Promise.all(made.result.map((kept, at) => service.update(kept, all[at] ?? {}))));
  expect(same).toMatchObject({ passed: 0, refused: 0 });
  world.restart();
  const read = await counted(() => Promise.all(made.result.map((kept) => service.refresh(kept))));
  expect(read.result.map((kept) => kept?.id)).toEqual(ids);
  world.restart();
  const gone = await counted(() => Promise.all(made.result.map((kept) => service.remove(kept))));

  const events = emulator.ledger().map(({ event }) => event);
  expect(events.toSorted()).toEqual([...all.map(() => "created"), ...all.map(() => "deleted")]);
  expect(emulator.state().services).toEqual([]);
  expect(costs({ made, read, gone }, count)).toEqual([]);
});

interface Counted<T> {
  result: T;
  /** Requests that the server let through. */
  passed: number;
  /** Requests that met a 429. */
  refused: number;
  /** On the world's clock. */
  minutes: number;
}

async function counted<T>(work: () => Promise<T>): Promise<Counted<T>> {
  world.emulator.clearRequests();
  const { seconds, result } = await world.timed(work);
  const requests = world.emulator.requests();
  const refused = requests.filter(({ status }) => status === 429).length;
  return { result, passed: requests.length - refused, refused, minutes: seconds / 60 };
}

/** What costs more than it should, with all figures. */
function costs(steps: Record<"made" | "read" | "gone", Counted<unknown>>, count: number): string[] {
  // A post for each and a list now and then; one list for all; a read for the live tag, a delete and two reads for each,
  // the first one right after the delete, and a list now and then.
  const reads = (step: Counted<unknown>): number => 90 * step.minutes;
  const most = { made: count + reads(steps.made), read: 3, gone: 4 * count + reads(steps.gone) };
  return Object.entries(steps).flatMap(([name, step]) => {
    const { passed, refused, minutes } = step;
    // The server is the bottleneck: a good part of the time goes by with what it lets through.
    const isCheap = passed <= most[name as keyof typeof most] && minutes < passed / PER_SECOND / 60 + 4;
    const figures = `${name}: ${passed} requests passed, ${refused} were refused, in ${minutes.toFixed(1)} minutes`;
    return isCheap && refused < 0.1 * passed ? [] : [figures];
  });
}
