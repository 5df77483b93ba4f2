// A resource is not deleted together with its protected owner. A destroy deletes the replica sets of a service first, and
// handlers see the state of one resource only. So a set keeps in its own state whether its service is protected, and is
// deleted only when the service is not, or when the running program still declares the service or the set.

import { RefusedError } from "../../domain/errors";
import { compact, textOf, type Values } from "../../domain/values/value";
import { isHeld, objectOf, type Memory } from "./memory";
import type { Observable } from "../resources/observation";

/** The value of `__owner`. */
type Mark = "protected" | "open";

type Kind = Pick<Observable, "kind" | "owner">;

/** Records the protection that the state of an object has or will have, for the resources that it owns. */
export function noteProtection(resource: Kind, memory: Memory, id: string, isProtected: boolean): void {
  memory.protections.set(objectOf(resource, id), isProtected);
}

/** Records the owner of a declared resource: the program declares that resource, so it is not being removed. */
export function noteOwner(resource: Kind, memory: Memory, values: Values): void {
  const owner = ownerOf(resource, values);
  if (owner !== undefined) memory.owners.add(owner);
}

/** The mark that the state keeps; undefined where this process does not know the owner. */
export function ownerMark(resource: Kind, memory: Memory, values: Values): Mark | undefined {
  const owner = ownerOf(resource, values);
  const isProtected = owner === undefined ? undefined : memory.protections.get(owner);
  if (isProtected === undefined) return undefined;
  return isProtected ? "protected" : "open";
}

/** A state that was read, with the mark of its owner: the known one, or the one that it had. */
export function withOwnerMark(resource: Kind, memory: Memory, state: Values, olds: Values): Values {
  return compact({ ...state, __owner: ownerMark(resource, memory, state) ?? olds["__owner"] });
}

/** The new mark, if the owner's protection has changed since the state was written; old states without a mark have none. */
export function changedMark(resource: Kind, memory: Memory, olds: Values, news: Values): Mark | undefined {
  const mark = ownerMark(resource, memory, news);
  return olds["__owner"] === undefined || olds["__owner"] === mark ? undefined : mark;
}

/** Throws where the delete would remove the object together with its protected owner. */
export function refuseWithOwner(resource: Kind, memory: Memory, id: string, label: string, state: Values): void {
  const owner = ownerOf(resource, state);
  if (state["__owner"] !== "protected" || owner === undefined) return;
  if (isHeld(memory, owner) || memory.owners.has(owner) || isHeld(memory, objectOf(resource, id))) return;
  const parent = `${resource.owner?.noun} ${textOf(state, resource.owner?.key ?? "")}`;
  throw new RefusedError(
    `${label} belongs to ${parent}, which is protected against deletion (deletionProtection is stored as true) and is not kept by this run; nothing was deleted`,
    `To really delete both, set \`deletionProtection: false\` on the ${resource.owner?.noun}, run \`pulumi up\`, then delete or destroy. To delete this one alone, take it out of the program, leave the ${resource.owner?.noun} in, and run \`pulumi up\` without \`--target\`.`,
  );
}

/** The owner that these values name, by its key in the memory. */
export function ownerOf({ owner }: Kind, values: Values): string | undefined {
  const id = owner === undefined ? undefined : textOf(values, owner.key);
  return owner === undefined || id === undefined ? undefined : objectOf(owner, id);
}
