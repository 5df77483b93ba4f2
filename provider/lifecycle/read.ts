// Read: what a refresh and a `get` see. Drift is shown by property, a passing flicker is none, and "gone" is only said
// when the project itself answers and does not know the object.

import { ProviderError, RefusedError } from "../domain/errors";
import { isEqual, pick, show, textOf } from "../domain/value";
import type { Live } from "../plan/step";
import { deadlineOf, type Context } from "./context";
import { INVISIBLE_MS, labelOf, withProtection } from "./create";
import { isDeleted, whereabouts } from "./gone";
import { noteEntry, noteRead } from "./held";
import type { View } from "./looks";
import type { Place, Resource, Values } from "./resource";
import type { Session } from "./session";
import { driftOf, managedKeys, pendingOf, visible, writeState } from "./state";
import { isPassing } from "./wait";
import { fieldsOf, isProtected } from "./wanted";

export interface Reading {
  id?: string;
  props?: Values;
  inputs?: Values;
}

/** So old may a list be that serves the reads of a refresh. */
const RECENT_INTERVALS = 5;
const OLDEST_LIST_MS = 5_000;

/** A difference must show in two looks that follow each other; so many are made at the most. */
const LOOKS_FOR_DRIFT = 5;

export async function read<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: Context,
  id: string,
  props: Values,
): Promise<Reading> {
  const session = context.session();
  noteEntry(context.memory, resource, id, props);
  const olds = visible(props);
  const isRefresh = props["__version"] !== undefined;
  const projectId = textOf(olds, "projectId") ?? (await session.projectId());
  const place = resource.place(olds, projectId);
  const deadlineMs = deadlineOf(session.clock, "read", olds["timeouts"] as object, resource.deadlinesMs(olds));
  const view = resource.view(session, place);
  // A `get` may follow a change of this very run; a refresh comes before all of them.
  const age = isRefresh ? { maxAgeMs: Math.min(RECENT_INTERVALS * session.pace.intervalMs, OLDEST_LIST_MS) } : {};
  const first = await view.look(id, { ...age, deadlineMs });
  const label = labelOf(resource, olds, id);
  if (first === undefined || isDeleted(resource, first)) {
    return whenMissing(resource, session, { id, place, label, props, isRefresh, deadlineMs });
  }
  const { item, state: shown } = await confirmDrift(resource, session, { id, place, props, first, deadlineMs });
  const state = isConclusive(resource, props, item)
    ? shown
    : stateAfterRead(resource, { props, item, live: steady(resource, context, label, props, item, place), place });
  if (isRefresh) noteRead(context.memory, resource, id);
  if (!isRefresh && managedKeys(props).length === 0) return { id, props: state };
  return { id, props: state, inputs: pick(state, managedKeys(props)) };
}

interface Missing {
  id: string;
  place: Place;
  label: string;
  props: Values;
  isRefresh: boolean;
  deadlineMs: number;
}

async function whenMissing<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  session: Session,
  { id, place, label, props, isRefresh, deadlineMs }: Missing,
): Promise<Reading> {
  if ((await whereabouts(resource, session, id, place, deadlineMs)) !== "gone") {
    throw new ProviderError(
      "API",
      `${label}: asked for it alone, the server says that it is gone, but its list still has it; nothing was concluded`,
      "Run the refresh again.",
    );
  }
  if (isJustMade(props, session.clock.now())) {
    throw new ProviderError(
      "API",
      `${label} was made a moment ago and does not show yet; nothing was concluded`,
      "Run the refresh again in two minutes.",
    );
  }
  if (!isRefresh) {
    throw new ProviderError("INPUT", `there is no ${resource.noun} ${show(id)} in project ${place.projectId}`);
  }
  const onMissing = props["onMissing"] ?? (isProtected(props) ? "error" : "recreate");
  if (onMissing === "error") {
    throw new RefusedError(
      `${label} is gone: project ${place.projectId} answers and does not have it. It stays in the state, so that no empty one takes its place`,
      'Restore it, or say that it may be made anew: set `onMissing: "recreate"` (and `deletionProtection: false`) and run `pulumi up`, or take it out of the state with `pulumi state delete`.',
    );
  }
  return {};
}

/** API: a new object can be missing from single answers and from lists for a while. */
function isJustMade(props: Values, nowMs: number): boolean {
  const createdMs = Date.parse(textOf(props, "created") ?? "");
  return !Number.isNaN(createdMs) && nowMs - createdMs < INVISIBLE_MS;
}

interface Sighting<Observed> {
  id: string;
  place: Place;
  props: Values;
  first: Observed;
  deadlineMs: number;
}

/** What one look showed, and the state that it would leave. */
interface Shown<Observed> {
  item: Observed;
  state: Values;
}

/** API: an old value may come back for a moment, and a field may vanish for one; two looks must agree. */
async function confirmDrift<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  session: Session,
  { id, place, props, first, deadlineMs }: Sighting<Observed>,
): Promise<Shown<Observed>> {
  const shownBy = (item: Observed): Shown<Observed> => ({
    item,
    state: stateAfterRead(resource, { props, item, live: resource.live(item, place), place }),
  });
  // What is compared: the managed inputs and the addresses.
  const facts = props["__version"] === undefined ? [] : [...managedKeys(props), ...resource.addresses];
  const isSame = (a: Values, b: Values): boolean => facts.every((key) => isEqual(a[key], b[key]));
  let shown = shownBy(first);
  for (let look = 1; look < LOOKS_FOR_DRIFT; look++) {
    if (isSame(shown.state, props) || resource.condition(shown.item) !== "settled") return shown;
    const again = await nextLook(resource.view(session, place), id, session, deadlineMs);
    if (again === undefined) return shown;
    const before = shown;
    shown = shownBy(again);
    if (isSame(before.state, shown.state)) return shown;
  }
  return shown;
}

/** The next shared look, or one for this object alone where that came to nothing. */
async function nextLook<Observed>(
  view: View<Observed>,
  id: string,
  { pace }: Session,
  deadlineMs: number,
): Promise<Observed | undefined> {
  try {
    return await view.next(id, pace.intervalMs, deadlineMs);
  } catch (error) {
    if (!isPassing(error)) throw error;
    return view.look(id, { deadlineMs });
  }
}

/** While a change is under way, half of it may show. What was never recorded is taken as it shows all the same. */
function isConclusive<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  props: Values,
  item: Observed,
): boolean {
  const condition = resource.condition(item);
  return condition === "settled" || condition === "failed" || props["__version"] === undefined;
}

/** What is recorded stands until the status is settled. */
function steady<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: Context,
  label: string,
  props: Values,
  item: Observed,
  place: Place,
): Live<Inputs> {
  const changeable = fieldsOf(resource)
    .filter(([, field]) => field.change === "inPlace")
    .map(([key]) => key);
  const what =
    resource.condition(item) === "gone"
      ? "it stays in the state until it is gone"
      : "its settings are compared when that is over";
  context.warn(`${label} is ${resource.statusOf(item)}: ${what}`);
  // Without a record there is nothing, which is said: a half-attached VPC must not show as drift.
  return { ...resource.live(item, place), ...Object.fromEntries(changeable.map((key) => [key, props[key] ?? null])) };
}

interface Sight<Inputs extends object, Observed> {
  props: Values;
  item: Observed;
  live: Live<Inputs>;
  place: Place;
}

function stateAfterRead<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  { props, item, live, place }: Sight<Inputs, Observed>,
): Values {
  const olds = visible(props);
  const asked = pick(olds, Object.keys(resource.fields));
  const isFirst = props["__version"] === undefined;
  const isMoving = !isFirst && resource.condition(item) === "pending";
  const state = writeState({
    resource,
    item,
    live,
    asked: isFirst ? withProtection(resource, asked, live as Values) : asked,
    olds,
    projectId: place.projectId,
    urn: props["__urn"],
    managed: managedKeys(props),
    pending: pendingOf(props),
    drift: isFirst ? [] : movedAddresses(resource, props, item),
  });
  return isMoving ? { ...state, ...pick(props, resource.addresses) } : state;
}

/**
 * Addresses that were there and are elsewhere: nobody asked for that, and connection strings break. What an earlier read
 * saw moving stays said until an update has saved it; while the object is changing, nothing is concluded.
 */
function movedAddresses<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  props: Values,
  item: Observed,
): string[] {
  const now = resource.outputs(item);
  const said = driftOf(props);
  if (resource.condition(item) === "pending") return [...said];
  return resource.addresses.filter(
    (key) => said.includes(key) || (props[key] !== undefined && !isEqual(props[key], now[key])),
  );
}
