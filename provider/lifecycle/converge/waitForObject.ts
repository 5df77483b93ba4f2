// Watching one object of a run: every look is kept there, and only a settled status lets a wait go on to its question.

import { WaitError } from "../../domain/errors";
import type { Step } from "../../plan/step";
import { settleInBackground } from "./settleInBackground";
import { presenceOf } from "../session/presence";
import type { Resource } from "../resources/resource";
import type { Run } from "./run";
import { waitFor, type FirstRead, type Acceptance } from "./waiter";

/** So many settled looks are given to the effect of a call that may have arrived, before it is sent again. */
export const LOOKS_BEFORE_REPEAT = 8;

/** How long a list may take that tells whether a 404 is true. */
const DOUBT_MS = 20_000;

/** Whether the last look shows the effect of the step. */
export function isProven(run: Run, step: Step): boolean {
  if (run.observed === undefined || step.proof === undefined) return false;
  return step.proof(run.resource.live(run.observed, run.scope));
}

/**
 * How soon a look is worth it after a call. An answer that shows work under way is believed so far, and the object joins
 * the others that are awaited; one that shows the effect, or nothing, is looked after at once.
 */
export function firstReadAfter({ answered, resource }: Run, isThere: (item: unknown) => boolean): FirstRead {
  const item = answered?.item;
  if (item === undefined) return answered === undefined ? "shared" : "own";
  return acceptStatus(resource, item) === undefined && isThere(item) ? "own" : "shared";
}

/** Waits until the status is settled and `judge` agrees. Every look is kept in the run. */
export async function waitForObject(
  run: Run,
  what: string,
  acceptor: (item: unknown, isFirstRead: boolean) => Acceptance,
  first: FirstRead = "shared",
): Promise<unknown> {
  const { resource, session, id, scope, deadlineMs, label, isNewUntilMs } = run;
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
        isNewUntilMs,
        isReallyGone: async () => (await presenceOf(resource, session, id, scope, doubtUntilMs(run))) === "gone",
        report,
        acceptor: (seen) => {
          run.observed = seen;
          if (resource.condition(seen) === "pending") run.unsettledMs = session.clock.now();
          const acceptance = acceptStatus(resource, seen) ?? acceptor(seen, isFirstRead);
          isFirstRead = false;
          return acceptance.is === "done" ? { is: "done", seen: resource.statusOf(seen) } : acceptance;
        },
      },
      session.pace,
    );
  const item = await (run.hasTouched ? settleInBackground(run, wait) : wait(run.context.progress));
  if (item === undefined) throw new WaitError("vanished", `${what} of ${label}: it is no longer there`);
  return item;
}

/** A wait that doubts a 404 looks again anyway: the list that tells has only so long. */
function doubtUntilMs({ session, deadlineMs }: Run): number {
  return Math.min(deadlineMs, session.clock.now() + DOUBT_MS);
}

/** Undefined when the status alone says nothing against going on. */
function acceptStatus(resource: Resource, item: unknown): Acceptance | undefined {
  const status = resource.statusOf(item);
  const condition = resource.condition(item);
  if (condition === "pending") return { is: "pending", seen: status };
  if (condition === "failed") return { is: "failed", why: `it failed (${status}${suffix(resource.failure?.(item))})` };
  if (condition === "gone") return { is: "failed", why: `it is going or gone (${status}), and not by this run` };
  return undefined;
}

function suffix(text: string | undefined): string {
  return text === undefined ? "" : `: ${text}`;
}
