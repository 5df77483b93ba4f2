// The progress on a resource's row: when a step starts, when a status changes, and at an interval while nothing changes.
// A repeated line within that interval is dropped.

import type { Clock } from "../../domain/values/clock";
import type { Context } from "./context";
import { SILENCE_MS } from "./pace";

/** The context for one operation, with progress that never repeats itself within the silence. */
export function paced(context: Context, clock: Clock): Context {
  const shownMs = new Map<string, number>();
  return {
    ...context,
    progress: (line) => {
      const nowMs = clock.now();
      if (nowMs - (shownMs.get(line) ?? Number.NEGATIVE_INFINITY) < SILENCE_MS) return;
      shownMs.set(line, nowMs);
      context.progress(line);
    },
  };
}
