// What is said on a resource's row: when a step starts, when a status changes, and every so often while nothing does.
// Whoever has only the same to say again is not heard.

import type { Clock } from "../../domain/values/clock";
import type { Context } from "./context";
import { SILENCE_MS } from "./pace";

/** The context for one operation, with progress that never repeats itself within the silence. */
export function paced(context: Context, clock: Clock): Context {
  const saidMs = new Map<string, number>();
  return {
    ...context,
    progress: (line) => {
      const nowMs = clock.now();
      if (nowMs - (saidMs.get(line) ?? Number.NEGATIVE_INFINITY) < SILENCE_MS) return;
      saidMs.set(line, nowMs);
      context.progress(line);
    },
  };
}
