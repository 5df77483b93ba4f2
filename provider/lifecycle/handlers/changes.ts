// Decides the `changes` of a diff.
// Pulumi: with `undefined` the engine compares the inputs and names each property. `true` is only for changes that the given
// inputs do not show, `false` only for differences in nothing but identity or spelling.

import { isEqual, type Values } from "../../domain/values/value";
import type { Observable } from "../resources/observation";
import { inputKeys, isAsWanted, isSameValue, managedKeys, owedOf, isOfOtherLayout } from "../state/state";

export interface Difference {
  changes?: boolean;
  replaces?: string[];
  deleteBeforeReplace?: boolean;
}

interface Compared {
  olds: Values;
  raw: Values;
  news: Values;
  /** Something that is not an input must be saved. */
  isDue: boolean;
  /** The state has the object under another identity. */
  isOtherIdentity: boolean;
}

export function changesOf(resource: Observable, { olds, raw, news, isDue, isOtherIdentity }: Compared): Difference {
  const fields = resource.fields;
  const isOldLayout = isOfOtherLayout(olds);
  if (isDue || owedOf(olds).length > 0 || isOldLayout) return unseenChange(resource, olds, news);
  const [before, now] = [managedKeys(olds), inputKeys(raw)];
  const isSameKeys = before.length === now.length && now.every((key) => before.includes(key));
  const isSame = isSameKeys && now.every((key) => isAsWanted(fields[key], news[key], olds[key]));
  if (isSame && isOtherIdentity) return { changes: false };
  // Two spellings of one value are no difference, but the engine would report one.
  const isRespelled = isSame && now.some((key) => !isEqual(news[key], olds[key]));
  if (isRespelled && now.every((key) => isSameValue(fields[key], news[key], olds[key]))) return { changes: false };
  return {};
}

/**
 * A change for a reason other than the inputs. If the inputs differ as well, the engine compares them and names each.
 * After an operation that ended early the engine updates in any case.
 */
export function unseenChange(resource: Observable, olds: Values, news: Values): Difference {
  return isShownByInputs(resource, olds, news) ? {} : { changes: true };
}

export function isShownByInputs(resource: Observable, olds: Values, news: Values): boolean {
  const fields = resource.fields;
  const keys = new Set([...managedKeys(olds), ...inputKeys(news)]);
  return [...keys].some((key) => {
    if ((news[key] === undefined) !== (olds[key] === undefined)) return true;
    return news[key] !== undefined && !isAsWanted(fields[key], news[key], olds[key]);
  });
}
