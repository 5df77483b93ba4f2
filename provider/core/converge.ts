// The convergence of create and update: observe → plan → send a step → wait for its proof → next step.
// A step is proven by the observed field *and* a settled status; a READY with the old values is no proof.

import { InputError, isRefusal, RefusedError, WaitError } from "../domain/errors";
import { inWords, isAlike, isEqual, pick, show, type Values } from "../domain/values/value";
import { describeConflict, type Live, type Plan, type Step } from "../plan/step";
import type { Reported } from "./reported";
import { type Confirmation, CONFIRMATION, DOUBT_MS, doubtMs } from "./patience";
import { isAsWanted, isAwaited, isUnasked, planOf, stillOwed, valuesTakenBack } from "./compare";
import { isRecorded, keysWhere, MOVED } from "./state";
import { countRefusals, operationAnswered, refusedForGood, type Refusals, stillBusy } from "./busy";
import type { Run } from "./run";
import { explainAbsence, sendChange, serverMessageOf } from "./send";
import type { FirstRead } from "./wait";
import { type Judged, lacking, waitForObject } from "./waitForObject";

/** Returns the object as last read. `guard` refuses the change by what is shown before it. */
export async function converge(run: Run, guard?: (run: Run, start: Reported) => Promise<void>): Promise<Reported> {
  const { resource, session, context, scope, olds, progress } = run;
  const start = await observe(run);
  progress.start = start;
  await guard?.(run, start);
  // What the server does not show makes no plan.
  const live = { ...run.assumed, ...start.live() };
  const planFrom = (shown: Live): Plan => planOf(resource, olds, run.wanted, shown);
  const [first] = planFrom(live).steps;
  const awaited = isAwaited(resource, olds, run.wanted, first) ? first : undefined;
  // What it has accepted, and the program has taken back since, is still to come.
  const takenBack = valuesTakenBack(resource, olds, run.wanted);
  for (const key of awaited?.properties ?? []) delete takenBack[key];
  progress.takenBack = Object.keys(takenBack);
  const { steps, conflicts } = planFrom({ ...live, ...takenBack });
  const [conflict] = conflicts;
  if (conflict !== undefined)
    throw new InputError("cannot-change", conflict.property, `${run.label}: ${describeConflict(conflict)}`);
  progress.remaining = [...steps];
  await resource.beforeSteps?.(session, steps, start, scope, isRecorded(olds) ? olds : {});
  for (const step of steps) {
    const stored = (progress.observed ?? start).live();
    if (isStoredSo(run, step, stored)) {
      keepAsStored(run, step, stored);
      continue;
    }
    progress.current = step;
    progress.answered = undefined;
    progress.hasLostAnswers = false;
    if (run.stepMs !== undefined) run.deadlineMs = session.clock.now() + run.stepMs;
    if (!isProven(run, step)) {
      progress.isAwaited = awaited !== undefined && step === steps[0];
      // The effect of a call that an earlier run sent may have come and gone by now.
      progress.before = progress.isAwaited ? [olds] : [olds, start.live()];
      if (progress.isAwaited) progress.answered = { item: undefined };
      else {
        context.progress(`${step.operation}: ${step.reason}`);
        await send(run, step);
      }
      await waitForProof(run, step);
    }
    end(run, step);
  }
  return progress.observed ?? start;
}

/** Waits until no change is under way and the object has what its dependents need. */
async function observe(run: Run): Promise<Reported> {
  const { session, createOperation = "settling" } = run;
  const { clock } = session;
  const first = firstRead(run);
  // A short time limit leaves time for the steps.
  const untilMs = (clock.now() + run.deadlineMs) / 2;
  const judge = (item: Reported): Judged => {
    const lack = lacking(run.missing?.(item), item);
    if (lack !== undefined) return lack;
    const mayBeEnough = run.isResumed || !isRecorded(run.olds);
    if (mayBeEnough && clock.now() >= untilMs) return { is: "yes", answer: item };
    const answer = item.live();
    return { is: "shown", answer, row: confirmationOf(run, answer) };
  };
  return waitForObject(run, createOperation, judge, first);
}

function firstRead(run: Run): FirstRead {
  if (run.isResumed) return "shared";
  if (run.progress.answered === undefined) return "recent";
  return firstReadAfter(run, (item) => run.missing?.(item) === undefined);
}

function confirmationOf(
  { resource, olds, wanted, createOperation, isResumed }: Run,
  live: Live,
): Confirmation | undefined {
  if (isResumed) {
    const isAllDone = stillOwed(resource, olds, live).every((entry) => entry === MOVED);
    return isAllDone ? CONFIRMATION.untrueForAMoment : CONFIRMATION.noEffect;
  }
  const inPlace = keysWhere(resource, ({ change, secret }) => change === "inPlace" && secret !== true);
  // What an adopted object does not show counts as declared, and one answer may leave it out for a moment.
  const isPoor =
    createOperation === undefined && inPlace.some((key) => wanted[key] !== undefined && live[key] === undefined);
  if (!isRecorded(olds)) return isPoor ? CONFIRMATION.noEffect : undefined;
  const isExpected = inPlace
    .filter((key) => live[key] !== undefined)
    .every((key) => isAsWanted(resource.fields[key], olds[key] ?? null, live[key]));
  return isExpected ? undefined : CONFIRMATION.untrueForAMoment;
}

/** An observation that is older does not decide a step any more. */
const OLDEST_OBSERVATION_MS = 500;

/**
 * Sends the step until the server accepts it or its effect shows. It waits while the server is busy. After a lost answer it
 * reads the object before it sends the step again.
 */
async function send(run: Run, step: Step): Promise<void> {
  const { resource, session, progress, id, scope, label } = run;
  const { operation } = step;
  const { clock, pace } = session;
  const reader = resource.reader(session, scope);
  const refusals = countRefusals(session);
  await sendChange<undefined, Reported | undefined, void>(run, {
    operation,
    label,
    hold: (work) => work(),
    gather: () => Promise.resolve({ is: "go", seen: undefined }),
    async look(_gathered, turn) {
      const unclear = await run.refuse?.(turn);
      if (unclear?.is === "again") return unclear;
      const ageMs = clock.now() - (progress.observedMs ?? Number.NEGATIVE_INFINITY);
      const isNew = ageMs <= Math.max(pace.intervalMs, OLDEST_OBSERVATION_MS);
      const shown = isNew ? progress.observed : await reader.fetch(id, run.deadlineMs, turn);
      const item = unclear === undefined ? shown : undefined;
      if (item === undefined || item.condition !== "settled") {
        const word = item === undefined ? "not found" : item.status;
        return { is: "busy", error: new RefusedError("busy", `the ${resource.noun} is ${word}`) };
      }
      progress.observed = item;
      if (isProven(run, step)) return { is: "done", result: undefined };
      progress.before = [...progress.before, item.live()];
      return { is: "go", seen: undefined };
    },
    async send(limits) {
      reader.invalidate(id);
      return resource.send(session, step, id, scope, limits).finally(() => reader.invalidate(id));
    },
    answered(item) {
      progress.answered = { item };
      progress.hasTouched = true;
      return Promise.resolve();
    },
    async refused(error) {
      // API: "already attached" and "not paused" are refusals as well, although the wanted value may be in effect.
      const mayHaveLanded = progress.hasLostAnswers || isRefusal(error, "badRequest");
      const absent = progress.hasLostAnswers ? CONFIRMATION.noEffect : undefined;
      if (mayHaveLanded && (await tookEffect(run, step, absent, error))) return { is: "done", result: undefined };
      throw await explainAbsence(run, operation, error);
    },
    async waitWhileBusy(error) {
      if (clock.now() >= run.deadlineMs) {
        const status = progress.observed?.status;
        throw stillBusy({ operation, label, cause: error, status, elapsedMs: refusals.elapsedMs() });
      }
      if (refusals.areForGood(error)) {
        throw refusedForGood({ operation, label, cause: error, details: `; ${refusals.told()}` });
      }
      await waitWhileBusy(run, step, error, refusals);
    },
    async after(error) {
      progress.hasLostAnswers = true;
      progress.hasTouched = true;
      if (await tookEffect(run, step, CONFIRMATION.noEffect, error)) return { is: "done", result: undefined };
      // The deadline is for changes that are under way.
      if (refusals.elapsedMs() >= DOUBT_MS.endsByItself || clock.now() >= run.deadlineMs) throw error;
      return { is: "again", error };
    },
  });
}

/** Whether the call took effect after all. `absent` says how many reads without the effect are needed to deny it. */
async function tookEffect(run: Run, step: Step, absent: Confirmation | undefined, error: unknown): Promise<boolean> {
  if (step.proof === undefined) return false;
  await waitForObject(run, operationAnswered(step.operation, error), () => {
    const answer = isProven(run, step);
    return { is: "shown", answer, row: answer ? undefined : absent };
  });
  return isProven(run, step);
}

/** Waits until the object has settled. If the status never shows that, the wait is only a backoff before the next attempt. */
async function waitWhileBusy(run: Run, step: Step, error: Error, refusals: Refusals): Promise<void> {
  run.context.progress(`${step.operation}: ${serverMessageOf(error)}; waiting`);
  const refusedMs = run.session.clock.now();
  const settled = () => waitForObject(run, step.operation, (answer) => ({ is: "yes", answer }));
  await refusals.waitUntilIdle(() => settled().then(() => true), run.deadlineMs);
  if ((run.progress.unsettledMs ?? 0) >= refusedMs) refusals.explained();
}

/** The create has sent this text already, and the server shows another form of it: a call would bring the same. */
function isStoredSo({ createOperation, wanted }: Run, step: Step, live: Values): boolean {
  return createOperation !== undefined && step.properties.every((key) => isAlike(wanted[key], live[key]));
}

function keepAsStored({ context, label, wanted, progress }: Run, { properties }: Step, live: Values): void {
  const forms = properties.map((key) => `\`${key}: ${show(live[key])}\`, not ${show((wanted as Values)[key])}`);
  context.warn(`${label}: the server keeps the text in a form of its own; give it in that form: ${forms.join(", ")}`);
  progress.overridden = [...progress.overridden, ...properties];
  progress.remaining?.shift();
}

function end({ progress }: Run, step: Step): void {
  progress.landed.push(step);
  progress.remaining?.shift();
  progress.current = undefined;
}

/**
 * The proofs of all steps done so far must hold in the same read: while an old value comes back, the wait continues. It ends if
 * the server stays at a value that is neither the wanted one nor one of before, and no change is under way.
 */
async function waitForProof(run: Run, step: Step): Promise<void> {
  const { resource, session, wanted, progress } = run;
  const { clock } = session;
  const proofs = latestOfInputs([...progress.landed, step]);
  if (proofs.length === 0) return;
  // What a paused service does not show takes no proof back.
  const unprovenBy = (live: Live): Step[] =>
    proofs.filter(
      (done) =>
        done.proof?.(live) === false && (done === step || done.properties.some((key) => live[key] !== undefined)),
    );
  const overriddenIn = (live: Live): string[] => {
    const isSetElsewhere = (key: string): boolean => {
      const old = progress.before.map((values) => values[key]);
      return isUnasked(resource.fields[key], wanted[key], old, live[key]);
    };
    return unprovenBy(live).flatMap(({ properties }) => (properties.some(isSetElsewhere) ? properties : []));
  };
  let elsewhere: { values: Values; sinceMs: number } | undefined;
  const judge = (item: Reported, isFirstRead: boolean): Judged => {
    const live = item.live();
    const values = pick(live, overriddenIn(live));
    const isStill = elsewhere !== undefined && isEqual(elsewhere.values, values);
    if (elsewhere === undefined || !isStill || (progress.unsettledMs ?? 0) > elsewhere.sinceMs)
      elsewhere = { values, sinceMs: clock.now() };
    const isLong = clock.now() - elsewhere.sinceMs >= doubtMs(session, "afterChange");
    if (Object.keys(values).length > 0 && isLong) return { is: "yes", answer: item };
    const missing = unprovenBy(live).flatMap(({ properties }) =>
      properties.map((key) => stillOld(run, key, live[key])),
    );
    if (missing.length > 0) return { is: "notYet", seen: `${item.status} with ${missing.join(", ")}` };
    // What the accepted change has left behind looks like the effect of the call that takes it back.
    const isBack = isTakenBack(run, step);
    const row = isBack || (isFirstRead && step.isAsync === true) ? CONFIRMATION.untrueForAMoment : undefined;
    return { is: "shown", answer: "effect", row, next: isBack ? undefined : "own" };
  };
  const first = firstReadAfter(run, (item) => unprovenBy(item.live()).length === 0);
  const live = (await waitForObject(run, step.operation, judge, first)).live();
  const overridden = overriddenIn(live);
  if (overridden.length === 0) return;
  progress.overridden = [...progress.overridden, ...overridden];
  if (step.properties.some((key) => overridden.includes(key))) end(run, step);
  throw setElsewhere(run, step, live);
}

function setElsewhere({ label, wanted, progress }: Run, step: Step, live: Values): WaitError {
  const keys = progress.overridden.filter((key) => !isEqual(wanted[key], live[key]));
  const values = keys.map((key) => {
    const old = progress.before.findLast((one) => one[key] !== undefined)?.[key];
    return `${key} ${inWords(live[key])}, not ${inWords(wanted[key])} as declared or ${inWords(old)} as before`;
  });
  const forms = keys.filter((key) => isAlike(wanted[key], live[key]));
  return new WaitError(
    "set-elsewhere",
    "terminal",
    `${step.operation} of ${label}: the server took it, and has settled with ${values.join("; ")}`,
    forms.length > 0
      ? `The server keeps the text in a form of its own: give it in that form, ${forms.map((key) => `\`${key}: ${show(live[key])}\``).join(", ")}.`
      : `Something else has set it: an autoscaler, a maintenance window, or somebody in the console. To leave it to that, add \`ignoreChanges: ${show(progress.overridden)}\` to the options of the resource, and run \`pulumi up --refresh\`. To set it again, run that without the option.`,
  );
}

/** Which value is shown, and which one is waited for: a server may have made something else of it. */
function stillOld({ wanted }: Run, key: string, seen: unknown): string {
  const rest = wanted[key] === undefined ? "" : `, not ${inWords(wanted[key])}`;
  return `${key} ${inWords(seen)}${rest}`;
}

function latestOfInputs(steps: readonly Step[]): Step[] {
  const latest = new Map(steps.map((step) => [step.properties.join(), step]));
  return [...latest.values()].filter((step) => step.proof !== undefined);
}

/** Whether the step takes back what an earlier run has sent: the wanted value is the old one, too. */
function isTakenBack({ progress: { takenBack } }: Run, { properties }: Step): boolean {
  return properties.some((key) => takenBack.includes(key));
}

/** Whether the last read shows the effect of the step. */
function isProven(run: Run, step: Step): boolean {
  const { observed, answered } = run.progress;
  if (answered === undefined && isTakenBack(run, step)) return false;
  return observed !== undefined && step.proof?.(observed.live()) === true;
}

/**
 * The kind of the first read after a call. If the answer shows a change under way, the first read comes after a pause; if
 * it shows the effect, or no object, the object is read at once by itself.
 */
function firstReadAfter({ progress }: Run, isEffective: (item: Reported) => boolean): FirstRead {
  if (progress.answered === undefined) return "shared";
  const { item } = progress.answered;
  if (item === undefined) return "own";
  if (item.condition === "pending") return "later";
  return item.condition === "settled" && isEffective(item) ? "own" : "shared";
}
