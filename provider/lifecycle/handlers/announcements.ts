// What a preview says of an update: its effects on clients of the object, and what becomes of its protection.

import { containsUnknown } from "../../domain/values/unknown";
import { oneLine } from "../../domain/values/printable";
import { pick, show, type Values } from "../../domain/values/value";
import type { Live, Plan } from "../../plan/step";
import type { Changeable, Context, Creatable, Observable } from "../resources/resource";
import { objectOf } from "../state/objects";
import { changeOfProtection, protectedFromStart } from "../state/protection";
import { keysWhere, MOVED, owedOf, SETTLE, visible } from "../state/state";
import { everythingWanted, isDropped, wantedOf } from "../state/compare";
import { whatUnknownsBring } from "./unknowns";
import { ownerOf } from "../view/entry";
import type { Protection, Memory } from "../view/runView";

export type Announcing = Pick<Context, "warn" | "progress" | "memory" | "quiet" | "showCalls">;

/**
 * What a preview says of a create: the calls after it, each of which takes its time, and the protection that begins. Which
 * calls an adoption needs only the object can tell.
 */
export function createNotes(resource: Creatable & Changeable, inputs: Values, isAdopting: boolean): string[] {
  const { steps } = resource.plan(everythingWanted(resource, inputs), resource.setByCreate?.(inputs) ?? inputs);
  const calls = isAdopting ? [] : steps.map(({ operation }) => operation);
  const parts = [
    ...(calls.length === 0 ? [] : [`${resource.createOperation(inputs)}, then ${calls.join(", ")}`]),
    ...protectedFromStart(resource, inputs),
  ];
  const name = resource.isNamed && !containsUnknown(inputs["name"]) ? ` ${oneLine(String(inputs["name"]))}` : "";
  return parts.length === 0 ? [] : [`${resource.noun}${name}: ${parts.join("; ")}`];
}

/** The entry of the state and the inputs, which a preview may not know all. */
export interface Compared {
  id: string;
  label: string;
  olds: Values;
  news: Values;
  known: Values;
}

/** The state in the form in which the server would show it. */
export function recorded(resource: Changeable, olds: Values): Live {
  return resource.recorded?.(olds) ?? pick(olds, Object.keys(resource.fields));
}

/** The plan of an update, as far as the state can tell: the same planner with the same wanted values. */
export function previewPlan(resource: Changeable, olds: Values, raw: Values): Plan {
  const news = visible(raw);
  // An unknown value may turn out to be the old value.
  const known = Object.entries(news).map(([key, value]) => [key, containsUnknown(value) ? olds[key] : value] as const);
  return resource.plan(wantedOf(resource, olds, Object.fromEntries(known)), recorded(resource, olds));
}

/** Announces the effects on clients of the object in one line, and the steps that an interrupted run left to do. */
export function announce(resource: Changeable, context: Announcing, { id, label, olds, news }: Compared): void {
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
    ...(owed.length === 0
      ? []
      : [`left to do by an interrupted run: ${owed.map(describeOwed).join(", ")}${revertNote}`]),
  ];
  if (lines.length > 0) context.warn(`${label}: ${lines.join("; ")}`);
  const dropped = keysWhere(
    resource,
    ({ change, whenDropped }, key) => change !== "lifecycle" && whenDropped === undefined && isDropped(key, olds, news),
  );
  if (dropped.length > 0) context.progress(`${label}: no longer managed, left as is: ${dropped.join(", ")}`);
}

/** `adoptId` has an effect only at a create; a user who sets it later expects another object. */
export function announceLateAdoption({ warn }: Announcing, { id, label, olds, news }: Compared): void {
  const { adoptId } = news;
  if (adoptId === undefined || containsUnknown(adoptId) || adoptId === id || adoptId === olds["adoptId"]) return;
  warn(`${label}: adoptId ${show(adoptId)} adopts nothing, because it counts only when the resource is created`);
}

/** Notices about the object: its trouble, the change of its protection, and of that of its owner. */
export function announceState(
  resource: Changeable,
  { warn, progress }: Announcing,
  { label, olds, known, news }: Compared,
  after: { trouble: string | undefined; protection: boolean; mark: Protection | undefined },
): void {
  if (after.trouble !== undefined) warn(`${label} ${after.trouble}`);
  const change = { olds, news, known, isProtectedAfter: after.protection };
  const { notes, warnings } = changeOfProtection(resource, label, change);
  for (const line of warnings) warn(line);
  for (const line of notes) progress(`${label}: ${line}`);
  if (after.mark === undefined) return;
  const is = after.mark === "protected" ? "protected against deletion now" : "no longer protected against deletion";
  progress(`${label}: its ${resource.owner?.noun} is ${is}, and this one with it`);
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
