// Sends one step until the server accepts it. It waits while the server is busy; after a lost answer it reads the object
// before it sends the step again; a refusal is an error, unless the effect shows.

import { ApiError, type WaitError } from "../../domain/errors";
import type { Step } from "../../plan/step";
import {
  countRefusals,
  explainAbsence,
  operationAnswered,
  outcomeOf,
  type Refusals,
  serverMessageOf,
  stillBusy,
} from "./busy";
import { pauseAfter } from "../session/pace";
import { CONFIRMATION, type Confirmation, createAnswers, DOUBT_MS } from "../session/confirmation";
import type { Run } from "./run";
import { isProven, waitForObject } from "./waiter";

export async function send(run: Run, step: Step): Promise<void> {
  const { clock, pace } = run.session;
  const startedMs = clock.now();
  let hasLostAnswers = false;
  const refusals = countRefusals(pace);
  for (;;) {
    const error = await sendOnce(run, step);
    if (error === undefined) return;
    switch (outcomeOf(error)) {
      case "refused":
        if (await hasLandedAnyway(run, step, error, hasLostAnswers)) return;
        throw await explainAbsence(run, step.operation, run.resource.undocumented[step.operation], error);
      case "unknown":
        hasLostAnswers = true;
        run.progress.hasTouched = true;
        if (await hasLanded(run, step, CONFIRMATION.noEffect, error)) return;
        // The deadline is for changes that are under way.
        if (clock.now() >= Math.min(startedMs + DOUBT_MS.lostAnswers, run.deadlineMs)) throw error;
        await clock.sleep(pauseAfter(error, pace.intervalMs));
        break;
      case "busy":
        if (clock.now() >= run.deadlineMs) throw busyTimeout(run, step, error, clock.now() - startedMs);
        if (refusals.areForGood(error)) throw error;
        await waitWhileBusy(run, step, { error, refusals, startedMs });
        if (isProven(run, step)) return;
    }
  }
}

/** Sends the step; returns the error, if there is one. */
async function sendOnce(run: Run, step: Step): Promise<Error | undefined> {
  const { resource, session, id, scope, deadlineMs, context, progress } = run;
  const reader = resource.reader(session, scope);
  reader.invalidate(id);
  try {
    const answer = await resource.send(session, step, id, scope, {
      deadlineMs,
      report: context.progress,
      until: context.signal,
    });
    progress.answered = { item: answer ?? undefined };
    progress.hasTouched = true;
    return undefined;
  } catch (error) {
    progress.answered = undefined;
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    reader.invalidate(id);
  }
}

/** Whether the call took effect after all. `absent` says how many reads without the effect are needed to deny it. */
async function hasLanded(run: Run, step: Step, absent: Confirmation, error: unknown): Promise<boolean> {
  if (step.proof === undefined) return false;
  const answers = createAnswers(run.session.pace);
  await waitForObject(run, operationAnswered(step.operation, error), (item) => {
    const isThere = isProven(run, step);
    if (answers.isBelieved(isThere, isThere ? CONFIRMATION.expected : absent)) return { is: "success" };
    return { is: "retry", seen: run.resource.statusOf(item) };
  });
  return isProven(run, step);
}

/** API: "already attached" and "not paused" are refusals as well, although the wanted value may be in effect. */
async function hasLandedAnyway(run: Run, step: Step, error: unknown, hasLostAnswers: boolean): Promise<boolean> {
  if (hasLostAnswers) return hasLanded(run, step, CONFIRMATION.noEffect, error);
  const isWrongState = error instanceof ApiError && error.category === "badRequest";
  return isWrongState && hasLanded(run, step, CONFIRMATION.expected, error);
}

/** Waits until the object has settled. If the status never shows that, the wait is only a backoff before the next attempt. */
async function waitWhileBusy(
  run: Run,
  step: Step,
  { error, refusals, startedMs }: { error: Error; refusals: Refusals; startedMs: number },
): Promise<void> {
  const { clock } = run.session;
  run.context.progress(`${step.operation}: ${serverMessageOf(error)}; waiting`);
  const leftMs = Math.max(0, run.deadlineMs - clock.now());
  const refusedMs = clock.now();
  await clock.sleep(Math.min(refusals.pauseMs(refusedMs - startedMs), leftMs));
  await waitForObject(run, step.operation, () => ({ is: "success" }));
  if ((run.progress.unsettledMs ?? 0) >= refusedMs) refusals.explained();
}

function busyTimeout(run: Run, { operation }: Step, cause: Error, elapsedMs: number): WaitError {
  const { resource, label, progress } = run;
  const status = progress.observed === undefined ? undefined : resource.statusOf(progress.observed);
  return stillBusy({ operation, label, cause, status, elapsedMs });
}
