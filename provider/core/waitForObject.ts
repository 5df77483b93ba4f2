// Waits for the object of a run. Its progress has every observed object, and the judge is asked only at a settled status. The
// wait ends early where the object has failed, or something else deletes it, or it is gone.

import { WaitError } from "../domain/errors";
import type { Values } from "../domain/values/value";
import type { Reported } from "./reported";
import { type Confirmation, createAnswers, whole } from "./patience";
import { presenceIn, provePresence } from "./presence";
import { isUnasked, shownIn } from "./compare";
import { isRecorded, MOVED } from "./state";
import type { Run } from "./run";
import { type FirstRead, type Verdict, waitFor } from "./wait";

/** The wait continues while something besides a settled status is missing. */
export function lacking(missing: string | undefined, item: Reported): Judged | undefined {
  return missing === undefined ? undefined : { is: "notYet", seen: `${item.status}, ${missing}` };
}

/**
 * What an object shows of the question of a wait. The wait succeeds once as many reads agree as the row needs, a whole interval
 * apart, or with `next` at once.
 */
interface Shown {
  readonly is: "shown";
  readonly answer: unknown;
  readonly row: Confirmation | undefined;
  readonly next?: "own" | undefined;
}

export type Judged = Verdict<Reported> | Shown;

/** Waits until the status is settled and `judge` says yes. */
export async function waitForObject(
  run: Run,
  what: string,
  judge: (item: Reported, isFirstRead: boolean) => Judged,
  first: FirstRead = "shared",
): Promise<Reported> {
  const { resource, session, context, id, scope, deadlineMs, label, unseenUntilMs, progress } = run;
  const { clock } = session;
  const reader = whole(resource.reader(session, scope), showsNeeded(run));
  const [paced, atOnce] = [createAnswers(session.pace), createAnswers()];
  const judged = (item: Reported): Judged => {
    const status = item.status;
    const condition = item.condition;
    if (condition === "pending") return { is: "notYet", seen: status };
    if (condition === "settled") return judge(item, isFirstRead);
    throw new WaitError(
      "object-failed",
      "terminal",
      `${what} of ${label}: ${condition === "deleting" ? `something other than this run is deleting it (${status})` : `it failed (${status})`}`,
      "Check the console for the cause. The next `pulumi up` reads it again, and continues if it can.",
    );
  };
  const vanished = (seen: string): WaitError =>
    new WaitError(
      "vanished",
      "vanished",
      `${what} of ${label}: it is no longer there (${seen})`,
      "Run `pulumi refresh` to see what happened to it.",
    );
  let isFirstRead = true;
  return waitFor(
    reader,
    {
      report: context.progress,
      what,
      label,
      id,
      deadlineMs,
      first,
      async absent() {
        if (clock.now() < (unseenUntilMs?.() ?? 0)) return { is: "notYet", seen: "not visible yet" };
        const presence = await provePresence(run);
        // No wait ends an outage, or makes a list whole.
        if (presence.is === "unproven" && ["all-gone", "list-cut"].includes(presence.error.errorName))
          throw presence.error;
        if (presence.is !== "none") return { is: "notYet", seen: "not found" };
        throw vanished("404");
      },
      judge(item) {
        if (presenceIn(item).is === "none") throw vanished(item.status);
        progress.observed = item;
        progress.observedMs = clock.now() - (isFirstRead && first === "recent" ? session.pace.intervalMs / 2 : 0);
        if (item.condition === "pending") progress.unsettledMs = clock.now();
        const found = judged(item);
        isFirstRead = false;
        const seen = item.status;
        if (found.is === "yes") return { ...found, seen };
        if (found.is !== "shown") return found;
        const isBelieved = (found.next === undefined ? paced : atOnce).isBelieved(found.answer, found.row);
        return isBelieved ? { is: "yes", answer: item, seen } : { is: "notYet", seen, isQuiet: true, next: found.next };
      },
    },
    session.pace,
  );
}

/** Whether the row of a list shows of the object what the run plans from and waits for; of a new one, what an answer has shown. */
function showsNeeded({ resource, inputs, wanted, progress, olds, owed, isNew }: Run): (row: Reported) => boolean {
  const { landed, current } = progress;
  const steps = [...landed, current].filter((step) => step !== undefined);
  const changed = [...Object.keys(wanted), ...steps.flatMap(({ properties }) => properties)];
  const hasMoved = owed.includes(MOVED) || steps.some(({ movesAddresses }) => movesAddresses);
  const told = isNew ? (progress.observed ?? progress.answered?.item)?.live() : undefined;
  const needed = [
    ...changed.filter((key) => resource.fields[key]?.keptAsAsked !== true),
    ...shownIn(resource, told ?? {}),
  ];
  const before: Values = progress.start === undefined ? {} : progress.start.live();
  return (row) => {
    // The first record of an object is compared with all that it shows.
    if (!isNew && !isRecorded(olds)) return false;
    if (!row.showsCondition) return false;
    if (row.condition !== "settled") return true;
    // A move ends addresses, which a list may leave out in place of showing that there are none.
    if (hasMoved) return false;
    const live = row.live();
    const isExpected = (key: string): boolean =>
      current === undefined || !isUnasked(resource.fields[key], wanted[key], [before[key]], live[key]);
    return (
      row.lacks?.(inputs).dependents === undefined && needed.every((key) => live[key] !== undefined && isExpected(key))
    );
  };
}
