// An entry keeps the protection of the object that owns its own, because a destroy deletes parts first.

import type { Values } from "../../domain/values/value";
import type { Observable } from "../resources/observation";
import { isRecorded, ownerMarkIn, withMark } from "../state/state";
import { ELSEWHERE, ownerOf } from "./entry";
import type { Protection, RunView } from "./runView";

type Owned = Pick<Observable, "owner">;

/** The mark by this run; undefined if the run does not know the owner. */
export function ownerMark(resource: Owned, view: RunView, values: Values): Protection | undefined {
  const owner = ownerOf(resource, values);
  return owner === undefined ? undefined : view.protectionOf(owner);
}

/** The mark of an object that the program creates. */
export function markOfNew(resource: Owned, view: RunView, values: Values): string | undefined {
  const owner = ownerOf(resource, values);
  const mark = ownerMark(resource, view, values);
  if (mark !== undefined || owner === undefined || view.isHeld(owner)) return mark;
  return view.keeperOf(owner) === undefined ? ELSEWHERE : "untagged";
}

/**
 * The state after a read: with the known mark, the old one, or one by the owner's tag.
 * Pulumi: an import has no dependencies, so the owner may be read later. A missing tag does not change a recorded mark.
 */
export function withOwnerMark(resource: Owned, view: RunView, state: Values, olds: Values, item: unknown): Values {
  const tagged = resource.owner?.isProduction(item);
  const shown = tagged === true ? "protected" : tagged === false && !isRecorded(olds) ? "untagged" : undefined;
  return withMark(state, ownerMark(resource, view, state) ?? ownerMarkIn(olds) ?? shown);
}

/** The new mark, if the owner's protection has changed since the state was written; old states without a mark have none. */
export function changedMark(resource: Owned, view: RunView, olds: Values, news: Values): Protection | undefined {
  const before = ownerMarkIn(olds);
  const mark = ownerMark(resource, view, news);
  return before === undefined || before === mark ? undefined : mark;
}
