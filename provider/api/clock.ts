// Time as the machine has it.

import type { Clock } from "../domain/values/clock";

let lastMs = 0;
let setBackMs = 0;

/** Never goes back: where the clock of the machine is set back, every wait would be longer by as much. */
function now(): number {
  const machineMs = Date.now();
  setBackMs += Math.max(0, lastMs - machineMs);
  lastMs = machineMs;
  return machineMs + setBackMs;
}

export const systemClock: Clock = {
  now,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        Math.max(0, ms),
      );
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};
