// What an update leaves in the state, as far as a preview can tell: an output that no call of it touches keeps its value. At the
// end, what an import declares. Pure.

import { UNKNOWN } from "../../domain/values/unknown";
import { compact, isEqual, pick, type Values } from "../../domain/values/value";
import type { Changeable, Observable } from "../resources/resource";
import { wantedOf } from "../state/compare";
import { storedProtection } from "../state/protection";
import { addressKeys, fieldsOf, isRecorded, owedOf, visible, withDerived } from "../state/state";
import { isOwnerMoving } from "../view/entry";
import type { Memory } from "../view/runView";

/** An address of which no part is known, in the forms of all kinds of addresses. */
const UNKNOWN_ADDRESS = { host: UNKNOWN, port: UNKNOWN, endpoint: { host: UNKNOWN, port: UNKNOWN } };

/** `isWhole`: an output that is not among the known ones is absent. Otherwise the object is not settled, and it is unknown. */
export function previewUpdate(
  resource: Changeable,
  memory: Memory,
  olds: Values,
  raw: Values,
): { known: Values; isWhole: boolean } {
  const { fields, rows, shownOnce = [] } = resource;
  const news = visible(raw);
  const wanted = wantedOf(resource, olds, news);
  const before = visible(olds);
  const kept = Object.keys(before).filter((key) => fields[key]?.change !== "lifecycle" && wanted[key] !== null);
  const isSettled = isRecorded(olds) && owedOf(olds).length === 0 && resource.condition(olds) === "settled";
  const outputs = kept.filter((key) => !(key in fields) && !shownOnce.includes(key));
  const touched = [
    ...Object.keys(wanted).flatMap((key) => rows[key]?.touches ?? []),
    ...(isOwnerMoving(resource, memory, olds) ? addressKeys(resource) : []),
    ...(isSettled ? [] : outputs),
  ];
  const moved = touched.filter((key) => addressKeys(resource).includes(key));
  const state = withDerived(resource, { ...pick(before, kept), ...every(moved, UNKNOWN_ADDRESS) });
  const protection = storedProtection(resource, news, { ...olds, ...news });
  // Among them is what an interrupted run owes, and no input gives.
  const set = compact(wanted);
  return { known: { ...state, ...protection, ...every(touched, UNKNOWN), ...set, ...news }, isWhole: isSettled };
}

function every(keys: readonly string[], value: unknown): Values {
  return Object.fromEntries(keys.map((key) => [key, value]));
}

/** The project is the configuration's business. API: the type of a service tells of its addons, but not of all. */
const UNDECLARED = new Set(["projectId", "addons"]);

/**
 * The inputs with which a program declares an object as it is. What is off is left unmanaged, as is what the server knows only
 * in part (the strategy of a fork, a free-text tag).
 */
export function declaredInputs(resource: Observable, live: Values): Values {
  const entries = fieldsOf(resource)
    .filter(([key, { change }]) => change !== "lifecycle" && !UNDECLARED.has(key) && !isOff(live[key]))
    .filter(([key, { schema, required }]) => key === "name" || required || schema.safeParse(live[key]).success)
    .map(([key]): [string, unknown] => [key, live[key]]);
  return Object.fromEntries(entries);
}

function isOff(value: unknown): boolean {
  return (
    value === undefined || value === null || value === false || isEqual(value, { replicaCount: 0, syncReplicaCount: 0 })
  );
}
