// One entry of the state, as far as it decides what may happen to its object. Pure.

import { compact, pick, textOf, type Values } from "../../domain/values/value";
import { labelOf, type Observable } from "../resources/observation";
import { isLeft, isProduction, isProtected, isProtectionOff, isRefusedByTag } from "../state/protection";
import { ownerMarkIn, projectOf } from "../state/state";
import { type Entry, objectOf, type Protection } from "./runView";

/** The mark of an owner that the program of the object does not have: the object may be deleted alone. */
export const ELSEWHERE = "elsewhere";

export function entryOf(resource: Observable, id: string, state: Values): Entry {
  const owner = ownerOf(resource, state);
  return {
    object: objectOf(resource, id),
    id,
    name: textOf(state, "name"),
    label: labelOf(resource, state, id),
    protection: protectionIn(resource, state),
    isProduction: isProduction(resource, state),
    isProtectionOff: isProtectionOff(state),
    isRefusedByTag: !isLeft(state) && isRefusedByTag(resource, state),
    isLeft: isLeft(state),
    ...(owner !== undefined && {
      owner: { object: owner, label: ownerLabel(resource, state), mark: ownerMarkIn(state) },
    }),
    shownOnce: compact(pick(state, resource.shownOnce ?? [])),
    located: { ...resource.scope(state, ""), projectId: projectOf(state) },
  };
}

/** The protection that a state has, or will have with this flag. */
export function protectionIn(
  resource: Pick<Observable, "fields">,
  state: Values,
  isOn = isProtected(state),
): Protection {
  if (isOn) return "protected";
  return isProduction(resource, state) ? "unprotected" : "untagged";
}

type Owned = Pick<Observable, "owner">;

/** The object that these values name as the owner. */
export function ownerOf({ owner }: Owned, values: Values): string | undefined {
  const id = owner === undefined ? undefined : textOf(values, owner.key);
  return owner === undefined || id === undefined ? undefined : objectOf(owner, id);
}

function ownerLabel({ owner }: Owned, state: Values): string {
  return `${owner?.noun} ${textOf(state, owner?.key ?? "")}`;
}
