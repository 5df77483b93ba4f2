// API: an object can be settled a moment before it shows its address. Clients need the address, so the provider waits
// for it, with a limit for servers that never show one.

import { DOUBT_MS } from "../session/confirmation";
import type { Run } from "./run";
import { readOrNothing } from "./waiter";

/** The object with its address, or without it after the limit, with a warning on the row. */
export async function withAddress(run: Run, item: unknown): Promise<unknown> {
  const { resource, session, context, id, scope, label, deadlineMs } = run;
  const { clock, pace } = session;
  const untilMs = Math.min(clock.now() + DOUBT_MS.noAddress, deadlineMs);
  let observed = item;
  for (;;) {
    const missing = resource.connection?.late(observed);
    if (missing === undefined) return observed;
    if (clock.now() >= untilMs) break;
    context.progress(`${label}: ${resource.statusOf(observed)}, ${missing}`);
    observed =
      (await readOrNothing(() => resource.reader(session, scope).nextPoll(id, pace.intervalMs, untilMs))) ?? observed;
    if (resource.condition(observed) !== "settled") return item;
  }
  context.warn(`${label} has ${resource.connection?.late(observed)}; \`pulumi refresh\` sees it when it is there`);
  return observed;
}
