// The layout of the state: the inputs with their live values, the outputs, and a few hidden keys. Pure.
// `__inputs`: names of the inputs that the program gave, because a handler never sees the old ones; `__pending`: the steps that
// an interrupted operation has left, `__sent` the calls that may still take effect, with what they leave; `__deployment`: the
// addresses at which the object has answered; `__unseenUntil`: until when an object that was never read may be invisible; `__owner`: whether its owner is protected; `__shown`: values of fixed
// inputs as the server shows them; `__version`: the layout.
// Pulumi: hidden keys cause no diff. Every value of a state is one message whenever the state is sent, so lists are one text.

import { oneLine } from "../domain/values/printable";
import { compact, isPlainObject, isUnknown, pick, textOf, UNKNOWN, type Values } from "../domain/values/value";
import { connectionUri, type Endpoint, isComplete, plainAddresses } from "../domain/endpoint";
import type { Field } from "../domain/fields";
import type { Live, Step } from "../plan/step";
import type { Output, Resource, Scope } from "./kind";
import type { Reported } from "./reported";

const STATE_VERSION = 1;

/** Whether the provider has written this state. The state of an import that was never read has no record. */
export function isRecorded(state: Values): boolean {
  return state["__version"] !== undefined;
}

/** The user's inputs, without hidden keys. */
export function visible(values: Values): Values {
  const shown: Values = {};
  for (const key of Object.keys(values)) if (!key.startsWith("__")) shown[key] = values[key];
  return shown;
}

export function inputKeys(values: Values): string[] {
  return Object.keys(visible(values));
}

/** The inputs that the program had given when this state was written. */
export function managedKeys(state: Values): readonly string[] {
  return partsOf(state["__inputs"], ",");
}

function partsOf(text: unknown, separator: string): readonly string[] {
  return typeof text === "string" && text !== "" ? text.split(separator) : [];
}

/** The state, with these inputs as those that the program gives. */
export function withManaged(state: Values, keys: readonly string[]): Values {
  return { ...state, __inputs: keys.join(",") };
}

/**
 * The state, with the inputs that the program gave as the engine has them. Pulumi: what a plugin calls no change saves new inputs
 * beside the old outputs. After an early end both count.
 */
export function withInputsOf(resource: Resource, state: Values, inputs: Values): Values {
  const isWhole = isRecorded(state) && owedOf(state).length === 0;
  return isWhole && isDeclaredBy(resource, inputs) ? withManaged(state, inputKeys(inputs)) : state;
}

/** What a program declares has its name, or all that it needs. What it only reads, by `get`, has what locates it. */
export function isDeclaredBy(resource: Resource, inputs: Values): boolean {
  const needed = isNamed(resource) ? ["name"] : keysWhere(resource, ({ required }) => required === true);
  return needed.every((key) => inputs[key] !== undefined);
}

/** The owed entry for a wait that was interrupted before there was a plan, or after its last step. */
export const SETTLE = "settle";
/** The object's addresses moved, and a run that ended early may not have updated the resources that move with it. */
export const MOVED = "addresses moved";

/** The owed entry of a step. `isRestore`: it restores what an earlier step had to undo. */
export function owedEntry({ operation, isRestore }: Pick<Step, "operation" | "isRestore">): string {
  return isRestore === true ? `${operation} again` : operation;
}

export function owedOf(state: Values): readonly string[] {
  return (state["__pending"] as readonly string[] | undefined) ?? [];
}

/** The state, with this entry among what it owes. */
export function owing(state: Values, entry: string): Values {
  return { ...state, __pending: [...new Set([...owedOf(state), entry])] };
}

/** A call at which a run was interrupted: it may take effect at any time. */
export interface Sent {
  /** Its owed entry. */
  readonly entry: string;
  /** The values that it leaves, as far as a read shows them: no password. */
  readonly values: Values;
  /** The server has accepted it. */
  readonly isAccepted: boolean;
}

/** Until a step on their inputs has landed, the latest first. Older states name none: there the first owed step may be one. */
export function sentOf(state: Values): readonly Sent[] {
  const sent = textOf(state, "__sent");
  if (sent !== undefined) return JSON.parse(sent) as Sent[];
  return owedOf(state)
    .slice(0, 1)
    .filter((entry) => entry !== SETTLE && entry !== MOVED)
    .map((entry) => ({ entry, values: {}, isAccepted: false }));
}

/** The values of fixed inputs as a read has shown them, where they differ from those of the create. */
export function shownBefore(state: Values): Values {
  return valuesIn(state, "__shown");
}

function valuesIn(state: Values, key: string): Values {
  return JSON.parse(textOf(state, key) ?? "{}") as Values;
}

/** The project that a state names; undefined before the first read of an import. */
export function projectOf(values: Values): string | undefined {
  return textOf(values, "projectId") || undefined;
}

export function ownerMarkIn(state: Values): unknown {
  return state["__owner"];
}

export function withMark(state: Values, mark: unknown): Values {
  return compact({ ...state, __owner: mark });
}

/** Until when the new object of this state may be invisible, by the server's time of day; undefined once it was read. */
export function unseenUntilOf(state: Values): number | undefined {
  return state["__unseenUntil"] as number | undefined;
}

/** The addresses at which the object of a state has answered, the last one first; empty for old states. */
export function addressesOf(state: Values): readonly string[] {
  return partsOf(state["__deployment"], " ");
}

/** The text that `addressesOf` parses, with this address first. */
function addressesWith(state: Values, address: string | undefined): string {
  const all = new Set([...(address === undefined ? [] : [address]), ...addressesOf(state)]);
  return [...all].slice(0, MOST_ADDRESSES).join(" ");
}

/** A renamed deployment has two or three addresses. */
const MOST_ADDRESSES = 4;

/** The outputs of the kind that pass the test. */
export function outputsWhere({ outputs }: Resource, is: (output: Output) => boolean): string[] {
  return Object.entries(outputs).flatMap(([key, output]) => (is(output) ? [key] : []));
}

/** The outputs that clients connect to. */
export function addressKeys(resource: Resource): string[] {
  return outputsWhere(resource, ({ isAddress }) => isAddress === true);
}

/** The outputs that only the answer of a create has. */
export function shownOnceKeys(resource: Resource): string[] {
  return outputsWhere(resource, ({ shownOnce }) => shownOnce !== undefined);
}

/** What is lost with that answer, and the remedy; undefined if the program makes up for it. */
export function lostWithAnswer({ outputs }: Resource, inputs: Values): string | undefined {
  const lost = Object.values(outputs).map(({ shownOnce }) => shownOnce);
  return lost.find((one) => one !== undefined && inputs[one.insteadOf] === undefined)?.lost;
}

export function isNamed({ fields }: Resource): boolean {
  return "name" in fields;
}

/** The inputs whose row passes the test. */
export function keysWhere(resource: Resource, is: (field: Field, key: string) => boolean): string[] {
  return Object.entries(resource.fields).flatMap(([key, field]) => (is(field, key) ? [key] : []));
}

/** The inputs that describe the object, as opposed to the provider's behavior. */
export function objectKeys(resource: Resource): string[] {
  return keysWhere(resource, ({ change }) => change !== "lifecycle");
}

export interface StateParts {
  resource: Resource;
  /** The object as last read; undefined when it was never read. */
  item: Reported | undefined;
  live: Live;
  /** The inputs that are stored as the program gives them: write-only and lifecycle inputs. */
  asked: Values;
  /** The old state, for values that the server shows only once. */
  olds: Values;
  projectId: string;
  managed: readonly string[];
  /** What interrupted runs have left to do, and of their calls those that may still take effect; undefined if that is nothing. */
  left?: { readonly owed: readonly string[]; readonly sent: readonly Sent[] } | undefined;
  /** The outputs that only the answer of its create had. Default: those of the old state. */
  shownOnce?: Values | undefined;
  /** The address at which the object has answered in this operation; undefined when it was not read. */
  address?: string | undefined;
  /** For a new object that was never read: until when it may be invisible, by the server's time of day. */
  unseenUntilMs?: number | undefined;
  /** Whether its owner is protected, if this process knows. */
  owner?: string | undefined;
  /** The values of fixed inputs as a read has shown them. Default: those of the old state. */
  shownBefore?: string | undefined;
}

export function writeState(parts: StateParts): Values {
  const { resource, item, live, asked, olds, projectId, managed } = parts;
  const { address, left, unseenUntilMs = unseenUntilOf(olds) } = parts;
  const before = pickOutputs(olds, resource);
  const shown = item === undefined ? before : item.outputs();
  const outputs = Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, overlaid(before[key], value)]));
  const state: Values = {
    ...outputs,
    ...shapeLikeAsked(resource, live, asked),
    ...pick(asked, fixedKeys(resource, managed)),
    projectId,
    ...(parts.shownOnce ?? pick(olds, shownOnceKeys(resource))),
    __inputs: managed.join(","),
    ...(left && { __pending: [...left.owed], __sent: JSON.stringify(left.sent) }),
    __deployment: addressesWith(olds, address),
    __unseenUntil: item === undefined ? unseenUntilMs : undefined,
    __owner: parts.owner ?? olds["__owner"],
    __shown: "shownBefore" in parts ? parts.shownBefore : olds["__shown"],
    __version: STATE_VERSION,
    // Whatever is changed since, nobody has asked for a delete of the object.
    onDelete: olds["onDelete"],
  };
  return withDerived(resource, compact(state));
}

/**
 * Given inputs that cannot change keep the program's value, whatever the server shows later. A new spelling of a region is
 * not another region, and must never cause a replacement.
 */
export function fixedKeys(resource: Resource, managed: readonly string[]): string[] {
  return keysWhere(
    resource,
    ({ change, changesOutside }, key) =>
      (change === "fixed" || change === "replaces") && changesOutside !== true && managed.includes(key),
  );
}

/** The state with its derived outputs recomputed from the others. */
export function withDerived(resource: Resource, state: Values): Values {
  if (addressKeys(resource).length === 0) return state;
  const plain = plainAddresses(state);
  const { host, port, poolerHost, poolerPort } = plain;
  const secrets = [...keysWhere(resource, (field) => field.secret === true), ...shownOnceKeys(resource)];
  const secret = secrets.map((key) => textOf(state, key)).find((text) => text !== undefined);
  return compact({
    ...state,
    ...plain,
    connectionUri: uriOf({ host, port }, secret),
    poolerConnectionUri: uriOf({ host: poolerHost, port: poolerPort }, secret),
  });
}

/** Undefined without an address or a secret; unknown with an unknown one. */
function uriOf(address: Endpoint, secret: string | undefined): string | undefined {
  if (secret === undefined || !isComplete(address)) return undefined;
  return [secret, address.host, address.port].some(isUnknown) ? UNKNOWN : connectionUri(address, secret);
}

function pickOutputs(olds: Values, resource: Resource): Values {
  const keys = Object.keys(visible(olds)).filter((key) => !(key in resource.fields));
  return pick(olds, keys);
}

/** A value as an answer shows it, with the recorded parts that it does not show. `null` is shown: there is none. */
function overlaid(recorded: unknown, shown: unknown): unknown {
  if (shown === undefined) return recorded;
  if (Array.isArray(recorded) && Array.isArray(shown)) {
    // API: a service has resources. An empty list of them says nothing.
    const isOther = shown.length > 0 && shown.length !== recorded.length;
    return isOther ? shown : recorded.map((item, index) => overlaid(item, shown[index]));
  }
  if (!isPlainObject(recorded) || !isPlainObject(shown)) return shown;
  const keys = [...Object.keys(recorded), ...Object.keys(shown)];
  return Object.fromEntries(keys.map((key) => [key, overlaid(recorded[key], shown[key])]));
}

/** Live values win. An input that the server never shows keeps the program's value; a nested value only the given members. */
function shapeLikeAsked(resource: Resource, live: Live, asked: Values): Values {
  const shaped: Values = {};
  for (const [key, field] of Object.entries(resource.fields)) {
    const wanted = asked[key];
    const value = live[key];
    if (value === undefined || field.keptAsAsked === true) shaped[key] = wanted;
    else shaped[key] = value === null ? undefined : narrow(value, wanted);
  }
  return shaped;
}

/** A program that gives only `replicaCount` must not get `syncReplicaCount` back as a difference. */
function narrow(shown: unknown, wanted: unknown): unknown {
  if (!isPlainObject(shown) || !isPlainObject(wanted)) return shown;
  return pick(shown, Object.keys(wanted));
}

/** `values` say what the object is in. */
export function scopeOf({ parent }: Resource, values: Values, projectId: string): Scope {
  return { projectId, ...(parent !== undefined && { [parent.key]: textOf(values, parent.key) }) };
}

/** The id of what the object is in. */
export function parentIn(scope: Scope, key: Exclude<keyof Scope, "projectId">): string {
  return scope[key] ?? "";
}

/** The key of the lock under which the object is changed. */
export function lockOf({ kind, parent }: Pick<Resource, "kind" | "parent">, id: string, scope: Scope): string {
  return parent === undefined ? `${kind}/${id}` : `${parent.kind}/${scope[parent.key]}`;
}

/** "service orders (svc1234567)"; without the id where it is not known. */
export function labelOf(resource: { readonly noun: string }, values: Values, id: string): string {
  const name = textOf(values, "name");
  const words = [resource.noun, name && oneLine(name), name && id ? `(${id})` : id];
  return words.filter(Boolean).join(" ");
}

/** The key of an object in the view of the run. Ids of different kinds may be equal, and most ids at two deployments. */
export function objectOf(
  { kind, hasGlobalIds }: { readonly kind: string; readonly hasGlobalIds?: true },
  id: string,
  projectId?: string,
): string {
  return hasGlobalIds === true || projectId === undefined ? `${kind}/${id}` : `${kind}/${id} ${projectId}`;
}
