// What is kept in the state: the inputs with their live values, the outputs, and a few hidden keys. Pure.
// `__inputs` names the inputs the program gave (a handler never sees the old ones), `__pending` the steps that an
// interrupted operation still owes, `__deployment` the addresses at which the object has answered, `__unseenUntil` until
// when an object that was never seen may be too young for that, `__owner` whether what the object belongs to is protected,
// `__version` the layout. Lists are one text: Pulumi makes
// a message of its own of every value, each time that a state travels.

import { compact, isEqual, pick } from "../../domain/values/value";
import type { Field } from "../../domain/fields";
import type { Live } from "../../plan/step";
import type { Resource, Values } from "../resources/resource";

export const STATE_VERSION = 1;

export function isHidden(key: string): boolean {
  return key.startsWith("__");
}

/** The user's own inputs among what the engine sent. */
export function visible(values: Values): Values {
  const shown: Values = {};
  for (const key of Object.keys(values)) if (!isHidden(key)) shown[key] = values[key];
  return shown;
}

export function inputKeys(values: Values): string[] {
  return Object.keys(visible(values)).filter((key) => values[key] !== undefined);
}

/** The inputs that the program had given when this state was written. */
export function managedKeys(state: Values): readonly string[] {
  const keys = state["__inputs"];
  return typeof keys === "string" && keys !== "" ? keys.split(",") : [];
}

/** What `managedKeys` reads. */
export function managedText(keys: readonly string[]): string {
  return keys.join(",");
}

/** Stands in `__pending` for a wait that was interrupted before there was a plan, or after its last step. */
export const SETTLE = "settle";
/** The service was started only to be changed, and must be stopped once more. */
export const STOP_AGAIN = "stop again";

/** The object moved, and a run that ended early may not have come to those that move with it. */
export const MOVED = "addresses moved";

export function pendingOf(state: Values): readonly string[] {
  const steps = state["__pending"];
  return Array.isArray(steps) ? steps.filter((step) => typeof step === "string") : [];
}

/** The project that a state names; none before the first read of an import. */
export function projectOf(values: Values): string | undefined {
  const projectId = values["projectId"];
  return typeof projectId === "string" && projectId !== "" ? projectId : undefined;
}

/** Until when the object of this state may be too young to be seen; undefined once it was seen. */
export function unseenUntilOf(state: Values): number | undefined {
  const untilMs = state["__unseenUntil"];
  return typeof untilMs === "number" ? untilMs : undefined;
}

/** Where the object of a state has answered, the last place first; nothing in old states. */
export function addressesOf(state: Values): readonly string[] {
  const text = state["__deployment"];
  return typeof text === "string" && text !== "" ? text.split(" ") : [];
}

/** What `addressesOf` reads, once the object has answered at this address. */
function addressesWith(state: Values, address: string | undefined): string | undefined {
  const before = addressesOf(state).filter((other) => other !== address);
  const all = address === undefined ? before : [address, ...before];
  return all.length === 0 ? undefined : all.slice(0, MOST_ADDRESSES).join(" ");
}

/** A deployment that is renamed has two or three addresses. */
const MOST_ADDRESSES = 4;

export interface StateParts {
  resource: Resource;
  /** The last look; undefined when the object was never seen. */
  item: unknown;
  live: Live;
  /** What was asked for and is kept as asked: write-only and lifecycle inputs. */
  asked: Values;
  /** The state before, for what the server shows only once. */
  olds: Values;
  projectId: string;
  urn: unknown;
  managed: readonly string[];
  pending?: readonly string[];
  initialPassword?: string | undefined;
  /** Where the object has answered in this operation; undefined when it was not asked. */
  address?: string | undefined;
  /** For an object that was never seen: until when it may be too young for that. */
  unseenUntilMs?: number | undefined;
  /** Whether what the object belongs to is protected, where this process knows. */
  owner?: string | undefined;
}

export function writeState(parts: StateParts): Values {
  const { resource, item, live, asked, olds, projectId, urn, managed, pending, initialPassword } = parts;
  const { address, unseenUntilMs = unseenUntilOf(olds) } = parts;
  const seen = item === undefined ? pickOutputs(olds, resource) : resource.outputs(item);
  const state: Values = {
    ...seen,
    ...shapeLikeAsked(resource, live, asked),
    projectId,
    initialPassword: initialPassword ?? olds["initialPassword"],
    __urn: urn,
    __inputs: managedText(managed),
    __pending: pending === undefined || pending.length === 0 ? undefined : [...pending],
    __deployment: addressesWith(olds, address),
    __unseenUntil: item === undefined ? unseenUntilMs : undefined,
    __owner: parts.owner ?? olds["__owner"],
    __version: STATE_VERSION,
  };
  return withDerived(resource, compact(state));
}

/** Keeps the outputs that are derived from others in step with them. */
export function withDerived(resource: Resource, state: Values): Values {
  return resource.derived === undefined ? state : compact({ ...state, ...resource.derived(state) });
}

/**
 * What an update takes over of a look: values that moved without it are left to a refresh, which shows them by name, or
 * the next update would set them right without a word.
 */
export function withoutDrift(
  resource: Resource,
  live: Live,
  olds: Values,
  news: Values,
  touched: ReadonlySet<string>,
): Live {
  const untouched = Object.entries<Field>(resource.fields)
    .filter(([key, field]) => field.change === "inPlace" && !touched.has(key) && news[key] !== undefined)
    .map(([key]) => key);
  return { ...live, ...pick(olds, untouched) };
}

function pickOutputs(olds: Values, resource: Resource): Values {
  const keys = Object.keys(visible(olds)).filter((key) => !(key in resource.fields));
  return pick(olds, keys);
}

/** Live values win; what the server never shows stays as asked; a nested value shows only what was asked about. */
export function shapeLikeAsked(resource: Resource, live: Live, asked: Values): Values {
  const shown = live;
  const fields = resource.fields;
  const shaped: Values = {};
  for (const key of Object.keys(fields)) {
    const wanted = asked[key];
    const seen = shown[key];
    if (seen === undefined || fields[key]?.keptAsAsked === true) shaped[key] = wanted;
    else shaped[key] = seen === null ? undefined : narrow(seen, wanted);
  }
  return shaped;
}

/** A program that says only `replicaCount` must not see `syncReplicaCount` come back as a difference. */
function narrow(seen: unknown, wanted: unknown): unknown {
  if (!isPlainObject(seen) || !isPlainObject(wanted)) return seen;
  return pick(seen, Object.keys(wanted));
}

function isPlainObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Equal where the program says anything: an absent part of a nested input is not managed. */
export function isAsWanted(field: Field | undefined, wanted: unknown, seen: unknown): boolean {
  if (isSameValue(field, wanted, seen)) return true;
  if (isPlainObject(wanted) && isPlainObject(seen)) {
    return Object.entries(wanted).every(([key, value]) => isEqual(value, seen[key]));
  }
  return false;
}

/** Equal, or spelled otherwise: addons in another order, one moment in two time zones. */
export function isSameValue(field: Field | undefined, a: unknown, b: unknown): boolean {
  if (isEqual(a, b)) return true;
  return a !== undefined && b !== undefined && field?.isSame?.(a, b) === true;
}
