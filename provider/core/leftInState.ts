// What a run leaves in the state: the outputs of one that has ended well, and of one that ended early the id, the steps that
// landed and the steps still owed, with the report of why.

import { InputError, isRefusal, messageOf, PartialError, ProviderError, WaitError } from "../domain/errors";
import { inWords, isEqual, lettersOf, pick, type Values } from "../domain/values/value";
import type { Step } from "../plan/step";
import { hasLanded, isOther, keysOf, valuesAfter } from "./compare";
import { storedProtection } from "./protection";
import {
  isRecorded,
  inputKeys,
  keysWhere,
  managedKeys,
  MOVED,
  objectKeys,
  owedEntry,
  type Sent,
  sentOf,
  SETTLE,
  type StateParts,
  writeState,
} from "./state";
import type { Reported } from "./reported";
import { storedUnseenUntil } from "./patience";
import { markOfNew, ownerMark } from "./entry";
import type { Context } from "./operation";
import type { Run } from "./run";

/** Does the work. The one place that decides which state survives an error: once an object exists, none may lose its id. */
export async function survivingErrors<T>(run: Run, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { observed, hasTouched } = run.progress;
    const hasFailed = observed?.condition === "failed";
    // The server took no call and no step was owed: the old state is still true, unless the object has failed or is gone. Of what
    // is gone the state needs what the program now says about that, or no run could make it again. An import that no run has read
    // stays one, so that the next run compares it with the object.
    const hasVanished = isGone(error) && isRecorded(run.olds);
    const isUntouched = !run.isNew && !hasTouched && run.owed.length === 0 && !hasFailed && !hasVanished;
    throw isUntouched ? asUntouched(run, error) : asPartial(run, error);
  }
}

/**
 * A create or update, which works on from what an earlier call of this run has left of the same resource.
 * Pulumi: an error hook repeats a create or an update with the values of before, and the state keeps the last answer alone.
 */
export async function goingOn<T>(
  { memory: { unfinished, view }, identity }: Context,
  work: (left: PartialError | undefined) => Promise<T>,
): Promise<T> {
  const left = identity && unfinished.get(identity.key);
  const change = view.change(identity, () => work(left));
  if (identity === undefined) return change;
  try {
    const done = await change;
    unfinished.delete(identity.key);
    return done;
  } catch (error) {
    const isLess = left !== undefined && !(error instanceof PartialError);
    const words = error instanceof ProviderError ? error.fullMessage : messageOf(error);
    const kept = isLess ? new PartialError(left.id, left.outputs, words, { cause: error }) : error;
    if (kept instanceof PartialError) unfinished.set(identity.key, kept);
    throw kept;
  }
}

/**
 * The state after a run that ended well, or that needed no calls: then there is no `item`. An input that the server never shows
 * keeps its last value.
 */
export function stateAfter(run: Run, item: Reported | undefined): Values {
  const { inputs, session } = run;
  const address = item === undefined ? undefined : session.config.baseUrl;
  return stateOf(run, item, { asked: inputs, managed: inputKeys(inputs), address });
}

function isGone(error: unknown): boolean {
  return error instanceof WaitError && error.reason === "vanished";
}

type Rest = Pick<StateParts, "asked" | "managed" | "left" | "address" | "unseenUntilMs">;

function stateOf(run: Run, item: Reported | undefined, { asked, ...rest }: Rest): Values {
  const { resource, context, scope, inputs, olds, shownOnce } = run;
  // A step that has landed ends the old value, also where no read shows the new one.
  const landed = new Set<string>(run.progress.landed.flatMap(({ properties }) => properties));
  const recorded = pick(
    olds,
    objectKeys(resource).filter((key) => !landed.has(key)),
  );
  // A create has given the name, also where no read has shown the object yet.
  const named = run.isNew
    ? pick(
        run.assumed,
        keysWhere(resource, ({ identifies }) => identifies === "name"),
      )
    : {};
  const shown = item === undefined ? { ...named, ...recorded } : item.live();
  // Drift is left to a refresh, which shows it by name. Otherwise the next update would repair it unannounced.
  const touched = touchedBy(run);
  const untouched = keysWhere(
    resource,
    ({ change }, key) => change === "inPlace" && !touched.has(key) && inputs[key] !== undefined,
  );
  // Nor is what something else has set since.
  const live = { ...shown, ...pick(olds, untouched), ...pick(run.wanted, run.progress.overridden) };
  const { view } = context.memory;
  return writeState({
    ...rest,
    resource,
    item,
    live,
    asked: { ...recorded, ...asked, ...storedProtection(resource, inputs, { ...run.assumed, ...live }) },
    olds,
    projectId: scope.projectId,
    shownOnce,
    owner: run.isNew ? markOfNew(resource, view, inputs) : ownerMark(resource, view, inputs),
  });
}

/** Warns of values that changed although the program did not; a refresh records them. */
export function warnOfDrift(run: Run): void {
  const { resource, context, label, inputs, progress } = run;
  const live = progress.start?.live() ?? {};
  const touched = touchedBy(run);
  const drifted = Object.entries(resource.fields)
    .filter(([key, field]) => field.change === "inPlace" && !touched.has(key) && isOther(field, inputs[key], live[key]))
    .map(([key, field]) =>
      field.secret ? key : `${key} is ${inWords(live[key])}, the program says ${inWords(inputs[key])}`,
    );
  if (drifted.length === 0) return;
  context.warn(
    `${label} was changed outside Pulumi, and this run leaves that alone: ${drifted.join("; ")}. Run \`pulumi refresh\` to see it, then \`pulumi up\` to repair it.`,
  );
}

/** The inputs that the run changes: those of its plan, and what a step changes on the way. */
function touchedBy({ wanted, progress: { landed, remaining } }: Run): ReadonlySet<string> {
  if (remaining === undefined) return new Set();
  return new Set([...Object.keys(wanted), ...[...landed, ...remaining].flatMap((step) => step.properties)]);
}

function asPartial(run: Run, error: unknown): PartialError {
  const { session, olds, inputs, id, label } = run;
  const { observed, landed, remaining = [], current, answered } = run.progress;
  // What two runs have waited for in vain is sent again.
  const isInVain = run.progress.isAwaited && error instanceof WaitError;
  const isTaken = current !== undefined && answered !== undefined && !isInVain;
  // Until a step is tried, those that the run before has left still apply.
  const isTried = current !== undefined || landed.length > 0;
  const owed = isTried ? remaining.map(owedEntry) : run.owed;
  const hasMoved = run.owed.includes(MOVED) || [...landed, current].some((step) => step?.movesAddresses);
  const remedy = remedyOf(run, error);
  const hasVanished = isGone(error);
  const reason = [
    // The row of the resource shows one line.
    messageOf(error),
    hasVanished
      ? `${label} stays in the state.`
      : `${label} exists and is kept in the state, but is not as declared yet.`,
    ...describeRun(run, isTaken),
    ...(remedy === undefined ? [] : [remedy]),
    ...(hasVanished ? [] : ["The next `pulumi up` continues from here and does only what is missing."]),
    ...(error instanceof ProviderError ? [error.more] : []),
  ];
  const state = stateOf(run, observed, {
    asked: askedAsLanded(run),
    managed: [...new Set([...managedKeys(olds), ...inputKeys(inputs)])],
    left: {
      owed: [...new Set([...(owed.length === 0 ? [SETTLE] : owed), ...(hasMoved ? [MOVED] : [])])],
      sent: sentBy(run, isTaken, error),
    },
    // The object's create was answered at this address, or the object was read there.
    address: run.unseenUntilMs !== undefined || observed !== undefined ? session.config.baseUrl : undefined,
    unseenUntilMs: storedUnseenUntil(session, run.unseenUntilMs?.()),
  });
  return new PartialError(id, state, reason.join("\n"), { cause: error });
}

/**
 * The call under way, unless its refusal rules out an effect, and those of earlier runs that this one has not seen land, and on
 * whose inputs no step of it has. API: a proxy may send a call twice, and the second one is answered 400 or 409.
 */
function sentBy({ resource, olds, wanted, progress }: Run, isAccepted: boolean, error: unknown): Sent[] {
  const { landed, current, observed, answered, hasLostAnswers } = progress;
  const mayHaveLanded = answered !== undefined || hasLostAnswers || !isRefusal(error, "forbidden");
  const done = new Set<string>(landed.flatMap(({ properties }) => properties));
  const live = observed?.live() ?? {};
  const isOpen = (one: Sent): boolean =>
    !hasLanded(resource, one, live) &&
    ![...Object.keys(one.values), ...keysOf(resource, one.entry)].some((key) => done.has(key));
  const before = sentOf(olds).filter(isOpen);
  if (current === undefined || !mayHaveLanded) return before;
  const now = { entry: owedEntry(current), values: valuesAfter(resource, wanted, current), isAccepted };
  return [now, ...before.filter((one) => !isEqual(one, now))];
}

/** The error of a run that ended before it changed anything: the state stays as it is, and the user gets the report. */
function asUntouched(run: Run, error: unknown): unknown {
  if (run.progress.current === undefined || !(error instanceof ProviderError)) return error;
  const message = [messageOf(error), `${run.label} is as it was.`, ...describeRun(run)].join("\n");
  return new ProviderError(error.code, error.errorName, message, remedyOf(run, error), { cause: error });
}

/** The remedy: that of the error, or where the server's words are about an input of the refused call, to change that. */
function remedyOf({ progress: { current } }: Run, error: unknown): string | undefined {
  if (error instanceof InputError && error.hint === undefined) return `Change \`${error.path}\` in the program.`;
  const { properties = [], request = {} } = current ?? {};
  const said = isRefusal(error, "badRequest") ? lettersOf(error.apiMessage ?? "") : "";
  if ([...properties, ...Object.keys(request)].some((name) => said.includes(lettersOf(name)))) {
    return `Change ${properties.map((key) => `\`${key}\``).join(" or ")} in the program.`;
  }
  return error instanceof ProviderError ? error.hint : undefined;
}

/** Inputs that the server never shows: the new value if the create sent it or it has landed, otherwise the old value. */
function askedAsLanded(run: Run): Values {
  const { resource, inputs, progress } = run;
  // What a later step is to change again has neither the old value nor the wanted one.
  const later = new Set(progress.remaining?.flatMap(({ properties }) => properties));
  const landed = new Set(progress.landed.flatMap(({ properties }) => properties).filter((key) => !later.has(key)));
  const asked = Object.entries(inputs).filter(([key]) => resource.fields[key]?.change !== "inPlace" || landed.has(key));
  return Object.fromEntries(asked);
}

/** The report of a run that ended early, by lines. */
function describeRun(run: Run, isTaken = false): string[] {
  const { resource, wanted, assumed, isNew, progress } = run;
  // A create that ended while it waited has not planned yet.
  const { current, landed, remaining = isNew ? resource.plan(wanted, assumed).steps : [] } = progress;
  const line = (title: string, steps: readonly (Step | undefined)[], then = ""): string[] => {
    const names = steps.flatMap((step) => step?.operation ?? []);
    return names.length === 0 ? [] : [`${title}: ${names.join(", ")}${then}`];
  };
  const later = remaining.filter((step) => step !== current);
  const [ended, then] = isTaken ? ["accepted, not yet seen", "; the next `pulumi up` waits for it"] : ["failed", ""];
  return [...line(ended, [current], then), ...line("done", landed), ...line("not tried", later)];
}
