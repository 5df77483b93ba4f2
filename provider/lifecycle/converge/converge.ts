// The convergence of create and update: observe → plan → send a step → wait for its proof → next step.
// A step is proven by the observed field *and* a settled status; a READY with the old values is no proof.

import { ApiError, InputError } from "../../domain/errors";
import { describeConflict, type Live, type Step } from "../../plan/step";
import { type Confirmation, CONFIRMATION, createAnswers, DOUBT_MS } from "../session/confirmation";
import { pauseAfter } from "../session/pace";
import { fieldsOf, isAsWanted, isRecorded, isResumed } from "../state/state";
import {
  countRefusals,
  explainAbsence,
  operationAnswered,
  outcomeOf,
  type Refusals,
  serverMessageOf,
  stillBusy,
} from "./busy";
import type { Run } from "./run";
import { type Acceptance, type FirstRead, firstReadAfter, isProven, lacking, waitForObject } from "./waiter";

/** Returns the object as last read. */
export async function converge(run: Run): Promise<unknown> {
  const { resource, session, context, scope, olds, progress } = run;
  const start = await observe(run);
  progress.start = start;
  const { steps, conflicts } = resource.plan(run.wanted, resource.live(start, scope));
  const [conflict] = conflicts;
  if (conflict !== undefined) throw new InputError(conflict.property, `${run.label}: ${describeConflict(conflict)}`);
  progress.remaining = steps;
  await resource.beforeSteps?.(session, steps, start, scope, isRecorded(olds) && !isResumed(olds) ? olds : {});
  for (const step of steps) {
    progress.current = step;
    if (run.stepMs !== undefined) run.deadlineMs = session.clock.now() + run.stepMs;
    if (!isProven(run, step)) {
      context.progress(`${step.operation}: ${step.reason}`);
      await send(run, step);
      await waitForProof(run, step);
    }
    progress.landed.push(step);
    progress.remaining = progress.remaining.slice(1);
    progress.current = undefined;
  }
  return progress.observed ?? start;
}

/** Waits until no change is under way and the object has what its dependents need. */
async function observe(run: Run): Promise<unknown> {
  const { resource, session, scope, arrival = "settling" } = run;
  const answers = createAnswers(session.pace);
  const acceptor = (item: unknown): Acceptance => {
    const lack = lacking(run, run.missing?.(item), item);
    if (lack !== undefined) return lack;
    const live = resource.live(item, scope);
    if (answers.isBelieved(live, confirmationOf(run, live))) return { is: "success" };
    return { is: "retry", seen: resource.statusOf(item), isQuiet: true };
  };
  return waitForObject(run, arrival, acceptor, { first: firstRead(run) });
}

function firstRead(run: Run): FirstRead {
  if (isResumed(run.olds)) return "shared";
  if (run.progress.answered === undefined) return "recent";
  return firstReadAfter(run, (item) => run.missing?.(item) === undefined);
}

function confirmationOf({ resource, olds }: Run, live: Live): Confirmation {
  if (isResumed(olds)) return CONFIRMATION.afterInterruption;
  const isExpected = fieldsOf(resource)
    .filter(([key, field]) => field.change === "inPlace" && live[key] !== undefined)
    .every(([key, field]) => isAsWanted(field, olds[key] ?? null, live[key]));
  return isExpected || !isRecorded(olds) ? CONFIRMATION.expected : CONFIRMATION.difference;
}

/**
 * Sends the step until the server accepts it. It waits while the server is busy; after a lost answer it reads the object
 * before it sends the step again; a refusal is an error, unless the effect shows.
 */
async function send(run: Run, step: Step): Promise<void> {
  const { resource, progress } = run;
  const { clock, pace } = run.session;
  const refusals = countRefusals(run.session);
  let hasLostAnswers = false;
  for (;;) {
    const error = await sendOnce(run, step);
    if (error === undefined) return;
    switch (outcomeOf(error)) {
      case "refused":
        if (await hasLandedAnyway(run, step, error, hasLostAnswers)) return;
        throw await explainAbsence(run, step.operation, resource.undocumented?.[step.operation], error);
      case "unknown":
        hasLostAnswers = true;
        progress.hasTouched = true;
        if (await hasLanded(run, step, CONFIRMATION.noEffect, error)) return;
        // The deadline is for changes that are under way.
        if (refusals.elapsedMs() >= DOUBT_MS.lostAnswers || clock.now() >= run.deadlineMs) throw error;
        await clock.sleep(pauseAfter(error, pace.intervalMs));
        break;
      case "busy":
        if (clock.now() >= run.deadlineMs) {
          const { operation } = step;
          const status = progress.observed === undefined ? undefined : resource.statusOf(progress.observed);
          throw stillBusy({ operation, label: run.label, cause: error, status, elapsedMs: refusals.elapsedMs() });
        }
        if (refusals.areForGood(error)) throw error;
        await waitWhileBusy(run, step, error, refusals);
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
async function waitWhileBusy(run: Run, step: Step, error: Error, refusals: Refusals): Promise<void> {
  const { clock } = run.session;
  run.context.progress(`${step.operation}: ${serverMessageOf(error)}; waiting`);
  const refusedMs = clock.now();
  await clock.sleep(refusals.pauseMs(run.deadlineMs));
  await waitForObject(run, step.operation, () => ({ is: "success" }));
  if ((run.progress.unsettledMs ?? 0) >= refusedMs) refusals.explained();
}

/** The proofs of all steps done so far must hold in the same read: while an old value comes back, the wait continues. */
async function waitForProof(run: Run, step: Step): Promise<void> {
  const { resource, scope, progress } = run;
  const proofs = latestBySlot([...progress.landed, step]);
  if (proofs.length === 0) return;
  const missingIn = (item: unknown): string[] => {
    const live = resource.live(item, scope);
    return proofs.filter((done) => done.proof?.(live) === false).map((done) => done.properties.join("/"));
  };
  const answers = createAnswers();
  const acceptor = (item: unknown, isFirstRead: boolean): Acceptance => {
    const missing = missingIn(item);
    const seen = resource.statusOf(item);
    if (missing.length > 0) return { is: "retry", seen: `${seen} with the old ${missing.join(", ")}` };
    const isAtOnce = isFirstRead && step.isAsync === true;
    const row = isAtOnce ? CONFIRMATION.effectAtOnce : CONFIRMATION.expected;
    return answers.isBelieved("effect", row) ? { is: "success" } : { is: "retry", seen, isQuiet: true, again: "own" };
  };
  const first = firstReadAfter(run, (item) => missingIn(item).length === 0);
  await waitForObject(run, step.operation, acceptor, { first });
}

function latestBySlot(steps: readonly Step[]): Step[] {
  const latest = new Map(steps.map((step) => [step.slot, step]));
  return [...latest.values()].filter((step) => step.proof !== undefined);
}
