// The gate every request of a client passes: so many per second, so many at once, first come, first served.

import type { Clock } from "../domain/clock";

export interface Gate {
  /** Resolves when it is this request's turn; whoever entered must call the returned function once. */
  enter(signal?: AbortSignal): Promise<() => void>;
  /** Lets nobody in for so long: the server asked this client to slow down. */
  pause(ms: number): void;
  /** How long somebody who comes next would wait, as far as it is known. */
  expectedWaitMs(): number;
  /** How long the server's wish still keeps everybody out. */
  pausedMs(): number;
}

export interface GateOptions {
  clock: Clock;
  maxRequestsPerSecond: number;
  maxConcurrency: number;
}

interface Waiter {
  admit: () => void;
}

export function createGate({ clock, maxRequestsPerSecond, maxConcurrency }: GateOptions): Gate {
  const spacingMs = 1_000 / maxRequestsPerSecond;
  const queue: Waiter[] = [];
  let running = 0;
  let nextSlot = 0;
  let pausedUntil = 0;
  let alarm: AbortController | undefined;

  const waitMs = (): number => Math.max(nextSlot, pausedUntil) - clock.now();

  const admitNext = (): void => {
    const waiter = queue.shift();
    if (waiter === undefined) return;
    running += 1;
    nextSlot = Math.max(nextSlot, clock.now()) + spacingMs;
    waiter.admit();
  };

  const hasRoom = (): boolean => alarm === undefined && queue.length > 0 && running < maxConcurrency;

  const advance = (): void => {
    // A slot that is less than a millisecond away is taken early; the average stays what it should be.
    while (hasRoom() && waitMs() < 1) admitNext();
    if (hasRoom()) setAlarm(waitMs());
  };

  const setAlarm = (ms: number): void => {
    const own = new AbortController();
    const ring = (): void => {
      if (alarm !== own) return;
      alarm = undefined;
      advance();
    };
    alarm = own;
    clock.sleep(ms, own.signal).then(ring, ring);
  };

  const leaveQueue = (waiter: Waiter): void => {
    const index = queue.indexOf(waiter);
    if (index >= 0) queue.splice(index, 1);
    if (queue.length > 0) return;
    const last = alarm;
    alarm = undefined;
    last?.abort();
  };

  const leave = (): void => {
    running -= 1;
    advance();
  };

  return {
    enter: (signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const onAbort = (): void => {
          leaveQueue(waiter);
          reject(signal?.reason as Error);
        };
        const waiter: Waiter = {
          admit: () => {
            signal?.removeEventListener("abort", onAbort);
            resolve(once(leave));
          },
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        queue.push(waiter);
        advance();
      }),
    pause: (ms) => {
      pausedUntil = Math.max(pausedUntil, clock.now() + ms);
    },
    pausedMs: () => Math.max(0, pausedUntil - clock.now()),
    expectedWaitMs: () => Math.max(0, waitMs()) + queue.length * spacingMs,
  };
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
