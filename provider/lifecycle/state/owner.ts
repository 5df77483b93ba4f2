// A resource is not deleted together with its protected owner. A destroy deletes the replica sets of a service first, and
// handlers see the state of one resource only. So a set keeps in its own state whether its service is protected, and is
// deleted only if the service is not, or if the running program still declares the service or the set. If neither the state
// nor this process knows, as after an import, or if the service had no tag, the tag of the live service decides.

import { RefusedError } from "../../domain/errors";
import { compact, textOf, type Values } from "../../domain/values/value";
import { isRecorded } from "./state";
import { isHeld, isKept, objectOf, type Memory, type Protection } from "./memory";
import { isTaggedProduction, UNREAD } from "./liveTag";
import { isProduction, isProtected, type Reported } from "./protection";
import type { Observable } from "../resources/observation";

/** The value of `__owner` if the program that created the object does not have the owner: it may delete the object alone. */
const ELSEWHERE = "elsewhere";

type Kind = Pick<Observable, "kind" | "owner">;
type Owning = Pick<Observable, "kind" | "fields">;

/** Records the protection that the state of an object has or will have, for the resources that it owns. */
export function noteProtection(
  resource: Owning,
  memory: Memory,
  id: string,
  state: Values,
  protection = isProtected(state),
): void {
  const otherwise = isProduction(resource, state) ? "unprotected" : "untagged";
  const object = objectOf(resource, id);
  const before = memory.protections.get(object);
  const now = protection ? "protected" : otherwise;
  memory.protections.set(object, now);
  if (now !== before) memory.siblings.announceProtection(object, now);
}

/** Records the owner of a declared resource: the program declares that resource, so it is not being removed. */
export function noteOwner(resource: Kind, memory: Memory, values: Values): void {
  const owner = ownerOf(resource, values);
  if (owner !== undefined) memory.owners.add(owner);
}

/** The mark that the state keeps; undefined if this process does not know the owner. */
export function ownerMark(resource: Kind, memory: Memory, values: Values): Protection | undefined {
  const owner = ownerOf(resource, values);
  return owner === undefined ? undefined : (memory.protections.get(owner) ?? memory.siblings.protectionOf(owner));
}

/** The mark of an object that the program creates. */
export function markOfNew(resource: Kind, memory: Memory, values: Values): string | undefined {
  const owner = ownerOf(resource, values);
  const mark = ownerMark(resource, memory, values);
  if (mark !== undefined || owner === undefined || isHeld(memory, owner)) return mark;
  // The owner belongs to another process, which has announced no protection: the live tag decides.
  return memory.siblings.isKept(owner, []) ? "untagged" : ELSEWHERE;
}

/**
 * The state after a read, with the mark of its owner: the known mark, the old mark, or one by the owner's tag.
 * Pulumi: an import has no dependencies, so the owner may be read later. A missing tag does not change a recorded mark.
 */
export function withOwnerMark(resource: Kind, memory: Memory, state: Values, olds: Values, item: unknown): Values {
  const tagged = resource.owner?.isProduction(item);
  const shown = tagged === true ? "protected" : tagged === false && !isRecorded(olds) ? "untagged" : undefined;
  return compact({ ...state, __owner: ownerMark(resource, memory, state) ?? olds["__owner"] ?? shown });
}

/** The new mark, if the owner's protection has changed since the state was written; old states without a mark have none. */
export function changedMark(resource: Kind, memory: Memory, olds: Values, news: Values): Protection | undefined {
  const before = olds["__owner"];
  const mark = ownerMark(resource, memory, news);
  return before === undefined || current(before) === mark ? undefined : mark;
}

/** Throws if the delete would remove the object together with its protected owner, as far as that is known. */
export function refuseWithOwner(resource: Kind, memory: Memory, id: string, label: string, state: Values): void {
  if (isKeptApart(resource, memory, id, state) || markOf(resource, memory, state) !== "protected") return;
  throw new RefusedError(
    `${label} belongs to ${parentIn(resource, state)}, which is protected against deletion (deletionProtection is stored as true) and is not kept by this run; nothing was deleted`,
    remedyOf(resource, "pulumi up"),
  );
}

/** If the owner is unknown, or had no tag: throws if the live owner is tagged as production. */
export async function refuseIfOwnerIsProduction(target: Reported, memory: Memory, state: Values): Promise<void> {
  const { resource, session, id, scope, label, deadlineMs } = target;
  const mark = markOf(resource, memory, state) ?? "untagged";
  const { owner } = resource;
  if (owner === undefined || mark !== "untagged" || isKeptApart(resource, memory, id, state)) return;
  const report = target.context.progress;
  const intent = { session, label, deadlineMs, unread: UNREAD.part, outcome: "nothing was deleted", report };
  const isTagged = await isTaggedProduction(intent, () => owner.fetchIsProduction(session, scope, deadlineMs));
  if (!isTagged) return;
  throw new RefusedError(
    `${label} belongs to ${parentIn(resource, state)}, which has the environment tag PROD, so that it is protected against deletion, and is not kept by this run; nothing was deleted`,
    // Only a refresh gives a mark to an object without one.
    remedyOf(resource, "pulumi up --refresh"),
  );
}

function markOf(resource: Kind, memory: Memory, state: Values): unknown {
  return current(state["__owner"]) ?? ownerMark(resource, memory, state);
}

/** Older states say "open" for every owner that is not protected, with or without a tag. */
function current(mark: unknown): unknown {
  return mark === "open" ? "untagged" : mark;
}

/** Whether the running program keeps the owner, or the object itself. */
function isKeptApart(resource: Kind, memory: Memory, id: string, state: Values): boolean {
  const owner = ownerOf(resource, state);
  if (owner === undefined) return true;
  // The delete of an owner that this run replaces may still be refused.
  if (isHeld(memory, owner) && !isKept(memory, owner)) return false;
  const isHere = isHeld(memory, owner) || memory.owners.has(owner) || isHeld(memory, objectOf(resource, id));
  return isHere || memory.siblings.isKept(owner, []);
}

function parentIn({ owner }: Kind, state: Values): string {
  return `${owner?.noun} ${textOf(state, owner?.key ?? "")}`;
}

function remedyOf({ owner }: Kind, up: string): string {
  return [
    `To really delete both, set \`deletionProtection: false\` on the ${owner?.noun} (where it was taken out of the program, put both back, with that), run \`${up}\`, then delete or destroy.`,
    `To delete this one alone, take it out of the program, leave the ${owner?.noun} in, and run \`pulumi up\` without \`--target\`.`,
    `If no program of this stack has the ${owner?.noun}, delete this one in the console, and run \`pulumi refresh\`.`,
    "To only forget this one, use `pulumi state delete` or `retainOnDelete`.",
  ].join(" ");
}

/** The owner that these values name, by its key in the memory. */
export function ownerOf({ owner }: Kind, values: Values): string | undefined {
  const id = owner === undefined ? undefined : textOf(values, owner.key);
  return owner === undefined || id === undefined ? undefined : objectOf(owner, id);
}
