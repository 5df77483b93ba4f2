// Diff: predicts what an update would do, with the same planner, without I/O and without a key.

import { InputError } from "../../domain/errors";
import { containsUnknown } from "../../domain/values/unknown";
import { pick, show, type Values } from "../../domain/values/value";
import { describeConflict, type Live, type Plan } from "../../plan/step";
import { isShownByInputs, changesOf, unseenChange, type Difference } from "./changes";
import type { Context } from "../session/context";
import { noteComparison, noteEntry, noteReplacement } from "../state/held";
import { askedBefore, refusedForDrift } from "../state/drifted";
import { objectOf, type Memory } from "../state/memory";
import { changedMark, noteOwner, noteProtection, ownerOf } from "../state/owner";
import type { Changeable } from "../resources/change";
import { type Observable, labelOf } from "../resources/observation";
import { isAsWanted, keysWhere, MOVED, owedOf, SETTLE, visible, isRecorded } from "../state/state";
import { whatUnknownsBring } from "../state/unknowns";
import {
  effectiveProtection,
  endOfProtection,
  isLeft,
  isProtected,
  refusedReplacement,
  replacementNotice,
} from "../state/protection";
import { conflictWith, isDropped, wantedOf } from "../state/wanted";

export interface DiffContext extends Pick<
  Context,
  "warn" | "progress" | "memory" | "quiet" | "identity" | "showCalls"
> {
  /** The state names another provider entry than the program, so the new one must be saved. */
  isOtherEntry?: boolean;
  /** The state has the object under another identity, as after a rename. */
  isOtherIdentity?: boolean;
}

export function diff(resource: Changeable, context: DiffContext, id: string, olds: Values, raw: Values): Difference {
  const { memory, identity } = context;
  const isHeld = noteComparison(memory, resource, id, olds, identity?.key);
  noteEntry(memory, resource, id, olds);
  if (isHeld) noteOwner(resource, memory, { ...olds, ...visible(raw) });
  // An imported resource that was never read: there is nothing to compare with.
  if (!isRecorded(olds)) {
    context.warn(`${resource.noun} ${id} was imported and has not been read yet: run \`pulumi refresh\` to compare it`);
    return {};
  }
  const news = visible(raw);
  const known = Object.fromEntries(Object.entries(news).filter(([, value]) => !containsUnknown(value)));
  const label = labelOf(resource, olds, id);

  // The protection that an update would store, if an update follows.
  const isUpdated = isShownByInputs(resource, olds, news) || owedOf(olds).length > 0;
  const protection = isUpdated ? effectiveProtection(resource, known, { ...olds, ...known }) : isProtected(olds);
  if (isHeld) noteProtection(resource, memory, id, { ...olds, ...known }, protection);

  const conflicting = isHeld ? conflictingInputs(resource, label, olds, known) : [];
  const replaces = [...replacedInputs(resource, olds, news, known), ...conflicting];
  const trouble = resource.trouble(olds);
  const failed = trouble?.isForGood === true ? trouble.words : undefined;
  if (replaces.length > 0 || failed !== undefined) {
    if (isProtected(olds)) throw refusedReplacement(label);
    noteReplacement(memory, resource, id, identity?.key);
    announceReplacement(resource, context, { label, olds, failed, isHeld });
    return {
      ...(failed === undefined ? {} : { ...unseenChange(resource, olds, news), deleteBeforeReplace: true }),
      replaces: replaces.length > 0 ? replaces : ["status"],
    };
  }
  const mark = changedMark(resource, memory, olds, news);
  if (isHeld) {
    announce(resource, context, { id, label, olds, news });
    announceLateAdoption(context, { id, label, olds, news });
    announceState(resource, context, { id, label, olds, news }, { trouble: trouble?.words, protection, mark });
  }
  const owner = ownerOf(resource, olds);
  const isMoving = isHeld && owner !== undefined && memory.moving.has(owner);
  const { isOtherEntry = false, isOtherIdentity = false } = context;
  const isDue = isMoving || mark !== undefined || isOtherEntry;
  return changesOf(resource, { olds, raw, news, isDue, isOtherIdentity });
}

const OWNER_IS = {
  protected: "protected against deletion now, so this one is not deleted together with it",
  unprotected: "not protected against deletion now, so this one can be deleted together with it",
  untagged: "not protected against deletion now, so this one can be deleted together with it",
};
const ONLY_SAVED = "the update only notes that in the state, and calls nothing for it";

/** An unknown parent means a replacement, because its id is unknown only when the parent is replaced. */
function replacedInputs(resource: Observable, olds: Values, news: Values, known: Values): string[] {
  return keysWhere(resource, (field, key) => {
    if (field.change !== "replaces") return false;
    if (key in known) return !isAsWanted(field, known[key], olds[key]);
    return key === resource.parentKey && news[key] !== undefined;
  });
}

/**
 * Differences that no call can remove. They are an error, or a replacement where the program allows one. A refresh compares
 * with the inputs of the state: there they are drift, and are only shown.
 */
function conflictingInputs(resource: Changeable, label: string, olds: Values, known: Values): string[] {
  const keys = keysWhere(resource, (field, key) => {
    const isCompared = field.change === "fixed" || field.change === "inPlace";
    return isCompared && known[key] !== undefined && !isAsWanted(field, known[key], olds[key]);
  });
  // The state records an input exactly as asked; without an input it has only the part that the server shows.
  const asked = keys.filter((key) => isAskedFor(resource, olds, key));
  const shown = keys.filter((key) => !asked.includes(key));
  const conflicts = [
    ...asked.map((key) => conflictWith(resource, key, olds[key], known[key])),
    ...resource.plan(pick(known, shown), recorded(resource, olds)).conflicts,
  ];
  const [first] = conflicts;
  if (first === undefined) return [];
  if (conflicts.every(({ property }) => isDrift(resource, olds, property, known))) {
    throw refusedForDrift(resource, label, conflicts, olds);
  }
  if (known["allowReplace"] === true) return conflicts.map((conflict) => conflict.property);
  throw new InputError(first.property, `${label}: ${conflicts.map(describeConflict).join("\n")}`);
}

/** Whether calls could do everything that the program asks for, if the object had not drifted. */
function isDrift(resource: Changeable, olds: Values, property: string, known: Values): boolean {
  const before = askedBefore(olds);
  return property in before && resource.plan(pick(known, [property]), before).conflicts.length === 0;
}

function isAskedFor({ fields }: Observable, olds: Values, key: string): boolean {
  const field = fields[key];
  return field?.change === "fixed" && field.keptAsAsked === true && olds[key] !== undefined;
}

/** The state in the form in which the server would show it. */
function recorded(resource: Changeable, olds: Values): Live {
  return resource.recorded?.(olds) ?? pick(olds, Object.keys(resource.fields));
}

/** The plan of an update, as far as the state can tell: the same planner with the same wanted values. */
export function previewPlan(resource: Changeable, olds: Values, raw: Values): Plan {
  const news = visible(raw);
  // An unknown value may turn out to be the old value.
  const known = Object.entries(news).map(([key, value]) => [key, containsUnknown(value) ? olds[key] : value] as const);
  return resource.plan(wantedOf(resource, olds, Object.fromEntries(known)), recorded(resource, olds));
}

/** A refresh replaces nothing, but it also reports that the object has failed. */
function announceReplacement(
  resource: Observable,
  { warn }: DiffContext,
  { label, olds, failed, isHeld }: { label: string; olds: Values; failed: string | undefined; isHeld: boolean },
): void {
  const notice = isHeld ? replacementNotice(resource, label, isLeft(olds)) : undefined;
  const line = failed === undefined ? notice : `${label} ${failed}; it is replaced, the old one first`;
  if (line !== undefined) warn(line);
}

interface Announcement {
  id: string;
  label: string;
  olds: Values;
  news: Values;
}

/** Announces the effects on clients of the object in one line, and the steps that an interrupted run still owes. */
function announce(resource: Changeable, context: DiffContext, { id, label, olds, news }: Announcement): void {
  const { steps } = previewPlan(resource, olds, news);
  context.showCalls?.(
    label,
    steps.map(({ operation }) => operation),
  );
  const possible = whatUnknownsBring(resource, recorded(resource, olds), news);
  const owed = owedOf(olds);
  const isMoving = owed.includes(MOVED) || steps.some((step) => step.movesAddresses);
  rememberMove(context.memory, objectOf(resource, id), isMoving, possible.movesAddresses);
  const effects = new Set([
    ...steps.flatMap((step) => step.effect ?? []),
    ...possible.effects,
    ...dependentMoves(resource, context.memory, olds),
  ]);
  const revertNote = steps.length === 0 && owed[0] !== SETTLE ? REVERT_NOTE : "";
  const lines = [
    ...(context.quiet ? [] : effects),
    ...possible.refusalsAndReplacements,
    ...(owed.length === 0 ? [] : [`an interrupted run still owes: ${owed.map(describeOwed).join(", ")}${revertNote}`]),
  ];
  if (lines.length > 0) context.warn(`${label}: ${lines.join("; ")}`);
  const dropped = keysWhere(
    resource,
    ({ change, whenDropped }, key) => change !== "lifecycle" && whenDropped === undefined && isDropped(key, olds, news),
  );
  if (dropped.length > 0) context.progress(`${label}: no longer managed, left as is: ${dropped.join(", ")}`);
}

/** `adoptId` has an effect only at a create; a user who sets it later expects another object. */
function announceLateAdoption({ warn }: DiffContext, { id, label, olds, news }: Announcement): void {
  const { adoptId } = news;
  if (adoptId === undefined || containsUnknown(adoptId) || adoptId === id || adoptId === olds["adoptId"]) return;
  warn(`${label}: adoptId ${show(adoptId)} adopts nothing, because it counts only when the resource is created`);
}

/** Notices about the object: its trouble, the end of its protection, and the protection of its owner. */
function announceState(
  resource: Changeable,
  { warn }: DiffContext,
  { label, olds, news }: Announcement,
  after: { trouble: string | undefined; protection: boolean; mark: keyof typeof OWNER_IS | undefined },
): void {
  if (after.trouble !== undefined) warn(`${label} ${after.trouble}`);
  if (isProtected(olds))
    for (const line of endOfProtection(resource, label, { olds, news }, after.protection)) warn(line);
  if (after.mark !== undefined) warn(`${label}: its ${resource.owner?.noun} is ${OWNER_IS[after.mark]}; ${ONLY_SAVED}`);
}

/** Records the move for the handlers of dependents. Pulumi: dependents are compared after what they depend on. */
function rememberMove({ moving }: Memory, object: string, isSure: boolean, isPossible: boolean): void {
  if (isSure) moving.set(object, "moves");
  else if (isPossible) moving.set(object, "may move");
  else moving.delete(object);
}

function dependentMoves(resource: Observable, { moving }: Memory, olds: Values): string[] {
  const owner = ownerOf(resource, olds);
  const how = owner === undefined ? undefined : moving.get(owner);
  return how === undefined ? [] : [`its ${resource.owner?.noun} ${how}: its addresses are read again`];
}

const REVERT_NOTE = "; where it has taken effect, it is set to what the program says now";

function describeOwed(step: string): string {
  if (step === MOVED) return "a read of what moved with it";
  return step === SETTLE ? "the wait until it is settled" : step;
}
