// API: an object can be settled a moment before it shows its address. Whoever connects to it needs that, so it is awaited;
// a server that never shows one holds nobody up.

import type { Run } from "./run";
import { readOrNothing } from "./waiter";

/** So long is an address awaited that may never come. */
const LONGEST_MS = 60_000;

/** The object with its address, or as it was after a while, with a word on the row. */
export async function withAddress(run: Run, item: unknown): Promise<unknown> {
  const { resource, session, context, id, scope, label, deadlineMs } = run;
  const { clock, pace } = session;
  const untilMs = Math.min(clock.now() + LONGEST_MS, deadlineMs);
  let seen = item;
  for (;;) {
    const missing = resource.lateAddress?.(seen);
    if (missing === undefined) return seen;
    if (clock.now() >= untilMs) break;
    context.progress(`${label}: ${resource.statusOf(seen)}, ${missing}`);
    seen = (await readOrNothing(() => resource.reader(session, scope).nextPoll(id, pace.intervalMs, untilMs))) ?? seen;
    if (resource.condition(seen) !== "settled") return item;
  }
  context.warn(`${label} has ${resource.lateAddress?.(seen)}; \`pulumi refresh\` sees it when it is there`);
  return seen;
}
