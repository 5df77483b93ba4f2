// The convergence of create and update: observe → plan → send a step → wait for its proof → next step.
// A step is proven by the observed field *and* a settled status; a READY with the old values is no proof.

import { InputError } from "../../domain/errors";
import { describeConflict, type Live, type Step } from "../../plan/step";
import { type Confirmation, CONFIRMATION, createAnswers } from "../session/confirmation";
import { fieldsOf, isAsWanted, isRecorded, isResumed } from "../state/state";
import type { Run } from "./run";
import { send } from "./send";
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
