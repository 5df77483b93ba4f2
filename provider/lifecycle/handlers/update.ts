// Update: acts on changed inputs and on what an interrupted operation may have left; other drift it meets is named, never
// repaired unannounced.

import { compact, isEqual, pick, show } from "../../domain/values/value";
import type { Live } from "../../plan/step";
import { deadlineOf, stepLimitOf, type Context, timeoutsOf } from "../session/context";
import { converge } from "../converge/converge";
import { addressOf, confirmObject } from "../state/deployment";
import { labelOf } from "../resources/label";
import { withProtection } from "../state/wanted";
import { noteUpdate } from "../state/held";
import type { Memory } from "../state/memory";
import { asPartial, asUntouched } from "../converge/partial";
import { withAddress } from "../converge/lateAddress";
import { ownerMark } from "../state/owner";
import { paced } from "../session/progress";
import type { Resource, Values } from "../resources/resource";
import { openRun, touchedBy, type Run } from "../converge/run";
import {
  inputKeys,
  isAsWanted,
  pendingOf,
  projectOf,
  SETTLE,
  unseenUntilOf,
  visible,
  withoutDrift,
  writeState,
} from "../state/state";
import { fieldsOf, wantedOf } from "../state/wanted";
import { LOOKS_BEFORE_REPEAT } from "../converge/waitForObject";

export async function update(
  resource: Resource,
  context: Context,
  id: string,
  olds: Values,
  raw: Values,
): Promise<{ outs: Values }> {
  const outs = await change(resource, context, id, olds, raw);
  noteUpdate(context.memory, resource, id, outs);
  return { outs };
}

async function change(resource: Resource, context: Context, id: string, olds: Values, raw: Values): Promise<Values> {
  const news = visible(raw);
  const wanted = wantedOf(resource, olds, news);
  const pending = pendingOf(olds);
  const owner = ownerMark(resource, context.memory, news);
  const recorded = projectOf(olds);
  // What was imported and never read names no project: it is looked at first.
  const isRead = olds["__version"] !== undefined && recorded !== undefined;
  const isDue = pending.length > 0 || isMoving(resource, context.memory, olds);
  if (Object.keys(wanted).length === 0 && !isDue && isRead) {
    // Nothing for the server: lifecycle inputs, inputs no longer managed, a new urn.
    const live = pick(olds, visibleCallKeys(resource));
    return save(resource, { item: undefined, live, news, olds, raw, projectId: recorded, owner });
  }
  const run = await prepare(resource, context, id, olds, news);
  const { session, scope, label } = run;
  const deadlineMs = deadlineOf(session.clock, "update", timeoutsOf(news), resource.deadlinesMs(news));
  await confirmObject(resource, session, { id, scope, label, state: olds, deadlineMs });
  try {
    const changed = await session.locks.run(resource.lock(id, scope), () => {
      run.deadlineMs = deadlineOf(session.clock, "update", timeoutsOf(news), resource.deadlinesMs(news));
      return converge(run, wanted).then((last) => (run.landed.length > 0 ? withAddress(run, last) : last));
    });
    const item = await awaitTheRest(run, changed, news);
    const { projectId } = scope;
    if (run.start !== undefined) {
      warnOfDrift(run, news, resource.live(run.start, scope));
    }
    const live = withoutDrift(resource, resource.live(item, scope), olds, news, touchedBy(run));
    const address = addressOf(session);
    return save(resource, { item, live, news, olds, raw, projectId, address, owner });
  } catch (error) {
    // Nothing was taken and nothing was owed: the old state is still the truth, unless the object is beyond repair.
    const isFailed = run.observed !== undefined && resource.condition(run.observed) === "failed";
    if (!run.hasTouched && pending.length === 0 && !isFailed) throw asUntouched(run, error);
    throw asPartial(run, { olds, raw }, error);
  }
}

async function prepare(resource: Resource, context: Context, id: string, olds: Values, news: Values): Promise<Run> {
  const session = context.session();
  const projectId = projectOf(olds) ?? projectOf(news) ?? (await session.projectId());
  const stale = isMoving(resource, context.memory, olds) ? staleAddresses(resource, olds) : undefined;
  return openRun({
    resource,
    context: paced(context, session.clock),
    session,
    id,
    scope: resource.scope({ ...news, ...olds }, projectId),
    label: labelOf(resource, { ...news, ...pick(olds, ["name"]) }, id),
    deadlineMs: Number.POSITIVE_INFINITY,
    stepMs: stepLimitOf("update", timeoutsOf(news), resource.deadlinesMs(news)),
    missing: (item) => resource.occupies?.(news, item) ?? stale?.(item),
    recorded: olds["__version"] === undefined ? undefined : olds,
    isResumed: pendingOf(olds).some((step) => step !== SETTLE),
    isNewUntilMs: unseenUntilOf(olds),
  });
}

/** Whether an object that takes the addresses of this one along has moved in this run. */
function isMoving(resource: Resource, { moving }: Memory, olds: Values): boolean {
  const other = resource.movesWith?.(olds);
  return other !== undefined && moving.has(other.object);
}

/**
 * Answers what is missing until new addresses show in two looks that follow each other. Addresses that are still the old
 * ones after many looks did not move.
 */
function staleAddresses(resource: Resource, olds: Values): (item: unknown) => string | undefined {
  const before = pick(olds, resource.addresses);
  let seen: Values = before;
  let looks = 0;
  return (item) => {
    const now = compact(pick(resource.outputs(item), resource.addresses));
    const isSteady = isEqual(now, seen) && !isEqual(now, before);
    seen = now;
    looks += 1;
    return isSteady || looks > LOOKS_BEFORE_REPEAT ? undefined : "its new address not shown yet";
  };
}

/** What its dependents wait for may need somebody else's help: as in a create, it is awaited without the lock. */
async function awaitTheRest(run: Run, changed: unknown, news: Values): Promise<unknown> {
  const missing = (item: unknown): string | undefined => run.resource.missing?.(news, item);
  if (missing(changed) === undefined) return changed;
  const rest = { ...run, missing, hasTouched: false, isResumed: false };
  const item = await converge(rest, {});
  run.observed = item;
  return item;
}

function visibleCallKeys(resource: Resource): string[] {
  return fieldsOf(resource)
    .filter(([, field]) => field.change !== "lifecycle")
    .map(([key]) => key);
}

interface Saved {
  item: unknown;
  live: Live;
  news: Values;
  olds: Values;
  raw: Values;
  projectId: string;
  /** Where it was seen; undefined when nobody looked. */
  address?: string | undefined;
  /** Whether what it belongs to is protected, where this process knows. */
  owner: string | undefined;
}

function save(resource: Resource, { item, live, news, olds, raw, projectId, address, owner }: Saved): Values {
  // What the server never shows stays as it was last asked for, also when the program stops managing it.
  const kept = pick(olds, visibleCallKeys(resource));
  const protection = pick(withProtection(resource, news, { ...olds, ...live }), ["deletionProtection"]);
  return writeState({
    resource,
    item,
    live,
    asked: { ...kept, ...news, ...protection },
    olds,
    projectId,
    urn: raw["__urn"],
    managed: inputKeys(raw),
    address,
    owner,
  });
}

/** Values that moved although nobody changed the program: said, and left to a refresh. */
function warnOfDrift(run: Run, news: Values, live: Values): void {
  const { resource, context, label } = run;
  const touched = touchedBy(run);
  const drifted = fieldsOf(resource)
    .filter(([key, field]) => field.change === "inPlace" && !touched.has(key) && news[key] !== undefined)
    .filter(([key, field]) => live[key] !== undefined && !isAsWanted(field, news[key], live[key]))
    .map(([key, field]) => (field.secret ? key : `${key} is ${show(live[key])}, the program says ${show(news[key])}`));
  if (drifted.length === 0) return;
  context.warn(
    `${label} was changed outside Pulumi and this is left alone: ${drifted.join("; ")}. Run \`pulumi refresh\` to see it, then \`pulumi up\` to repair it.`,
  );
}
