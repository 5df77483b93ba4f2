// Update: acts on changed inputs and on the steps that an interrupted operation left to do. It warns of other drift and
// never repairs it unannounced.

import { RefusedError } from "../domain/errors";
import { compact, isEqual, pick, type Values } from "../domain/values/value";
import { afterSteps } from "./afterSteps";
import { converge } from "./converge";
import { goingOn, stateAfter, survivingErrors, warnOfDrift } from "./leftInState";
import { refuseTakenName } from "./name";
import { forgetRecorded } from "./sentCreates";
import { openRun, type Run, underLock } from "./run";
import type { Context } from "./operation";
import type { Resource } from "./kind";
import type { Reported } from "./reported";
import { CONFIRMATION, createAnswers, unseenUntil } from "./patience";
import { noteOfDelete } from "./presence";
import type { WaitPace } from "./session";
import { clashesWith, wantedOf } from "./compare";
import { confirmIdentity, confirmObject } from "./deployment";
import {
  addressKeys,
  isRecorded,
  labelOf,
  lockOf,
  MOVED,
  objectKeys,
  owing,
  projectOf,
  unseenUntilOf,
  visible,
} from "./state";
import { noteProtection } from "./deleteFacts";
import { entryOf, movesOfPlace } from "./entry";
import { open } from "./open";

export function update(
  resource: Resource,
  context: Context,
  id: string,
  given: Values,
  raw: Values,
): Promise<{ outs: Values }> {
  const { memory, identity } = context;
  return goingOn(context, async (left) => {
    const [olds, inputs] = [left?.outputs ?? given, visible(raw)];
    // An object does not move: it is where the state says, within the time that the program says.
    const opened = await open(resource, context, "update", { ...inputs, ...olds, timeouts: inputs["timeouts"] });
    const { session } = opened;
    const isMoving = movesOfPlace(resource, memory.view, olds) !== undefined;
    const stale = isMoving ? staleAddresses(resource, olds, session.pace) : undefined;
    const run = openRun({
      ...opened,
      id,
      label: labelOf(resource, { ...inputs, ...olds }, id),
      // The addresses of the state have ended, also if this run ends before it has read the new ones.
      olds: isMoving ? owing(olds, MOVED) : olds,
      inputs,
      wanted: wantedOf(resource, olds, inputs),
      assumed: pick(olds, objectKeys(resource)),
      isNew: false,
      missing: (item) => item.lacks?.(inputs).parent ?? stale?.(item),
      unseenUntilMs: unseenUntil(session, unseenUntilOf(olds)),
    });
    const outs = needsCalls(run) ? await change(run) : stateAfter(run, undefined);
    const entry = entryOf(resource, id, outs);
    memory.view.tell(identity, { is: "seen", entry, isWritten: true });
    noteProtection(entry, context, false);
    return { outs };
  });
}

/** Not for lifecycle inputs, nor for inputs that are no longer managed. */
function needsCalls(run: Run): boolean {
  const { wanted, owed, olds } = run;
  // The state of an import that was never read names no project: the object is read first.
  const isRead = isRecorded(olds) && projectOf(olds) !== undefined && !isTakenAnew(run);
  return Object.keys(wanted).length > 0 || owed.length > 0 || !isRead;
}

async function change(run: Run): Promise<Values> {
  const { resource, id, scope, olds } = run;
  await confirmObject(run, olds);
  return survivingErrors(run, async () => {
    const last = await underLock(run, lockOf(resource, id, scope), () => converge(run, guard));
    const item = await afterSteps(run, last);
    warnOfDrift(run);
    return stateAfter(run, item);
  });
}

/** The program says that what has the id of the state is its object from now on, whatever the state has recorded of it. */
function isTakenAnew({ id, inputs, olds }: Run): boolean {
  return inputs["adoptId"] === id && olds["adoptId"] !== id;
}

/** Refuses an update by what is shown before it. */
async function guard(run: Run, start: Reported): Promise<void> {
  const { resource, label, inputs, olds } = run;
  if (!isTakenAnew(run)) confirmIdentity(run, olds, start);
  run.context.memory.notes.write(noteOfDelete(run), undefined);
  forgetRecorded(run, olds);
  // The `diff` of an import that was never read cannot find these. An update must not save a value that no call sets.
  const clashes = isRecorded(olds) ? "" : clashesWith(resource, inputs, start);
  if (clashes === "") return refuseTakenName(run, start);
  throw new RefusedError(
    "import-differs",
    `${label} was imported and never read, and it differs in what cannot change:\n${clashes}\nNothing was changed.`,
    "Change the program to match it; or run `pulumi refresh`, then `pulumi preview` to see what would happen to it.",
  );
}

/** Returns what is missing until enough reads show new or unchanged addresses. */
function staleAddresses(resource: Resource, olds: Values, pace: WaitPace): (item: Reported) => string | undefined {
  const keys = addressKeys(resource);
  const before = pick(olds, keys);
  const answers = createAnswers(pace);
  return (item) => {
    const now = compact(pick(item.outputs(), keys));
    const row = isEqual(now, before) ? CONFIRMATION.noEffect : CONFIRMATION.moving;
    return answers.isBelieved(now, row) ? undefined : "its new address not shown yet";
  };
}
