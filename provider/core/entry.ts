// One entry of the state, as far as it decides what may happen to its object, and the protection of the owner that it keeps:
// a destroy deletes parts first, and handlers see one entry only. Pure.

import { pick, textOf, type Values } from "../domain/values/value";
import type { Resource } from "./kind";
import type { Reported } from "./reported";
import { ELSEWHERE, isProduction, isProtected, mayGoUnread, tagProtects, stopsOnDelete } from "./protection";
import {
  isRecorded,
  labelOf,
  managedKeys,
  objectOf,
  ownerMarkIn,
  projectOf,
  scopeOf,
  shownOnceKeys,
  withMark,
} from "./state";
import { idInObject, type Moves } from "./runLog";
import type { KnownEntry, Protection, RunView } from "./runView";

export function entryOf(resource: Resource, id: string, state: Values): KnownEntry {
  const owner = ownerOf(resource, state);
  return {
    object: objectOf(resource, id, projectOf(state)),
    id,
    name: textOf(state, "name"),
    label: labelOf(resource, state, id),
    protection: protectionIn(state),
    mayGoUnread: mayGoUnread(state),
    tagProtects: tagProtects(resource, state),
    stopsOnDelete: stopsOnDelete(state),
    ...(owner !== undefined && {
      owner: {
        object: owner,
        label: `${resource.parent?.noun} ${idInObject(owner)}`,
        mark: ownerMarkIn(state),
      },
    }),
    adoptId: state["adoptId"],
    created: state["created"],
    regionCode: state["regionCode"],
    shownOnce: pick(state, shownOnceKeys(resource)),
    located: { ...scopeOf(resource, state, ""), projectId: projectOf(state) },
  };
}

/** The protection that a state has, or will have with this flag. */
export function protectionIn(state: Values, isOn = isProtected(state)): Protection {
  if (isOn) return "protected";
  return isProduction(state) ? "unprotected" : "untagged";
}

type Owned = Pick<Resource, "parent">;

/** The object that these values name as the owner. */
export function ownerOf({ parent }: Owned, values: Values): string | undefined {
  const id = parent?.isOwner && textOf(values, parent.key);
  return parent && id && objectOf(parent, id);
}

/** What this run makes of the place of an object, which goes with it: in words, too. */
export function movesOfPlace(
  { parent, container }: Pick<Resource, "parent" | "container">,
  view: RunView,
  state: Values,
): { moves: Moves; words: string } | undefined {
  const place = parent ?? container;
  // Where the program gives no place, something else has put it there, and leaves it there.
  if (place === undefined || !managedKeys(state).includes(place.key)) return undefined;
  const { moves } = view.claimsOn(objectOf(place, String(state[place.key]), projectOf(state)));
  return moves && { moves, words: `its ${place.noun} ${moves}: ${place.whenMoved}` };
}

/** The mark by this run; undefined if the run does not know the owner. */
export function ownerMark(resource: Owned, view: RunView, values: Values): Protection | undefined {
  const owner = ownerOf(resource, values);
  return owner === undefined ? undefined : view.claimsOn(owner).protection;
}

/** The mark of an object that the program creates. */
export function markOfNew(resource: Owned, view: RunView, values: Values): string | undefined {
  const owner = ownerOf(resource, values);
  const mark = ownerMark(resource, view, values);
  return mark !== undefined || owner === undefined || view.claimsOn(owner).isOfProgram ? mark : ELSEWHERE;
}

/**
 * The state after a read: with the known mark, the old one, or one by the owner's tag.
 * Pulumi: an import has no dependencies, so the owner may be read later. A missing tag does not change a recorded mark.
 */
export function withOwnerMark(resource: Owned, view: RunView, state: Values, olds: Values, item: Reported): Values {
  const tagged = resource.parent && item.isProduction;
  const shown = tagged === true ? "protected" : tagged === false && !isRecorded(olds) ? "untagged" : undefined;
  return withMark(state, ownerMark(resource, view, state) ?? ownerMarkIn(olds) ?? shown);
}

/** The new mark, if the owner's protection has changed since the state was written; old states without a mark have none. */
export function changedMark(resource: Owned, view: RunView, olds: Values, news: Values): Protection | undefined {
  const before = ownerMarkIn(olds);
  const mark = ownerMark(resource, view, news);
  return before === undefined || before === mark ? undefined : mark;
}
