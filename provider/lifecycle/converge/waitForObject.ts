// Waits for the object of a run. The run keeps every observed object, and the acceptor runs only at a settled status.

import { ApiError, WaitError } from "../../domain/errors";
import type { Step } from "../../plan/step";
import { CONFIRMATION, DOUBT_MS } from "../session/confirmation";
import { presenceOf } from "../session/presence";
import type { Observable, Target } from "../resources/observation";
import type { Waited } from "./waited";
import { waitFor, type FirstRead, type Acceptance } from "./waiter";

/** Whether the last read shows the effect of the step. */
export function isProven(run: Waited, step: Step): boolean {
  if (run.observed === undefined || step.proof === undefined) return false;
  return step.proof(run.resource.live(run.observed, run.scope));
}

/**
 * The kind of the first read after a call. If the answer shows a change under way, the first read comes after a pause; if
 * it shows the effect, or no object, the object is read at once by itself.
 */
export function firstReadAfter({ answered, resource }: Waited, isEffective: (item: unknown) => boolean): FirstRead {
  const item = answered?.item;
  if (item === undefined) return answered === undefined ? "shared" : "own";
  if (resource.condition(item) === "pending") return "later";
  return acceptStatus(resource, item) === undefined && isEffective(item) ? "own" : "shared";
}

/** Waits until the status is settled and `acceptor` answers success. The run keeps every observed object. */
export async function waitForObject(
  run: Waited,
  what: string,
  acceptor: (item: unknown, isFirstRead: boolean) => Acceptance,
  first: FirstRead = "shared",
): Promise<unknown> {
  const { resource, session, id, scope, deadlineMs, label, unseenUntilMs } = run;
  let isFirstRead = true;
  const wait = (report: (line: string) => void): Promise<unknown> =>
    waitFor(
      resource.reader(session, scope),
      {
        what,
        label,
        id,
        deadlineMs,
        first,
        unseenUntilMs,
        isReallyGone: async () =>
          (await presenceOf({
            ...run,
            deadlineMs: Math.min(deadlineMs, session.clock.now() + DOUBT_MS.listInWait),
          })) === "gone",
        report,
        acceptor: (observed) => {
          run.observed = observed;
          if (resource.condition(observed) === "pending") run.unsettledMs = session.clock.now();
          const acceptance = acceptStatus(resource, observed) ?? acceptor(observed, isFirstRead);
          isFirstRead = false;
          return acceptance.is === "success" ? { is: "success", seen: resource.statusOf(observed) } : acceptance;
        },
      },
      session.pace,
    );
  const item = await (run.hasTouched
    ? settleInBackground(run, run.context.progress, wait)
    : wait(run.context.progress));
  if (item === undefined) throw new WaitError("vanished", `${what} of ${label}: it is no longer there`);
  return item;
}

/** What the status alone means for the wait; undefined when it lets the wait go on to the acceptor. */
function acceptStatus(resource: Observable, item: unknown): Acceptance | undefined {
  const status = resource.statusOf(item);
  const condition = resource.condition(item);
  if (condition === "pending") return { is: "retry", seen: status };
  if (condition === "failed") return { is: "failure", why: `it failed (${status}${suffix(resource.failure?.(item))})` };
  if (condition === "deleting") return { is: "failure", why: `it is going or gone (${status}), and not by this run` };
  return undefined;
}

function suffix(text: string | undefined): string {
  return text === undefined ? "" : `: ${text}`;
}

/**
 * Waits for the end of a change that was sent under the object's lock, which is held. A refused read (401, 403) ends an
 * operation at once, but the change continues at the server, which may still show the old values and accept a second one. So
 * the next holder of the lock waits for the end of the first. A deadline ends every wait.
 */
export async function settleInBackground<T>(
  { resource, session, id, scope }: Target,
  progress: (line: string) => void,
  wait: (report: (line: string) => void) => Promise<T>,
): Promise<T> {
  try {
    return await wait(progress);
  } catch (error) {
    if (error instanceof ApiError) session.locks.settleBeforeNext(resource.lock(id, scope), settle);
    throw error;
  }

  async function settle(): Promise<void> {
    for (let refusals = 0; refusals < CONFIRMATION.refusedRead.agreeing; refusals += 1) {
      // The row of an operation that has ended shows no more progress.
      const error = await wait(() => undefined).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!(error instanceof ApiError)) return;
      await session.clock.sleep(session.pace.intervalMs);
    }
  }
}
