// Update: acts on changed inputs and on the steps that an interrupted operation left to do. It warns of other drift and
// never repairs it unannounced.

import { RefusedError } from "../../domain/errors";
import { compact, isEqual, pick, type Values } from "../../domain/values/value";
import { inWords } from "../../domain/values/words";
import type { Context, Memory } from "../session/context";
import { openOperation, type OpenOperation } from "./operation";
import { converge } from "../converge/converge";
import { addressOf, confirmObject } from "../state/deployment";
import { storedProtection } from "../state/protection";
import { asPartial, asUntouched } from "../converge/partial";
import { mayRefuse, waitUntilAccepting, withAddress } from "../converge/accepting";
import { openRun, type Run, touchedBy, underLock } from "../converge/run";
import { entryOf, ownerMark, ownerOf } from "../view/entry";
import { type Changeable, labelOf, type Observable } from "../resources/resource";
import {
  addressKeys,
  fieldsOf,
  inputKeys,
  isAsWanted,
  objectKeys,
  owedOf,
  projectOf,
  SETTLE,
  visible,
  withoutDrift,
  writeState,
  isRecorded,
  type StateParts,
} from "../state/state";
import { clashesWith, wantedOf } from "../state/compare";
import { unseenUntil } from "../state/unseen";
import { CONFIRMATION, createAnswers } from "../session/confirmation";
import type { WaitPace } from "../session/session";

export async function update(
  resource: Changeable,
  context: Context,
  id: string,
  olds: Values,
  raw: Values,
): Promise<{ outs: Values }> {
  const outs = await change(resource, context, id, olds, raw);
  context.memory.view.saved(entryOf(resource, id, outs));
  return { outs };
}

async function change(resource: Changeable, context: Context, id: string, olds: Values, raw: Values): Promise<Values> {
  const news = visible(raw);
  const wanted = wantedOf(resource, olds, news);
  const owed = owedOf(olds);
  const owner = ownerMark(resource, context.memory.view, news);
  const recorded = projectOf(olds);
  // The state of an import that was never read names no project: the object is read first.
  const isRead = isRecorded(olds) && recorded !== undefined;
  const isDue = owed.length > 0 || isMoving(resource, context.memory, olds);
  if (Object.keys(wanted).length === 0 && !isDue && isRead) {
    // No call is needed: lifecycle inputs, inputs that are no longer managed, or a new identity.
    const live = pick(olds, objectKeys(resource));
    return save(resource, { item: undefined, live, news, olds, raw, projectId: recorded, owner });
  }
  const opened = await openOperation(resource, context, "update", { ...news, ...olds }, news);
  const run = prepare(resource, opened, id, olds, news);
  const { session, scope } = run;
  await confirmObject(run, context.memory, olds);
  try {
    const changed = await underLock(run, async () => {
      if (!isRecorded(olds)) await refuseOther(run, news);
      return converge(run, wanted).then((last) => (run.landed.length > 0 ? withAddress(run, last) : last));
    });
    const item = await awaitMissing(run, changed, news);
    if (owed.length > 0 || mayRefuse(run)) await waitUntilAccepting(run, news, item);
    const { projectId } = scope;
    if (run.start !== undefined) warnOfDrift(run, news, resource.live(run.start, scope));
    const live = withoutDrift(resource, resource.live(item, scope), olds, news, touchedBy(run));
    const address = addressOf(session);
    return save(resource, { item, live, news, olds, raw, projectId, address, owner });
  } catch (error) {
    // The server took no call and no step was owed: the old state is still true, unless the object has failed.
    const isFailed = run.observed !== undefined && resource.condition(run.observed) === "failed";
    if (!run.hasTouched && owed.length === 0 && !isFailed) throw asUntouched(run, error);
    throw asPartial(run, { olds, raw }, error);
  }
}

/** The `diff` of an import that was never read cannot find these. An update must not save a value that no call sets. */
async function refuseOther({ resource, session, scope, id, label, deadlineMs }: Run, news: Values): Promise<void> {
  const item = await resource.reader(session, scope).get(id, { deadlineMs });
  const clashes = item === undefined ? [] : clashesWith(resource, news, item, scope);
  if (clashes.length === 0) return;
  throw new RefusedError(
    `${label} was imported and never read, and it differs in what cannot change:\n${clashes.map((line) => `  ${line}`).join("\n")}\nNothing was changed.`,
    "Change the program to match it; or run `pulumi refresh`, and `pulumi preview` says what becomes of it.",
  );
}

function prepare(resource: Changeable, opened: OpenOperation, id: string, olds: Values, news: Values): Run {
  const { session, context, scope, deadlineMs, stepMs } = opened;
  const stale = isMoving(resource, context.memory, olds) ? staleAddresses(resource, olds, session.pace) : undefined;
  return openRun({
    resource,
    context,
    session,
    id,
    scope,
    label: labelOf(resource, { ...news, ...pick(olds, ["name"]) }, id),
    deadlineMs: deadlineMs(),
    stepMs,
    missing: (item) => resource.readiness?.occupies(news, item) ?? stale?.(item),
    recorded: isRecorded(olds) ? olds : undefined,
    isResumed: owedOf(olds).some((step) => step !== SETTLE),
    unseenUntilMs: unseenUntil(session, olds),
  });
}

/** Whether the owner, whose moves change the addresses of this object, has moved in this run. */
function isMoving(resource: Observable, { moving }: Memory, olds: Values): boolean {
  const owner = ownerOf(resource, olds);
  return owner !== undefined && moving.has(owner);
}

/** Returns what is missing until the addresses are believed to be new or unchanged. */
function staleAddresses(resource: Observable, olds: Values, pace: WaitPace): (item: unknown) => string | undefined {
  const keys = addressKeys(resource);
  const before = pick(olds, keys);
  const answers = createAnswers(pace);
  return (item) => {
    const now = compact(pick(resource.outputs(item), keys));
    const row = isEqual(now, before) ? CONFIRMATION.sameAddresses : CONFIRMATION.newAddresses;
    return answers.isBelieved(now, row) ? undefined : "its new address not shown yet";
  };
}

/** What dependents need may depend on a change by another resource. As in a create, the wait holds no lock. */
async function awaitMissing(run: Run, changed: unknown, news: Values): Promise<unknown> {
  const missing = (item: unknown): string | undefined => run.resource.readiness?.missing(news, item);
  if (missing(changed) === undefined) return changed;
  const waiting = { ...run, missing, hasTouched: false, isResumed: false };
  const item = await converge(waiting, {});
  run.observed = item;
  return item;
}

interface Saved extends Pick<StateParts, "item" | "live" | "olds" | "projectId" | "address" | "owner"> {
  news: Values;
  raw: Values;
}

function save(resource: Observable, { news, raw, ...saved }: Saved): Values {
  // An input that the server never shows keeps its last value, also when the program stops managing it.
  const kept = pick(saved.olds, objectKeys(resource));
  const protection = storedProtection(resource, news, { ...saved.olds, ...saved.live });
  return writeState({ resource, ...saved, asked: { ...kept, ...news, ...protection }, managed: inputKeys(raw) });
}

/** Warns of values that changed although the program did not; a refresh records them. */
function warnOfDrift(run: Run, news: Values, live: Values): void {
  const { resource, context, label } = run;
  const touched = touchedBy(run);
  const drifted = fieldsOf(resource)
    .filter(([key, field]) => field.change === "inPlace" && !touched.has(key) && news[key] !== undefined)
    .filter(([key, field]) => live[key] !== undefined && !isAsWanted(field, news[key], live[key]))
    .map(([key, field]) =>
      field.secret ? key : `${key} is ${inWords(live[key])}, the program says ${inWords(news[key])}`,
    );
  if (drifted.length === 0) return;
  context.warn(
    `${label} was changed outside Pulumi and this is left alone: ${drifted.join("; ")}. Run \`pulumi refresh\` to see it, then \`pulumi up\` to repair it.`,
  );
}
