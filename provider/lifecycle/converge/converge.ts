// The convergence of create and update: observe → plan → send a step → prove it → next step.
// A step is proven by the observed field *and* a settled status; a READY with the old values is no proof.

import { InputError } from "../../domain/errors";
import type { Values } from "../../domain/values/value";
import { describeConflict, type Live, type Step, type Wanted } from "../../plan/step";
import type { Observable } from "../resources/resource";
import { type Confirmation, CONFIRMATION, createAnswers } from "../session/confirmation";
import type { Run } from "./run";
import { send } from "./send";
import { fieldsOf, isAsWanted } from "../state/state";
import { type Acceptance, type FirstRead, firstReadAfter, isProven, waitForObject } from "./waiter";

export async function converge(run: Run, wanted: Wanted): Promise<unknown> {
  const { resource, session, scope } = run;
  const start = await observe(run);
  run.start = start;
  run.wanted = wanted;
  const plan = resource.plan(wanted, resource.live(start, scope));
  const [conflict] = plan.conflicts;
  if (conflict !== undefined) throw new InputError(conflict.property, `${run.label}: ${describeConflict(conflict)}`);
  run.remaining = plan.steps;
  await resource.beforeSteps?.(session, plan.steps, start, scope, run.isResumed === true ? undefined : run.recorded);
  for (const step of plan.steps) {
    run.failed = step;
    if (run.stepMs !== undefined) run.deadlineMs = session.clock.now() + run.stepMs;
    if (!isProven(run, step)) await sendAndProve(run, step);
    run.landed.push(step);
    run.remaining = run.remaining.slice(1);
    run.failed = undefined;
  }
  return run.observed ?? start;
}

async function sendAndProve(run: Run, step: Step): Promise<void> {
  run.context.progress(`${step.operation}: ${step.reason}`);
  await send(run, step);
  await prove(run, step);
}

/** Waits until no change is under way and the object has what its dependents need. */
async function observe(run: Run): Promise<unknown> {
  const { resource, session, scope } = run;
  const answers = createAnswers(session.pace);
  const acceptor = (item: unknown): Acceptance => {
    const missing = run.missing?.(item);
    if (missing !== undefined) return { is: "retry", seen: `${resource.statusOf(item)}, ${missing}` };
    const live = resource.live(item, scope);
    if (answers.isBelieved(live, confirmationOf(run, live))) return { is: "success" };
    return { is: "retry", seen: resource.statusOf(item), isQuiet: true };
  };
  return waitForObject(run, run.arrival ?? "settling", acceptor, firstRead(run));
}

function firstRead(run: Run): FirstRead {
  if (run.isResumed === true) return "shared";
  if (run.answered === undefined) return "recent";
  return firstReadAfter(run, (item) => run.missing?.(item) === undefined);
}

function confirmationOf(run: Run, live: Live): Confirmation {
  if (run.isResumed === true) return CONFIRMATION.afterInterruption;
  const isExpected = run.recorded === undefined || isAsRecorded(run.resource, run.recorded, live);
  return isExpected ? CONFIRMATION.expected : CONFIRMATION.difference;
}

function isAsRecorded(resource: Observable, recorded: Values, live: Values): boolean {
  return fieldsOf(resource)
    .filter(([key, field]) => field.change === "inPlace" && live[key] !== undefined)
    .every(([key, field]) => isAsWanted(field, recorded[key] ?? null, live[key]));
}

/** The proofs of all steps done so far must hold in the same read: while an old value comes back, the wait continues. */
async function prove(run: Run, step: Step): Promise<void> {
  const proofs = latestBySlot([...run.landed, step]);
  if (proofs.length === 0) return;
  const missingIn = (item: unknown): string[] => {
    const live = run.resource.live(item, run.scope);
    return proofs.filter((done) => done.proof?.(live) === false).map((done) => done.properties.join("/"));
  };
  const answers = createAnswers();
  const acceptor = (item: unknown, isFirstRead: boolean): Acceptance => {
    const missing = missingIn(item);
    const seen = run.resource.statusOf(item);
    if (missing.length > 0) return { is: "retry", seen: `${seen} with the old ${missing.join(", ")}` };
    const isAtOnce = isFirstRead && step.isAsync === true;
    const row = isAtOnce ? CONFIRMATION.effectAtOnce : CONFIRMATION.expected;
    return answers.isBelieved("effect", row) ? { is: "success" } : { is: "retry", seen, isQuiet: true, again: "own" };
  };
  const first = firstReadAfter(run, (item) => missingIn(item).length === 0);
  await waitForObject(run, step.operation, acceptor, first);
}

function latestBySlot(steps: readonly Step[]): Step[] {
  const latest = new Map(steps.map((step) => [step.slot, step]));
  return [...latest.values()].filter((step) => step.proof !== undefined);
}
