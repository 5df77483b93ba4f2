// Read: serves a refresh and a `get`. It shows drift by property and ignores values that differ for a moment only.

import { CHECK_ID } from "../domain/config/remedies";
import { MissingError, ProviderError, readOrNothing } from "../domain/errors";
import { oneLine } from "../domain/values/printable";
import { inWords, isEqual, pick, show, textOf, type Values } from "../domain/values/value";
import type { Live } from "../plan/step";
import type { Context, Target } from "./operation";
import type { Resource, Scope } from "./kind";
import type { Reported } from "./reported";
import { CONFIRMATION, createAnswers, unseenUntil, whole } from "./patience";
import { forgetRecorded } from "./sentCreates";
import { type Absence, noteOfDelete, presenceIn, type Presence, provePresence } from "./presence";
import type { Reader, Session } from "./session";
import { landedValues, otherWords, shownIn, shownText, stillOwed, stillSent } from "./compare";
import { confirmAbsence, confirmIdentity } from "./deployment";
import { changeOfTag, isProtectable, isProtected, protectionAfterRead, storedProtection } from "./protection";
import {
  addressKeys,
  isRecorded,
  keysWhere,
  labelOf,
  managedKeys,
  owedOf,
  SETTLE,
  unseenUntilOf,
  visible,
  withDerived,
  writeState,
} from "./state";
import { entryOf, withOwnerMark } from "./entry";
import { open } from "./open";

export interface Reading {
  id?: string;
  props?: Values;
  inputs?: Values;
}

/** Maximum age of a list that serves the reads of a refresh. */
const RECENT_INTERVALS = 5;
const OLDEST_LIST_MS = 5_000;

export function read(resource: Resource, context: Context, id: string, props: Values): Promise<Reading> {
  const { memory, identity } = context;
  const work = (): Promise<Reading> => readObject(resource, context, id, props);
  // What a `get` or an import does not find keeps the program from declaring the rest, as a failed create does.
  return isRecorded(props) ? work() : memory.view.change(identity, work);
}

async function readObject(resource: Resource, context: Context, id: string, props: Values): Promise<Reading> {
  const { memory, identity } = context;
  const olds = visible(props);
  const isRefresh = isRecorded(props);
  // An object that `get` reads belongs to another program, and so does its protection.
  const isOwn = isRefresh && managedKeys(props).length > 0;
  // This comes before the first read, because resources that the object owns may be read at the same time, or earlier.
  if (isOwn) memory.view.tell(identity, { is: "seen", entry: entryOf(resource, id, props), isWritten: false });
  const opened = await open(resource, context, "read", olds);
  const { session, scope, deadlineMs } = opened;
  const reader = readerFor(resource, session, scope, props);
  // A `get` may follow a change of this same run; a refresh comes before all changes.
  const age = isRefresh ? { maxAgeMs: Math.min(RECENT_INTERVALS * session.pace.intervalMs, OLDEST_LIST_MS) } : {};
  const label = labelOf(resource, olds, id);
  const target = { ...opened, id, label };
  const found = await reader.get(id, { ...age, deadlineMs });
  const presence = found === undefined ? await whenMissing(target, props) : presenceIn(found);
  if (presence.is === "unproven") throw presence.error;
  if (presence.is === "none") return whenGone(target, props, presence);
  confirmIdentity(target, props, presence.item);
  const { item, state: shown } = await confirmDrift(target, props, presence.item);
  const isOver = isConclusive(props, item);
  // A delete that an earlier run has sent did not take effect.
  if (isOver) memory.notes.write(noteOfDelete(target), undefined);
  const seen = isOver ? shown : stateAfterRead(target, props, item, withRecorded(target, props, item));
  if (isRefresh) {
    warnOfOtherWords(target, props, item.live());
    warnOfMoves(target, props, item, seen);
  }
  if (isOwn) {
    forgetRecorded(target, props);
    memory.view.tell(identity, { is: "seen", entry: entryOf(resource, id, seen), isWritten: false });
    const tag = changeOfTag(props, seen);
    if (tag !== undefined) context.warn(`${label} ${tag}`);
    // A status that is not settled has been told.
    const current = isOver ? resource.statusNote(seen, managedKeys(props)).current : undefined;
    if (current !== undefined) context.warn(`${label} ${current}`);
  }
  // Pulumi: an import is read without a name.
  if (!isRefresh && identity !== undefined)
    memory.view.tell(identity, { is: "referred", object: entryOf(resource, id, seen).object });
  const state = withOwnerMark(resource, memory.view, seen, props, item);
  if (!isRefresh && managedKeys(props).length === 0) return { id, props: state };
  return { id, props: state, inputs: pick(state, managedKeys(props)) };
}

/** Reads the object alone where a list does not show what the state has; for the first record of an object, in any case. */
function readerFor(resource: Resource, session: Session, scope: Scope, props: Values): Reader<Reported> {
  const reader = resource.reader(session, scope);
  if (!isRecorded(props)) return whole(reader);
  const recorded = shownIn(resource, visible(props));
  return whole(reader, (row) => {
    if (row.condition === "pending") return true;
    const shown: Values = { ...row.outputs(), ...row.live() };
    return recorded.every((key) => !(key in shown) || shown[key] !== undefined);
  });
}

function warnOfOtherWords({ resource, context, label }: Target, props: Values, live: Live): void {
  for (const key of otherWords(resource, props, live)) {
    context.warn(
      `${label}: the server now shows ${key} as ${show(live[key])}. It was created with ${show(props[key])}, which cannot change, so the state keeps that value; leave the program as it is`,
    );
  }
}

/** Reads again until enough reads show a difference from the state. Returns the last one, and what it would record. */
async function confirmDrift(
  target: Target,
  props: Values,
  first: Reported,
): Promise<{ item: Reported; state: Values }> {
  const { resource, session, id, scope, deadlineMs } = target;
  const shownBy = (item: Reported) => ({
    item,
    state: stateAfterRead(target, props, item, item.live()),
  });
  // The reads are compared by the managed inputs, by what decides the steps of a plan, and by the addresses.
  const facts = isRecorded(props)
    ? [...managedKeys(props), ...Object.keys(resource.rows), ...addressKeys(resource)]
    : [];
  const recorded = pick(props, facts);
  const hadFailed = resource.statusNote(props, []).condition === "failed";
  const answers = createAnswers();
  for (let shown = shownBy(first); ;) {
    const values = pick(shown.state, facts);
    const condition = shown.item.condition;
    // The next run replaces failed objects of some kinds.
    const isNew = condition === "failed" ? !hadFailed : !isEqual(values, recorded);
    const isDrift = isNew && (condition === "settled" || condition === "failed");
    const answer = { ...values, condition };
    if (!isDrift || answers.isBelieved(answer, CONFIRMATION.moving)) return shown;
    const reader = readerFor(resource, session, scope, props);
    const poll = { inMs: session.pace.intervalMs, deadlineMs };
    const again = (await readOrNothing(() => reader.nextPoll(id, poll))) ?? (await reader.get(id, { deadlineMs }));
    if (again === undefined) return shown;
    shown = shownBy(again);
  }
}

/** While a change is under way, the server may show a part of it. An object without a record is taken as shown anyway. */
function isConclusive(props: Values, item: Reported): boolean {
  const condition = item.condition;
  return condition === "settled" || condition === "failed" || !isRecorded(props);
}

/** The live values, with the recorded inputs in place until the status is settled. */
function withRecorded({ resource, context, label }: Target, props: Values, item: Reported): Live {
  const changeable = keysWhere(resource, ({ change }) => change === "inPlace");
  const what =
    item.condition === "deleting"
      ? "it stays in the state until it is gone"
      : "its settings are compared when that has finished";
  context.warn(`${label} is ${item.status}: ${what}`);
  // An input without a record becomes null: a half-attached VPC must not show as drift.
  return { ...item.live(), ...Object.fromEntries(changeable.map((key) => [key, props[key] ?? null])) };
}

function stateAfterRead({ resource, session, scope }: Target, props: Values, item: Reported, live: Live): Values {
  const olds = visible(props);
  // What landed has the members that its run gave.
  const asked = { ...pick(olds, Object.keys(resource.fields)), ...landedValues(resource, props, live) };
  const isFirst = !isRecorded(props);
  const isMoving = !isFirst && item.condition === "pending";
  const owed = owedAfterRead(resource, props, item, live);
  const state = writeState({
    resource,
    item,
    live,
    asked: isFirst
      ? { ...asked, ...storedProtection(resource, asked, live) }
      : { ...asked, ...protectionAfterRead(resource, props, live) },
    olds: props,
    projectId: scope.projectId,
    managed: managedKeys(props),
    left: owed.length === 0 ? undefined : { owed, sent: stillSent(resource, props, live) },
    address: session.config.baseUrl,
    shownBefore: isFirst ? undefined : shownText(resource, props, live),
  });
  return isMoving ? withDerived(resource, { ...state, ...pick(props, addressKeys(resource)) }) : state;
}

/** A settled object shows what has landed of the steps that an interrupted run left, and that there is nothing to wait for. */
function owedAfterRead(resource: Resource, props: Values, item: Reported, live: Live): readonly string[] {
  if (item.condition !== "settled") return owedOf(props);
  const inputs = visible(props);
  const { dependents, connections = [] } = item.lacks?.(inputs) ?? {};
  const isReady = dependents === undefined && item.lateAddress === undefined;
  return stillOwed(resource, props, live).filter((entry) => entry !== SETTLE || !isReady || connections.length > 0);
}

/**
 * Warns of addresses that changed although the program did not ask for it: connection strings break. No update can
 * change that back; the refresh saves the new address and passes it to dependents. A changing object gets no warning.
 */
function warnOfMoves({ resource, context, label }: Target, props: Values, item: Reported, now: Values): void {
  if (item.condition === "pending") return;
  const { key: place = "", noun = "" } = resource.container ?? {};
  const [left, entered] = [textOf(props, place), textOf(now, place)];
  if (left !== entered) {
    const acts = [
      ...(left ? [`detached it from ${noun} ${left}`] : []),
      ...(entered ? [`attached it to ${noun} ${entered}`] : []),
    ];
    const address = now["host"] === undefined ? "not shown yet" : inWords(pick(now, ["host", "port"]));
    return context.warn(
      `${label}: somebody ${acts.map(oneLine).join(" and ")}; its address is now ${address}; the refresh saves this`,
    );
  }
  const changed = addressKeys(resource).filter((key) => props[key] !== undefined && !isEqual(props[key], now[key]));
  if (changed.length === 0) return;
  const changes = changed.map((key) =>
    now[key] === undefined
      ? `${key} ${inWords(props[key])} was removed`
      : `${key} moved from ${inWords(props[key])} to ${inWords(now[key])}`,
  );
  context.warn(`${label}: outside Pulumi, ${changes.join(", and ")}; the refresh saves this`);
}

// Handles a read that does not find the object. It warns when data are lost.

async function whenMissing(target: Target, props: Values): Promise<Presence> {
  const { session, context, label } = target;
  if (session.clock.now() < (unseenUntil(session, unseenUntilOf(props))?.() ?? 0)) {
    throw new ProviderError(
      "API",
      "not-shown-yet",
      `${label} was created a moment ago and is not visible yet; the state is unchanged`,
      "Run the refresh again in two minutes.",
    );
  }
  // What the state has not recorded is not forgotten.
  if (!isRecorded(props)) return provePresence({ ...target, context: { ...context, believesGone: () => true } });
  await confirmAbsence(target, props);
  return provePresence(target);
}

/** For a `get` and an import, which have no entry that could be lost. */
function noSuchObject({ resource, id, scope }: Target): ProviderError {
  return new ProviderError(
    "INPUT",
    "no-such-object",
    `there is no ${resource.noun} ${show(id)} in project ${scope.projectId}`,
    CHECK_ID,
  );
}

/** The object may be created again, unless it is to stay in the state. */
function whenGone(target: Target, props: Values, { evidence }: Absence): Reading {
  const { resource, context, scope, label } = target;
  if (!isRecorded(props)) throw noSuchObject(target);
  const onMissing = props["onMissing"] ?? (isProtected(props) ? "error" : "recreate");
  if (onMissing === "error") {
    throw new MissingError(
      "gone-and-kept",
      `${label} is gone: project ${scope.projectId} answers and does not have it. It stays in the state, so that no empty one replaces it`,
      'Restore it; or, for a new and EMPTY one, set `onMissing: "recreate"` and `deletionProtection: false`, run `pulumi up` without a refresh, run `pulumi up --refresh`, then remove both again, or the new one stays unprotected.',
    );
  }
  const proof =
    evidence === "deleted" ? "the server says DELETED" : `project ${scope.projectId} answers and does not have it`;
  forgetRecorded(target, props);
  context.warn(
    `${label} is gone: ${proof}. If the program still declares it, the next \`pulumi up\` creates a new${isProtectable(resource) ? " and EMPTY" : ""} one`,
  );
  return {};
}
