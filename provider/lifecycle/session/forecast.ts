// Computes the best moment of the next read of a collection. Pure: its input is the time and the waits.
//
// Without a forecast, the pause between reads grows with the age of the waits (pace.ts). A forecast adds reads between these.
// So a wrong forecast costs a few reads, and no wait ends later because of it. It uses two things: how long operations of the
// kind have taken so far, and how many have ended recently without being expected to.

import { createDurations, type Durations } from "./learnedDurations";
import type { Expectation } from "./session";

/** A wait, as of its last read. */
export interface Awaited extends Expectation {
  /** When it was last read as pending, or began. */
  pendingMs: number;
}

export interface Forecast {
  /** A wait was still pending at `pendingMs` and done at `doneMs`. */
  learn(expectation: Expectation, pendingMs: number, doneMs: number): void;
  /** A read began this long after the one before it. */
  readBegan(pauseMs: number): void;
  /** The best moment of the next read: not before `earliestMs`, and, except for jitter, not after `latestMs`. */
  nextReadMs(awaited: readonly Awaited[], earliestMs: number, latestMs: number): number;
}

/** The cost of one more read, in intervals during which a finished operation is not noticed. */
const COST_INTERVALS = 0.9;
/** Moments of the next read are compared in steps of this share of the interval. */
const STEP_INTERVALS = 0.02;
/** Waits whose ages differ by less than this share of the interval, or of their age, count as one group. */
const SAME_INTERVALS = 0.02;
const SAME_AGE = 0.005;
/** A probability so small that a thousand such waits change nothing. */
const NEGLIGIBLE = 1e-6;
/** A pause may be longer by the share that jitter adds. */
const STRETCH = 1.05;
/** The pause is stretched if, after this many such pauses, at least this many more operations are done. */
const PAUSES = [1, 2, 3];
const MORE_OPERATIONS = 0.25;

/** An operation that ends at an age with less than this probability is unexpected. */
const UNEXPECTED = 0.3;
/** Unexpected ends within this time count as a continuing stream. */
const STREAM_INTERVALS = 2.5;
/** The current rate of the stream is computed from the ends within this time. */
const NOW_INTERVALS = 0.8;
/** A read is useful when this many operations of the stream have ended. */
const STREAM_OPERATIONS = 2.5;

/**
 * Each read costs one credit. Each interval of time earns one credit, and each read that finds ended waits earns up to half
 * a credit: their share of all waits. A wrong forecast soon has no credit left, and then adds no reads.
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

  /** The results of one read are judged by what was known before it. */
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
    readBegan(pauseMs) {
      earn(Math.min(1, pauseMs / intervalMs) - 1);
    },
    nextReadMs(awaited, earliestMs, latestMs) {
      absorb(awaited.length);
      if (awaited.length === 0 || earliestMs >= latestMs) return latestMs;
      const lastReadMs = awaited.reduce((least, { pendingMs }) => Math.min(least, pendingMs), latestMs);
      unexpected = unexpected.filter(({ doneMs }) => lastReadMs - doneMs <= STREAM_INTERVALS * intervalMs);
      const streamMs = lastReadMs + STREAM_OPERATIONS / streamPerMs(unexpected, awaited, lastReadMs, intervalMs);
      const groups = credit < 0 ? [] : groupsOf(awaited, durationsOf, intervalMs);
      const doneBy = doneByOf(groups, latestMs + Math.max(...PAUSES) * intervalMs);
      const dueMs = bestMoment(doneBy, { lastMs: lastReadMs, earliestMs, latestMs }, intervalMs);
      return Math.max(earliestMs, Math.min(dueMs, streamMs));
    },
  };
}

/** The probability that an operation that was pending then is done by now. */
function chanceOf(durations: Durations, { sinceMs, pendingMs, doneMs }: Learned): number {
  const before = durations.doneBy(pendingMs - sinceMs);
  return (durations.doneBy(doneMs - sinceMs) - before) / (1 - before);
}

/**
 * The current rate of ending operations, per millisecond. It counts operations that ended recently without being expected
 * to, at ages that pending operations have now. The results of a single read are not a stream.
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
    return wait.kind === ended.kind && olderMs >= 0 && olderMs <= STREAM_INTERVALS * intervalMs;
  };
  const ended = unexpected.filter((one) => awaited.some((wait) => isAsOldAs(one, wait)));
  if (new Set(ended.map(({ doneMs }) => doneMs)).size < 2) return 0;
  const endedNow = ended.filter(({ doneMs }) => nowMs - doneMs < NOW_INTERVALS * intervalMs);
  return Math.max(ended.length / STREAM_INTERVALS, endedNow.length / NOW_INTERVALS) / intervalMs;
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
    const sameMs = Math.max(SAME_INTERVALS * intervalMs, SAME_AGE * (pendingMs - sinceMs));
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
 * The moment before the latest one at which a read saves the most unnoticed time of finished operations, if that is worth a
 * read. Otherwise the latest moment, or a little later if one of the next reads then finds more.
 */
function bestMoment(doneBy: (atMs: number) => number, reads: Reads, intervalMs: number): number {
  const { lastMs, earliestMs, latestMs } = reads;
  const stepMs = STEP_INTERVALS * intervalMs;
  const sooner = bestOf(momentsOf(Math.max(earliestMs, lastMs), latestMs, stepMs), (atMs) => {
    return (doneBy(atMs) * (latestMs - atMs)) / intervalMs;
  });
  if (sooner.gain >= COST_INTERVALS) return sooner.atMs;
  const gainOf = (pauses: number, atMs: number): number => {
    const endMs = lastMs + pauses * (atMs - lastMs);
    const plannedMs = lastMs + pauses * (latestMs - lastMs);
    const done = doneBy(endMs);
    return done - doneBy(plannedMs) - (done * (endMs - plannedMs)) / intervalMs;
  };
  const stretched = momentsOf(latestMs, lastMs + STRETCH * (latestMs - lastMs), stepMs);
  const later = bestOf(stretched, (atMs) => Math.max(...PAUSES.map((pauses) => gainOf(pauses, atMs))));
  return later.gain >= MORE_OPERATIONS ? later.atMs : latestMs;
}

/** The last read, and the range of the next one. */
interface Reads {
  lastMs: number;
  earliestMs: number;
  latestMs: number;
}

interface Moment {
  atMs: number;
  gain: number;
}

function bestOf(moments: readonly number[], gainOf: (atMs: number) => number): Moment {
  let best: Moment = { atMs: 0, gain: 0 };
  for (const atMs of moments) {
    const gain = gainOf(atMs);
    if (gain > best.gain) best = { atMs, gain };
  }
  return best;
}

function momentsOf(fromMs: number, untilMs: number, stepMs: number): readonly number[] {
  const count = Math.max(0, Math.floor((untilMs - fromMs) / stepMs) + 1);
  return Array.from({ length: count }, (_, step) => fromMs + step * stepMs);
}

/** The expected number of operations done by a moment. Of a thousand waits, few are near the age at which operations end. */
function doneByOf(groups: readonly Group[], endMs: number): (atMs: number) => number {
  const near = groups.filter(
    ({ durations, sinceMs, doneBefore }) => durations.doneBy(endMs - sinceMs) - doneBefore > NEGLIGIBLE,
  );
  return (atMs) =>
    near.reduce((sum, { durations, sinceMs, count, doneBefore }) => {
      return sum + (count * Math.max(0, durations.doneBy(atMs - sinceMs) - doneBefore)) / (1 - doneBefore);
    }, 0);
}
