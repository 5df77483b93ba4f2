// Records which objects the running program holds. One id can have two entries in the state, a live one and one "to be
// deleted", so a delete must know whether a resource of the program keeps the object. Handlers never see the whole state and
// derive this from the order in which the engine calls them (docs/reliability.md has the table).

import { compact, pick, type Values } from "../../domain/values/value";
import { labelOf, type Observable } from "../resources/observation";
import { isKept, objectOf, type Holding, type Memory, type Predecessor, type ResourceKey } from "./memory";
import { isLeft, isProduction, isProtected, isProtectionOff, isRefusedByTag } from "./protection";
import { addressesOf, projectOf } from "./state";

/**
 * `check` is called for every resource that the program registers.
 * Pulumi: with empty olds the engine creates the resource next, whether it is new or replaced, and for whatever reason.
 */
export function noteRegistration(memory: Memory, key: ResourceKey, olds: Values): void {
  memory.registered.add(key);
  if (Object.keys(olds).length > 0) return;
  for (const object of memory.predecessors.get(key)?.keys() ?? []) {
    const holders = memory.held.get(object);
    if (holders?.has(key) === true) release(memory, object, holders, key);
  }
}

/** A refresh has read an entry of the state: the `diff` that follows belongs to the refresh, not to the program. */
export function noteRead(memory: Memory, resource: Observable, id: string): void {
  const object = objectOf(resource, id);
  memory.justRead.set(object, (memory.justRead.get(object) ?? 0) + 1);
}

/** Returns whether the program holds the object. False in a refresh, which also compares objects that are to be deleted. */
export function noteComparison(
  memory: Memory,
  resource: Observable,
  id: string,
  olds: Values,
  key: ResourceKey,
): boolean {
  const object = objectOf(resource, id);
  const reads = memory.justRead.get(object) ?? 0;
  const isRefresh = reads > 0 && !memory.registered.has(key);
  if (isRefresh) memory.justRead.set(object, reads - 1);
  else {
    memory.held.set(object, (memory.held.get(object) ?? new Map<ResourceKey, Holding>()).set(key, "kept"));
    memory.siblings.announceKept(object, addressesOf(olds));
  }
  const known = memory.predecessors.get(key) ?? new Map<string, Predecessor>();
  memory.predecessors.set(
    key,
    known.set(object, {
      label: labelOf(resource, olds, id),
      isProtected: isProtected(olds),
      isHeld: !isRefresh,
      isLeft: isLeft(olds),
      isProtectionOff: isProtectionOff(olds),
      isRefusedByTag: !isLeft(olds) && isRefusedByTag(resource, olds),
      located: { ...resource.scope(olds, ""), projectId: projectOf(olds) },
    }),
  );
  return !isRefresh;
}

/** The planner has decided that this resource gets another object. */
export function noteReplacement(memory: Memory, resource: Observable, id: string, key: ResourceKey): void {
  const object = objectOf(resource, id);
  memory.replacing.add(object);
  const holders = memory.held.get(object);
  if (holders !== undefined) release(memory, object, holders, key);
}

function release(memory: Memory, object: string, holders: Map<ResourceKey, Holding>, key: ResourceKey): void {
  holders.set(key, "replaced");
  if (!isKept(memory, object)) memory.siblings.withdraw(object, []);
}

/** Keeps the facts that only an entry of the state has for the other entries of the same object. */
export function noteEntry(memory: Memory, resource: Observable, id: string, olds: Values): void {
  const object = objectOf(resource, id);
  if (isProtected(olds)) memory.protectedObjects.add(object);
  if (isProduction(resource, olds)) memory.production.add(object);
  const shownOnce = compact(pick(olds, resource.shownOnce ?? []));
  if (Object.keys(shownOnce).length > 0) memory.shownOnce.set(object, shownOnce);
}

/** An update stores the protection that the program declares. */
export function noteUpdate(memory: Memory, resource: Observable, id: string, outs: Values): void {
  memory.protectedObjects.delete(objectOf(resource, id));
  noteEntry(memory, resource, id, outs);
}
