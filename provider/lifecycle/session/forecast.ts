// When the next read of a collection is worth it. Pure: it is told the time and who waits, and answers a moment.
//
// Without a forecast, waits are read at a pace that grows with their age. A forecast only ever makes a read come sooner,
// so a wrong one costs a few reads, and nobody learns later that an operation is done. It is made of two things: how long
// operations of the kind took so far, and how many ended lately that were not expected to.

import { createDurations, type Durations } from "./durations";
import type { Expectation } from "./session";

/** A wait, as it was last seen. */
export interface Awaited extends Expectation {
  /** When it was last read and still pending, or began. */
  pendingMs: number;
}

export interface Forecast {
  /** A wait was still pending at `pendingMs` and done at `doneMs`. */
  learn(expectation: Expectation, pendingMs: number, doneMs: number): void;
  /** A read began this long after the one before it. */
  spend(pauseMs: number): void;
  /** The best moment of the next read, not before `earliestMs`, and but for jitter not after `latestMs`. */
  nextReadMs(awaited: readonly Awaited[], earliestMs: number, latestMs: number): number;
}

/** What one more read is worth: so many intervals in which an operation is done and nobody knows. */
const COST = 0.9;
/** The future is looked at in steps of this share of the interval, and this many intervals far. */
const STEP = 0.02;
const HORIZON = 2.2;
/** Waits within this share of an interval, or this share of their age, count as one. */
const SAME = 0.02;
const SAME_AGE = 0.005;
/** A chance that counts for nothing, also times a thousand. */
const NEGLIGIBLE = 1e-6;
/** A pause may be stretched by as much as jitter stretches it, where that saves a read. */
const STRETCH = 1.05;

/** An operation is unexpected at an age with less than this chance. */
const UNEXPECTED = 0.3;
/** Unexpected ends within so many intervals are a stream that goes on; so many of them are worth a read. */
const STREAM = 2.5;
const STREAM_NOW = 0.8;
const STREAM_READ = 2;

/**
 * Reads at the pace are paid for by the time that passes, reads that come sooner by what earlier ones saved: half an
 * interval for each wait that has ended, against all that were under way. So a wrong forecast soon has nothing to spend.
 */
const SAVED = 0.5;
const MOST_CREDIT = 2;

interface Learned extends Awaited {
  doneMs: number;
}

export function createForecast(intervalMs: number): Forecast {
  const kinds = new Map<string, Durations>();
  const durationsOf = (kind: string): Durations => {
    const durations = kinds.get(kind) ?? createDurations(intervalMs);
    kinds.set(kind, durations);
    return durations;
  };
  let credit = MOST_CREDIT;
  const earn = (reads: number): void => {
    credit = Math.min(MOST_CREDIT, credit + reads);
  };
  let learned: Learned[] = [];
  let unexpected: Learned[] = [];

  /** What one read has found is judged by what was known before it. */
  function absorb(stillWaiting: number): void {
    if (learned.length > 0) earn((SAVED * learned.length) / (learned.length + stillWaiting));
    unexpected.push(...learned.filter((wait) => chanceOf(durationsOf(wait.kind), wait) < UNEXPECTED));
    for (const { kind, sinceMs, pendingMs, doneMs } of learned) {
      durationsOf(kind).learn(pendingMs - sinceMs, doneMs - sinceMs);
    }
    learned = [];
  }

  return {
    learn(expectation, pendingMs, doneMs) {
      learned.push({ ...expectation, pendingMs, doneMs });
    },
    spend(pauseMs) {
      earn(Math.min(1, pauseMs / intervalMs) - 1);
    },
    nextReadMs(awaited, earliestMs, latestMs) {
      absorb(awaited.length);
      if (awaited.length === 0 || earliestMs >= latestMs) return latestMs;
      const lastReadMs = awaited.reduce((least, { pendingMs }) => Math.min(least, pendingMs), latestMs);
      unexpected = unexpected.filter(({ doneMs }) => lastReadMs - doneMs <= STREAM * intervalMs);
      const streamMs = lastReadMs + STREAM_READ / streamPerMs(unexpected, awaited, lastReadMs, intervalMs);
      const groups = credit < 0 ? [] : groupsOf(awaited, durationsOf, intervalMs);
      const bestMs = bestMoment(groups, lastReadMs, intervalMs);
      const dueMs = bestMs === undefined ? latestMs : spread(bestMs, lastReadMs, latestMs);
      return Math.max(earliestMs, Math.min(dueMs, streamMs));
    },
  };
}

/** The chance that an operation pending then is done by now. */
function chanceOf(durations: Durations, { sinceMs, pendingMs, doneMs }: Learned): number {
  const before = durations.doneBy(pendingMs - sinceMs);
  return (durations.doneBy(doneMs - sinceMs) - before) / (1 - before);
}

/**
 * Operations per millisecond that end now: those that ended lately without being expected to, when they were as old as
 * operations are that still wait. What a single read has found is no stream.
 */
function streamPerMs(
  unexpected: readonly Learned[],
  awaited: readonly Awaited[],
  nowMs: number,
  intervalMs: number,
): number {
  if (unexpected.length < 2) return 0;
  const isAsOldAs = (ended: Learned, wait: Awaited): boolean => {
    const olderMs = nowMs - wait.sinceMs - (ended.doneMs - ended.sinceMs);
    return wait.kind === ended.kind && olderMs >= 0 && olderMs <= STREAM * intervalMs;
  };
  const ended = unexpected.filter((one) => awaited.some((wait) => isAsOldAs(one, wait)));
  if (new Set(ended.map(({ doneMs }) => doneMs)).size < 2) return 0;
  const endedNow = ended.filter(({ doneMs }) => nowMs - doneMs < STREAM_NOW * intervalMs);
  return Math.max(ended.length / STREAM, endedNow.length / STREAM_NOW) / intervalMs;
}

/** Waits that are about as old and were last read at about the same time. */
interface Group {
  durations: Durations;
  sinceMs: number;
  count: number;
  doneBefore: number;
}

function groupsOf(
  awaited: readonly Awaited[],
  durationsOf: (kind: string) => Durations,
  intervalMs: number,
): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { kind, sinceMs, pendingMs } of awaited) {
    const sameMs = Math.max(SAME * intervalMs, SAME_AGE * (pendingMs - sinceMs));
    const key = `${Math.round(sinceMs / sameMs)} ${Math.round(pendingMs / sameMs)} ${kind}`;
    const group = groups.get(key);
    if (group !== undefined) {
      group.count += 1;
      continue;
    }
    const durations = durationsOf(kind);
    groups.set(key, { durations, sinceMs, count: 1, doneBefore: durations.doneBy(pendingMs - sinceMs) });
  }
  return [...groups.values()];
}

/**
 * The first moment at which waiting longer costs more than a read. It costs the time of those that are done by then; a
 * later read would save one where more are about to be done.
 */
function bestMoment(groups: readonly Group[], nowMs: number, intervalMs: number): number | undefined {
  const stepMs = STEP * intervalMs;
  const ahead = 1 / STEP;
  // Of a thousand waits, few are near the age at which such operations end: each step looks at those alone.
  const endMs = nowMs + (HORIZON + 1) * intervalMs;
  const near = groups.filter(
    ({ durations, sinceMs, doneBefore }) => durations.doneBy(endMs - sinceMs) - doneBefore > NEGLIGIBLE,
  );
  const doneBy = (atMs: number): number =>
    near.reduce((sum, { durations, sinceMs, count, doneBefore }) => {
      return sum + (count * Math.max(0, durations.doneBy(atMs - sinceMs) - doneBefore)) / (1 - doneBefore);
    }, 0);
  const done = Array.from({ length: HORIZON / STEP + ahead }, (_, step) => doneBy(nowMs + step * stepMs));
  let lateMs = 0;
  for (let step = 1; step < HORIZON / STEP; step += 1) {
    const here = done[step] ?? 0;
    const soon = (done[step + ahead] ?? here) - here;
    lateMs += here * stepMs;
    if (lateMs > 0 && lateMs >= (COST * intervalMs * soon) / (soon + here)) return nowMs + step * stepMs;
  }
  return undefined;
}

/** Where the best moment is farther away than a pause may last, the reads until then are spread evenly. */
function spread(bestMs: number, lastReadMs: number, latestMs: number): number {
  const pauses = Math.ceil((bestMs - lastReadMs) / Math.max(1, STRETCH * (latestMs - lastReadMs)));
  return lastReadMs + (bestMs - lastReadMs) / Math.max(1, pauses);
}
