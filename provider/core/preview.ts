// What an update leaves in the state, as far as a preview can tell: an output that no call of it touches keeps its value. Pure.

import { compact, pick, UNKNOWN, type Values } from "../domain/values/value";
import type { Resource } from "./kind";
import { valuesOf, wantedOf } from "./compare";
import { hasTag, PROTECTION, storedProtection } from "./protection";
import {
  addressKeys,
  isRecorded,
  keysWhere,
  outputsWhere,
  owedOf,
  sentOf,
  shownOnceKeys,
  visible,
  withDerived,
} from "./state";
import { movesOfPlace } from "./entry";
import type { Memory } from "./runView";

/** An address of which no part is known, in the forms of all kinds of addresses. */
const UNKNOWN_ADDRESS = { host: UNKNOWN, port: UNKNOWN, endpoint: { host: UNKNOWN, port: UNKNOWN } };

/** `isWhole`: an output that is not among the known ones is absent. Otherwise the object is not settled, and it is unknown. */
export function previewUpdate(
  resource: Resource,
  { view }: Memory,
  olds: Values,
  raw: Values,
): { known: Values; isWhole: boolean } {
  const { fields, rows } = resource;
  const news = visible(raw);
  const wanted = wantedOf(resource, olds, news);
  const before = visible(olds);
  const kept = Object.keys(before).filter((key) => fields[key]?.change !== "lifecycle" && wanted[key] !== null);
  const isSettled =
    isRecorded(olds) && owedOf(olds).length === 0 && resource.statusNote(olds, []).condition === "settled";
  const shownOnce = shownOnceKeys(resource);
  const after = { ...olds, ...news };
  const outputs = kept.filter((key) => !(key in fields) && !shownOnce.includes(key));
  const certain = [
    ...keysWhere(resource, ({ none }) => none !== undefined),
    ...outputsWhere(resource, (output) => output.isCertain?.(after) === true),
  ];
  const touched = [
    ...Object.keys(wanted).flatMap((key) => rows[key]?.touches ?? []),
    // What an interrupted run has sent may take effect, whatever the program says by now.
    ...Object.keys(valuesOf(sentOf(olds))),
    ...(movesOfPlace(resource, view, olds) ? addressKeys(resource) : []),
    ...(isSettled ? [] : outputs),
    // The state has only what a read has shown, and the next one may show more.
    ...certain.filter((key) => before[key] === undefined),
  ];
  const moved = touched.filter((key) => addressKeys(resource).includes(key));
  // Among them is what an interrupted run owes, and no input gives.
  const set = compact(wanted);
  const state = withDerived(resource, { ...pick(before, kept), ...every(moved, UNKNOWN_ADDRESS), ...set, ...news });
  // Where no read has shown a tag yet, the object may have one.
  const isProtectionKnown = news[PROTECTION] !== undefined || hasTag(after);
  const protection = storedProtection(resource, news, after);
  const unknown = isProtectionKnown ? touched : [...touched, ...Object.keys(protection)];
  return { known: { ...state, ...protection, ...every(unknown, UNKNOWN), ...set, ...news }, isWhole: isSettled };
}

function every(keys: readonly string[], value: unknown): Values {
  return Object.fromEntries(keys.map((key) => [key, value]));
}
