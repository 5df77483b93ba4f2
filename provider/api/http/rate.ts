// The rate limiter of a client: limits requests per second and requests at once, first come, first served. A server that
// accepts fewer gets fewer: each refusal doubles the distance between requests, every other answer
// shortens it.

import { onAbort } from "../../domain/values/abort";
import type { Clock } from "../../domain/values/clock";

export interface Gate {
  /** Resolves when it is this request's turn. */
  enter(signal?: AbortSignal): Promise<Turn>;
  /** How long the next request would wait, as far as that is known. */
  expectedWaitMs(): number;
  /** How long the pause that the server asked for still lasts. */
  pausedMs(): number;
}

/** A request on its way. */
export interface Turn {
  /** The server wants fewer requests, and none at all for `pauseMs`. */
  refused(pauseMs: number): void;
  /** The server wants no request for `pauseMs`; its rate is not affected. */
  paused(pauseMs: number): void;
  /** The server did not refuse the request for its rate. */
  answered(): void;
  /** The request has ended. Its sender must call this once. */
  leave(): void;
}

export interface GateOptions {
  clock: Clock;
  maxRequestsPerSecond: number;
  maxConcurrency: number;
}

export function createGate({ clock, maxRequestsPerSecond, maxConcurrency }: GateOptions): Gate {
  const spacingMs = 1_000 / maxRequestsPerSecond;
  const line: Line = {
    clock,
    leastSpacingMs: spacingMs,
    spacingMs,
    slowedMs: Number.NEGATIVE_INFINITY,
    maxConcurrency,
    waiting: [],
    running: 0,
    nextSlot: 0,
    pausedUntil: 0,
    alarm: undefined,
  };
  return {
    enter: (signal) => enter(line, signal),
    expectedWaitMs: () => Math.max(0, waitMs(line)) + line.waiting.length * line.spacingMs,
    pausedMs: () => Math.max(0, line.pausedUntil - clock.now()),
  };
}

/** A refusal doubles the distance between requests, from and up to this; some twenty answers halve it again. */
const FIRST_SPACING_MS = 1;
const LONGEST_SPACING_MS = 2_000;
const SHRINK = 0.97;

type Admit = () => void;

interface Line {
  readonly clock: Clock;
  /** The distance by the configured rate. */
  readonly leastSpacingMs: number;
  /** The distance that the server accepts. */
  spacingMs: number;
  /** When the distance was last doubled. */
  slowedMs: number;
  readonly maxConcurrency: number;
  readonly waiting: Admit[];
  running: number;
  /** When the next request may go, by the rate and by the server's pause. */
  nextSlot: number;
  pausedUntil: number;
  /** Set while the first request in line waits for its time slot, not for another request to end. */
  alarm: AbortController | undefined;
}

function enter(line: Line, signal?: AbortSignal): Promise<Turn> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const admit = (): void => {
      release?.();
      resolve(turnIn(line));
    };
    const release =
      signal &&
      onAbort(signal, () => {
        giveUp(line, admit);
        reject(signal.reason as Error);
      });
    line.waiting.push(admit);
    advance(line);
  });
}

function turnIn(line: Line): Turn {
  const enteredMs = line.clock.now();
  const paused = (pauseMs: number): void => {
    line.pausedUntil = Math.max(line.pausedUntil, line.clock.now() + pauseMs);
  };
  return {
    answered() {
      line.spacingMs = Math.max(line.leastSpacingMs, line.spacingMs * SHRINK);
    },
    paused,
    refused(pauseMs) {
      paused(pauseMs);
      // Those sent before it was slowed say nothing about the new pace.
      if (enteredMs <= line.slowedMs) return;
      line.slowedMs = line.clock.now();
      const doubled = Math.min(Math.max(2 * line.spacingMs, FIRST_SPACING_MS), LONGEST_SPACING_MS);
      line.spacingMs = Math.max(line.leastSpacingMs, doubled);
    },
    leave: once(() => {
      line.running -= 1;
      advance(line);
    }),
  };
}

function advance(line: Line): void {
  // A slot that is less than a millisecond away is used early; the average rate stays the same.
  while (hasRoom(line) && waitMs(line) < 1) admitNext(line);
  if (hasRoom(line)) setAlarm(line);
}

function hasRoom({ alarm, waiting, running, maxConcurrency }: Line): boolean {
  return alarm === undefined && waiting.length > 0 && running < maxConcurrency;
}

function waitMs({ clock, nextSlot, pausedUntil }: Line): number {
  return Math.max(nextSlot, pausedUntil) - clock.now();
}

function admitNext(line: Line): void {
  line.running += 1;
  line.nextSlot = Math.max(line.nextSlot, line.clock.now()) + line.spacingMs;
  line.waiting.shift()?.();
}

function setAlarm(line: Line): void {
  const own = new AbortController();
  const ring = (): void => {
    if (line.alarm !== own) return;
    line.alarm = undefined;
    advance(line);
  };
  line.alarm = own;
  line.clock.sleep(waitMs(line), own.signal).then(ring, ring);
}

function giveUp(line: Line, admit: Admit): void {
  line.waiting.splice(line.waiting.indexOf(admit), 1);
  if (line.waiting.length > 0) return;
  const { alarm } = line;
  line.alarm = undefined;
  alarm?.abort();
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
