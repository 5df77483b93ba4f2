// What a preview says of an update: its effects on clients of the object, and what becomes of its protection.

import { RefusedError } from "../domain/errors";
import { oneLine } from "../domain/values/printable";
import { containsUnknown, isEqual, show, type Values } from "../domain/values/value";
import type { Field } from "../domain/fields";
import type { Live, Plan, Step } from "../plan/step";
import type { Context } from "./operation";
import type { Resource } from "./kind";
import { beginOfProtection, endOfProtection, isProtectable } from "./protection";
import {
  isNamed,
  keysWhere,
  managedKeys,
  MOVED,
  owedEntry,
  owedOf,
  type Sent,
  sentOf,
  SETTLE,
  unseenUntilOf,
  visible,
} from "./state";
import { everythingWanted, isAwaited, isDropped, planOf, recorded, repeats, setByCreate, wantedOf } from "./compare";
import { movesOfPlace } from "./entry";
import type { Moves } from "./runLog";
import type { MovedName, Protection } from "./runView";

export type Announcing = Pick<Context, "warn" | "progress" | "memory" | "quiet" | "showCalls">;

/**
 * What a preview says of a create: the calls after it, each of which takes its time, and the protection that begins. Which
 * calls an adoption needs only the object can tell.
 */
export function noticesOfCreate(resource: Resource, inputs: Values, isAdopting: boolean): string[] {
  const { steps } = resource.plan(everythingWanted(resource, inputs), setByCreate(resource, inputs));
  const calls = isAdopting ? [] : steps.map(({ operation }) => operation);
  const begin = isProtectable(resource) ? beginOfProtection({}, inputs) : undefined;
  const parts = [
    ...(calls.length === 0 ? [] : [`${resource.createOperation(inputs)}, then ${calls.join(", ")}`]),
    ...(begin === undefined ? [] : [begin]),
  ];
  const name = isNamed(resource) && !containsUnknown(inputs["name"]) ? ` ${oneLine(String(inputs["name"]))}` : "";
  return parts.length === 0 ? [] : [`${resource.noun}${name}: ${parts.join("; ")}`];
}

/** A name takes no data along: after a shift of indexes, one database has the name of another, which may be deleted next. */
export function tellMoves(
  moves: readonly MovedName[],
  warn: (words: string) => void,
  refuse: (error: RefusedError) => void,
): void {
  for (const { name, from, to, guarded } of moves) {
    const words = `the name ${show(name)} moves from ${from} to ${to}, but the data does not`;
    if (guarded === undefined)
      warn(`${words}: each keeps its own, and one that you removed from the program is deleted`);
    else
      refuse(new RefusedError("name-moves", `${words}, and ${guarded} is protected; nothing is changed`, MOVE_ANYWAY));
  }
}

const MOVE_ANYWAY =
  "If an index has shifted, name the resources of the program by what they hold, with `aliases`. To move the name anyway, free it in an earlier run.";

/** The entry of the state and the inputs, which a preview may not know all. */
export interface Compared {
  id: string;
  label: string;
  olds: Values;
  news: Values;
  known: Values;
}

/** The plan of an update, as far as the state can tell: the same planner with the same wanted values. */
export function previewPlan(resource: Resource, olds: Values, raw: Values): Plan {
  const news = visible(raw);
  // An unknown value may turn out to be the old value.
  const known = Object.entries(news).map(([key, value]) => [key, containsUnknown(value) ? olds[key] : value] as const);
  return planOf(resource, olds, wantedOf(resource, olds, Object.fromEntries(known)), recorded(resource, olds));
}

/**
 * Announces the effects on clients of the object in one line, and the steps that an interrupted run left to do. Returns what
 * becomes of its addresses.
 */
export function announce(resource: Resource, context: Announcing, { label, olds, news }: Compared): Moves | undefined {
  const { steps } = previewPlan(resource, olds, news);
  const isWaitedFor = isAwaited(resource, olds, wantedOf(resource, olds, news), steps[0]);
  context.showCalls?.(
    label,
    steps.slice(isWaitedFor ? 1 : 0).map(({ operation }) => operation),
  );
  const possible = whatUnknownsBring(resource, recorded(resource, olds), news);
  const owed = owedOf(olds);
  const isMoving = owed.includes(MOVED) || steps.some((step) => step.movesAddresses);
  const ofPlace = movesOfPlace(resource, context.memory.view, olds);
  // What a create has set is not known if it was interrupted before an answer showed the object.
  const when = unseenUntilOf(olds) === undefined ? "" : ", if it is not so already";
  const effects = new Set([
    ...steps.flatMap(({ effect }) => (effect === undefined ? [] : `${effect}${when}`)),
    ...possible.effects,
    ...(ofPlace === undefined ? [] : [ofPlace.words]),
  ]);
  const lines = [
    ...(context.quiet ? [] : effects),
    ...possible.refusalsAndReplacements,
    ...owedLines(resource, olds, news, steps),
    ...sentLines(resource, olds, news, steps),
  ];
  if (lines.length > 0) context.warn(`${label}: ${lines.join("; ")}`);
  const dropped = keysWhere(
    resource,
    ({ change, whenDropped }, key) => change !== "lifecycle" && whenDropped === undefined && isDropped(key, olds, news),
  );
  if (dropped.length > 0) context.progress(`${label}: no longer managed, left as is: ${dropped.join(", ")}`);
  return isMoving ? "moves" : (possible.moves ?? (ofPlace && "may move"));
}

/** Notices about the object: a late adoption, a problem of its status, the change of its protection, and of that of its owner. */
export function announceState(
  resource: Resource,
  context: Announcing,
  compared: Compared,
  after: { protection: boolean; mark: Protection | undefined },
): void {
  const { warn, progress } = context;
  const { id, label, olds, news, known } = compared;
  const { adoptId } = known;
  // It has an effect only at a create; a user who sets it later expects another object.
  if (![undefined, id, olds["adoptId"]].includes(adoptId)) {
    warn(`${label}: adoptId ${show(adoptId)} has no effect, because it counts only when the resource is created`);
  }
  const { recorded: problem } = resource.statusNote(olds, managedKeys(olds));
  if (problem !== undefined) warn(`${label} ${problem}`);
  if (isProtectable(resource)) {
    const begin = beginOfProtection(olds, known, after.protection);
    if (begin !== undefined) progress(`${label}: ${begin}`);
    const end = endOfProtection(olds, news, after.protection);
    if (end !== undefined) warn(`${label} ${end}`);
  }
  if (after.mark === undefined) return;
  const is = after.mark === "protected" ? "protected against deletion now" : "no longer protected against deletion";
  progress(`${label}: it and its ${resource.parent?.noun} are ${is}`);
}

/** What a replacement does to the data of the old object, or to others. */
export function replacementNotice(resource: Resource, label: string): string | undefined {
  const { replacementEffect } = resource;
  if (!isProtectable(resource)) return replacementEffect && `${label} is replaced: ${replacementEffect}`;
  return `${label} is replaced by a new and EMPTY one; the old one is deleted with its data. If an earlier \`up\` has saved \`retainOnDelete\` for it, it stays and keeps its name`;
}

/** What an interrupted run has left, besides the calls that it has sent. */
function owedLines(resource: Resource, olds: Values, news: Values, steps: readonly Step[]): string[] {
  const due = [SETTLE, MOVED, ...steps.map(owedEntry)];
  const sent = sentOf(olds).map(({ entry }) => entry);
  const left = owedOf(olds).filter((entry) => due.includes(entry) && !sent.includes(entry));
  const words = [...left.map(describeOwed), ...unsentByCreate(resource, olds, news, steps)];
  return words.length === 0 ? [] : [`still to do after an interrupted run: ${words.join(", ")}`];
}

/** What this run does about the calls at which others were interrupted, and what follows if one has taken effect. */
function sentLines(resource: Resource, olds: Values, news: Values, steps: readonly Step[]): string[] {
  const wanted = wantedOf(resource, olds, news);
  const planned = steps.map(({ operation }) => operation);
  const isLatest = ({ entry, values }: Sent, index: number, all: readonly Sent[]): boolean =>
    all.findIndex((one) => one.entry === entry && isEqual(one.values, values)) === index;
  return sentOf(olds)
    .filter(isLatest)
    .map((sent) => {
      const [call = ""] = sent.entry.split(" ");
      const accepted = sent.isAccepted ? ", which the server has accepted" : "";
      const then = planOf(resource, olds, wanted, { ...recorded(resource, olds), ...sent.values })
        .steps.map(({ operation }) => operation)
        .filter((operation) => !planned.includes(operation));
      const follows = then.length === 0 ? "it may still take effect" : `if it took effect, ${then.join(", ")} follows`;
      const isRepeated = steps.some((step) => repeats(resource, wanted, step, sent));
      const otherwise = isRepeated && then.length === 0 ? "it is sent again, unless it took effect" : follows;
      const [first] = steps;
      const isWaitedFor = isAwaited(resource, olds, wanted, first) && repeats(resource, wanted, first, sent);
      return `an interrupted run sent ${call}${accepted}; ${isWaitedFor ? "this run waits for it" : otherwise}`;
    });
}

/** The calls that follow a create which ended before it had planned them. What it has set itself, no answer has shown. */
function unsentByCreate(resource: Resource, olds: Values, news: Values, steps: readonly Step[]): string[] {
  if (!owedOf(olds).includes(SETTLE)) return [];
  const set = setByCreate(resource, news);
  const later = resource.plan(everythingWanted(resource, news), set).steps.map(({ operation }) => operation);
  return steps.map(({ operation }) => operation).filter((operation) => later.includes(operation));
}

function describeOwed(step: string): string {
  if (step === MOVED) return "a read of what moved with it";
  return step === SETTLE ? "the wait until it is settled" : step;
}

// The possible effects of values that a preview does not know yet: the planner is asked as if each unknown value differed from
// the live one.

interface Possible {
  /** Effects such as restarts and moves of addresses: one sentence each, with the inputs that it depends on. */
  effects: string[];
  refusalsAndReplacements: string[];
  moves: Moves | undefined;
}

function whatUnknownsBring(resource: Resource, live: Live, news: Values): Possible {
  const unknown = Object.entries(resource.fields).filter(([key]) => containsUnknown(news[key]));
  const plans = unknown.map(([key]) => ({ key, steps: resource.plan({ [key]: news[key] }, live).steps }));
  const mayMove = plans.some(({ steps }) => steps.some((step) => step.movesAddresses));
  return {
    effects: sentences(plans, live),
    refusalsAndReplacements: unknown.flatMap(([key, field]) => refusalOrReplacement(resource, key, field)),
    moves: unknown.some(([, { change }]) => change === "replaces")
      ? "may be replaced"
      : mayMove
        ? "may move"
        : undefined,
  };
}

/** Inputs with the same effects share one sentence. */
function sentences(plans: readonly { key: string; steps: readonly Step[] }[], live: Values): string[] {
  const keysOf = new Map<string, string[]>();
  for (const { key, steps } of plans) {
    const effects = [...new Set(steps.flatMap((step) => step.effect ?? []))].join("; ");
    if (effects !== "") keysOf.set(effects, [...(keysOf.get(effects) ?? []), key]);
  }
  return [...keysOf].map(([effects, keys]) => {
    const isFirst = keys.every((key) => (live[key] ?? undefined) === undefined);
    const verb = keys.length === 1 ? "is" : "are";
    const when = isFirst ? "once that is known" : "if that turns out to be a change";
    return `${keys.join(" and ")} ${verb} not known yet; ${when}: ${effects}`;
  });
}

function refusalOrReplacement({ noun, parent }: Resource, key: string, { change }: Field): string[] {
  if (change !== "fixed" && (change !== "replaces" || key === parent?.key)) return [];
  const end = change === "fixed" ? "`up` fails, because it cannot change" : `the ${noun} is replaced`;
  return [`${key} is not known yet; if that turns out to be a change: ${end}`];
}
