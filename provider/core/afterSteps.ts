// What follows the last step, without the lock: what dependents need, the addresses of the object, and connections to them.
// API: an object can be settled a moment before it shows its address, so the provider waits for it, with a limit for servers
// that never show one. API: a service is READY a moment before its address accepts connections; with `waitFor: "accepting"` a
// change is done only when the address does.

import { acceptConnection, type DatabaseAddress, isReserved } from "../domain/connection";
import { WaitError, readOrNothing } from "../domain/errors";
import { formatDuration } from "../domain/values/duration";
import { oneLine } from "../domain/values/printable";
import { DOUBT_MS, whole } from "./patience";
import type { Reported } from "./reported";
import type { Run } from "./run";
import { lacking, waitForObject } from "./waitForObject";
import { ask, afterPause, type Verdict } from "./wait";

/** Maximum wait for all addresses of one object. */
const LONGEST_MS = 2 * 60_000;
/** Maximum time for one attempt. */
const ATTEMPT_MS = 5_000;
/** A late address is usually late by a fraction of a second. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
const GROWTH = 1.5;

/** Returns the object as it is then. */
export async function afterSteps(run: Run, last: Reported): Promise<Reported> {
  const { landed } = run.progress;
  const ready = await withMissing(run, last);
  const item = run.isNew || landed.length > 0 ? await withAddress(run, ready) : ready;
  // After other changes the address accepts connections as before.
  const mayRefuse = run.isNew || run.owed.length > 0 || landed.some((step) => step.isAsync);
  const addresses = mayRefuse ? (item.lacks?.(run.inputs).connections ?? []) : [];
  const untilMs = Math.min(run.session.clock.now() + LONGEST_MS, run.deadlineMs);
  for (const address of addresses) await waitForAddress(run, address, untilMs);
  return item;
}

/** What dependents need may depend on a change by another resource. */
async function withMissing(run: Run, item: Reported): Promise<Reported> {
  const missing = (seen: Reported): string | undefined => seen.lacks?.(run.inputs).dependents;
  if (missing(item) === undefined) return item;
  const judge = (seen: Reported) => lacking(missing(seen), seen) ?? { is: "yes" as const, answer: seen };
  return waitForObject(run, run.createOperation ?? "settling", judge, "later");
}

/** Returns the object with its address; after the limit without it, with a warning on the row. */
async function withAddress(run: Run, item: Reported): Promise<Reported> {
  const { resource, session, context, id, scope, label, deadlineMs } = run;
  const { clock, pace } = session;
  const untilMs = Math.min(clock.now() + DOUBT_MS.shownLate, deadlineMs);
  const reader = whole(resource.reader(session, scope));
  let observed = item;
  const judge = (): Verdict<Reported> =>
    observed.lateAddress === undefined
      ? { is: "yes", answer: observed }
      : { is: "notYet", seen: `${observed.status}, ${observed.lateAddress}` };
  return ask<Reported>(clock, {
    untilMs,
    pauseMs: () => pace.intervalMs,
    async look(inMs) {
      const poll = { inMs, deadlineMs: untilMs };
      if (inMs > 0) observed = (await readOrNothing(() => reader.nextPoll(id, poll))) ?? observed;
      return judge();
    },
    report: (seen) => context.progress(`${label}: ${seen}`),
    late() {
      context.warn(`${label} has ${observed.lateAddress}; run \`pulumi refresh\` later to read it`);
      return observed;
    },
  });
}

function waitForAddress({ session, context, label }: Run, address: DatabaseAddress, untilMs: number): Promise<void> {
  const { clock } = session;
  const startedMs = clock.now();
  const place = oneLine(`${address.host}:${address.port}`);
  let isReached = false;
  return ask<void>(clock, {
    untilMs,
    pauseMs: (_ageMs, looks) => Math.min(FIRST_PAUSE_MS * GROWTH ** (looks - 1), LONGEST_PAUSE_MS),
    look: afterPause(clock, async () => {
      const attempt = await session.probe(address, Math.max(1, Math.min(ATTEMPT_MS, untilMs - clock.now())));
      isReached ||= attempt.is !== "unreachable";
      const acceptance = acceptConnection(attempt, address, isReached ? 0 : clock.now() - startedMs);
      if (acceptance === "retry") return { is: "notYet", seen: attempt.seen };
      if (acceptance === "outOfReach") {
        const why = isReserved(address)
          ? `nothing listens at ${place}, because an emulator without databases gives such addresses`
          : `could not check from this machine whether ${place} accepts connections: ${attempt.seen}`;
        if (!session.outOfReach.has(attempt.seen))
          context.warn(`${label}: ${why}; not waiting for it, nor for others like it`);
        session.outOfReach.add(attempt.seen);
      }
      return { is: "yes", answer: undefined };
    }),
    report: (seen) => context.progress(`READY, but ${place} accepts no connections yet: ${seen}`),
    late({ seen, tally, elapsedMs }) {
      throw new WaitError(
        "not-accepting",
        "timeout",
        `${label} is READY, but ${place} accepts no connections, after ${formatDuration(elapsedMs)} (last: ${seen}; seen: ${tally})`,
        'Run `pulumi up` again to wait again. To skip this check, set `waitFor: "ready"`.',
      );
    },
  });
}
