// Read: what a refresh and a `get` see. Drift is shown by property, a passing flicker is none, and what does not answer
// is a matter of its own.

import { compact, isEqual, pick, show } from "../../domain/values/value";
import type { Live } from "../../plan/step";
import { deadlineOf, type Context, timeoutsOf } from "../session/context";
import { labelOf } from "../resources/label";
import { withProtection } from "../state/wanted";
import { addressOf, confirmIdentity, looking } from "../state/deployment";
import { isDeleted } from "../session/presence";
import { noteEntry, noteRead } from "../state/held";
import type { Reader } from "../session/sharedReader";
import { whenMissing } from "./missing";
import { noteProtection, ownerMark } from "../state/owner";
import type { Scope, Resource, Values } from "../resources/resource";
import type { Session } from "../session/session";
import { managedKeys, pendingOf, projectOf, visible, withDerived, writeState } from "../state/state";
import { isPassing } from "../converge/waiter";
import { fieldsOf, isProtected } from "../state/wanted";

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

export async function read(resource: Resource, context: Context, id: string, props: Values): Promise<Reading> {
  const session = context.session();
  const { memory } = context;
  noteEntry(memory, resource, id, props);
  const olds = visible(props);
  const isRefresh = props["__version"] !== undefined;
  // Before the first look: what belongs to it may be read at the same time.
  if (isRefresh) noteProtection(resource, memory, id, isProtected(props));
  const projectId = projectOf(olds) ?? (await session.projectId());
  const scope = resource.scope(olds, projectId);
  const deadlineMs = deadlineOf(session.clock, "read", timeoutsOf(olds), resource.deadlinesMs(olds));
  const reader = resource.reader(session, scope);
  // A `get` may follow a change of this very run; a refresh comes before all of them.
  const age = isRefresh ? { maxAgeMs: Math.min(RECENT_INTERVALS * session.pace.intervalMs, OLDEST_LIST_MS) } : {};
  const label = labelOf(resource, olds, id);
  const missing = { id, scope, label, props, isRefresh, deadlineMs };
  const look = await looking(memory, async () => {
    const seen = await reader.get(id, { ...age, deadlineMs });
    if (seen === undefined || isDeleted(resource, seen)) return undefined;
    confirmIdentity(resource, session, { label, scope, state: props }, seen);
    return seen;
  });
  const first = look ?? (await whenMissing(resource, context, session, missing));
  if (first === undefined) return {};
  const address = addressOf(session);
  const sighting = { id, scope, props, first, address, deadlineMs };
  const { item, state: shown } = await confirmDrift(resource, session, sighting);
  const seen = isConclusive(resource, props, item)
    ? shown
    : stateAfterRead(resource, { ...sighting, item, live: steady(resource, context, label, props, item, scope) });
  if (isRefresh) {
    noteRead(memory, resource, id);
    const settingsMoved = managedKeys(props).some((key) => !isEqual(seen[key], props[key]));
    warnOfMoves(resource, context, { label, props, item, settingsMoved });
  }
  const state = compact({ ...seen, __owner: ownerMark(resource, memory, seen) ?? props["__owner"] });
  if (!isRefresh && managedKeys(props).length === 0) return { id, props: state };
  return { id, props: state, inputs: pick(state, managedKeys(props)) };
}

interface Sighting {
  id: string;
  scope: Scope;
  props: Values;
  first: unknown;
  /** Where it was seen. */
  address: string | undefined;
  deadlineMs: number;
}

/** What one look showed, and the state that it would leave. */
interface Shown {
  item: unknown;
  state: Values;
}

/** API: an old value may come back for a moment, and a field may vanish for one; two looks must agree. */
async function confirmDrift(
  resource: Resource,
  session: Session,
  { id, scope, props, first, address, deadlineMs }: Sighting,
): Promise<Shown> {
  const shownBy = (item: unknown): Shown => ({
    item,
    state: stateAfterRead(resource, { props, item, live: resource.live(item, scope), scope, address }),
  });
  // What is compared: the managed inputs and the addresses.
  const facts = props["__version"] === undefined ? [] : [...managedKeys(props), ...resource.addresses];
  const isSame = (a: Values, b: Values): boolean => facts.every((key) => isEqual(a[key], b[key]));
  let shown = shownBy(first);
  for (let look = 1; look < LOOKS_FOR_DRIFT; look++) {
    if (isSame(shown.state, props) || resource.condition(shown.item) !== "settled") return shown;
    const again = await nextLook(resource.reader(session, scope), id, session, deadlineMs);
    if (again === undefined) return shown;
    const before = shown;
    shown = shownBy(again);
    if (isSame(before.state, shown.state)) return shown;
  }
  return shown;
}

/** The next shared look, or one for this object alone where that came to nothing. */
async function nextLook(reader: Reader<unknown>, id: string, { pace }: Session, deadlineMs: number): Promise<unknown> {
  try {
    return await reader.nextPoll(id, pace.intervalMs, deadlineMs);
  } catch (error) {
    if (!isPassing(error)) throw error;
    return reader.get(id, { deadlineMs });
  }
}

/** While a change is under way, half of it may show. What was never recorded is taken as it shows all the same. */
function isConclusive(resource: Resource, props: Values, item: unknown): boolean {
  const condition = resource.condition(item);
  return condition === "settled" || condition === "failed" || props["__version"] === undefined;
}

/** What is recorded stands until the status is settled. */
function steady(resource: Resource, context: Context, label: string, props: Values, item: unknown, scope: Scope): Live {
  const changeable = fieldsOf(resource)
    .filter(([, field]) => field.change === "inPlace")
    .map(([key]) => key);
  const what =
    resource.condition(item) === "gone"
      ? "it stays in the state until it is gone"
      : "its settings are compared when that is over";
  context.warn(`${label} is ${resource.statusOf(item)}: ${what}`);
  // Without a record there is nothing, which is said: a half-attached VPC must not show as drift.
  return { ...resource.live(item, scope), ...Object.fromEntries(changeable.map((key) => [key, props[key] ?? null])) };
}

interface Sight {
  props: Values;
  item: unknown;
  live: Live;
  scope: Scope;
  address: string | undefined;
}

function stateAfterRead(resource: Resource, { props, item, live, scope, address }: Sight): Values {
  const olds = visible(props);
  const asked = pick(olds, Object.keys(resource.fields));
  const isFirst = props["__version"] === undefined;
  const isMoving = !isFirst && resource.condition(item) === "pending";
  const state = writeState({
    resource,
    item,
    live,
    asked: isFirst ? withProtection(resource, asked, live) : asked,
    olds: props,
    projectId: scope.projectId,
    urn: props["__urn"],
    managed: managedKeys(props),
    pending: pendingOf(props),
    address,
  });
  return isMoving ? withDerived(resource, { ...state, ...pick(props, resource.addresses) }) : state;
}

interface Moves {
  label: string;
  props: Values;
  item: unknown;
  /** Whether a setting that the program manages moved with the addresses. */
  settingsMoved: boolean;
}

/**
 * Addresses that were there and are elsewhere: nobody asked for that, and connection strings break. It is no change that
 * an update could make: the refresh saves it and hands it to dependents. While the object is changing nothing is said.
 */
function warnOfMoves(resource: Resource, context: Context, { label, props, item, settingsMoved }: Moves): void {
  if (resource.condition(item) === "pending") return;
  const now = resource.outputs(item);
  const moved = resource.addresses.filter((key) => props[key] !== undefined && !isEqual(props[key], now[key]));
  if (moved.length === 0) return;
  const moves = moved.map((key) => `${key} from ${show(props[key])} to ${show(now[key])}`);
  const rest = settingsMoved
    ? "The next preview shows the settings that moved"
    : "This is saved, and nothing is left to do here";
  context.warn(`${label} moved outside Pulumi: ${moves.join("; ")}. ${rest}`);
}
