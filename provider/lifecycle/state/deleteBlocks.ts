// Objects that a run does not delete, because a create of the same run refers to them: `adoptId` or DBCLOUD_ADOPT names the
// object, or the create was refused because it exists, as after a rename without an alias. Until the object is adopted, no
// delete of a state entry for it is sent. Pulumi: with `deleteBeforeReplace` the delete comes before the create, and with
// `--continue-on-error` the deletes follow although a create has failed.

import { RefusedError } from "../../domain/errors";
import { containsUnknown } from "../../domain/values/unknown";
import { textOf, type Values } from "../../domain/values/value";
import type { Observable } from "../resources/observation";
import type { Context, Identity } from "../session/context";
import { isHeld, objectOf } from "./memory";

/** Whether a resource that is to be created adopts an object. The replacement of that object creates a new one. */
export function isAdopting(
  resource: Observable,
  { memory, identity }: Pick<Context, "memory" | "identity">,
  olds: Values,
  { adoptId }: Values,
): boolean {
  if (adoptId === undefined || Object.keys(olds).length > 0) return false;
  const replaced = memory.predecessors.get(identity?.key);
  return typeof adoptId !== "string" || replaced?.has(objectOf(resource, adoptId)) !== true;
}

/** Notes the object that a resource is to adopt, unless the planner replaces it; the last `check` of the resource counts. */
export function noteAdoption(
  resource: Observable,
  { memory, identity }: Pick<Context, "memory" | "identity">,
  olds: Values,
  { adoptId }: Values,
): void {
  for (const object of memory.deleteBlocks.get(identity?.key)?.objects ?? [])
    memory.siblings.announceAdoption(object, undefined);
  memory.deleteBlocks.delete(identity?.key);
  if (Object.keys(olds).length > 0 || typeof adoptId !== "string" || containsUnknown(adoptId)) return;
  const object = objectOf(resource, adoptId);
  if (memory.predecessors.get(identity?.key)?.get(object)?.isHeld === true) return;
  const by = nameOf(identity);
  memory.deleteBlocks.set(identity?.key, { objects: [object], is: "adoption", by });
  memory.siblings.announceAdoption(object, by);
}

/** Notes the objects because of which a create was refused. */
export function noteDuplicates({ memory, identity }: Context, objects: readonly string[]): void {
  memory.deleteBlocks.set(identity?.key, { objects, is: "duplicate", by: nameOf(identity) });
}

function nameOf(identity: Identity | undefined): string {
  return identity?.name ?? "a resource";
}

/** Throws if a create of this run refers to the object and has not adopted it. */
export function refuseIfBlocked(
  resource: Observable,
  { memory, adopt }: Pick<Context, "memory" | "adopt">,
  id: string,
  label: string,
  state: Values,
): void {
  const object = objectOf(resource, id);
  const block = [...memory.deleteBlocks.values()].find(({ objects }) => objects.includes(object));
  const adopter = block?.is === "adoption" ? block.by : memory.siblings.adopterOf(object);
  if (adopter !== undefined) {
    throw new RefusedError(
      `${label} is to be adopted by ${adopter} (\`adoptId\`), and is not yet; nothing was deleted`,
      "To keep it, correct what stopped the adoption, and run `pulumi up` again, without `--replace` and `--target-replace` (after `pulumi state taint`: `pulumi state untaint`). To delete it, drop `adoptId`.",
    );
  }
  if (block?.is === "duplicate") {
    throw new RefusedError(
      `${block.by} was not created, because ${label} exists; nothing was deleted`,
      `The error of ${block.by} says what to do. To delete this one first, take ${block.by} out of the program for one \`pulumi up\`.`,
    );
  }
  // The same name may be meant for another object: the replacement of this one.
  const isNamed = adopt.includes(id) || (!isHeld(memory, object) && adopt.includes(textOf(state, "name") ?? id));
  if (!isNamed) return;
  throw new RefusedError(
    `${label}: DBCLOUD_ADOPT names it, so that this run does not delete it; nothing was deleted`,
    "To keep it, run again without `--replace` and `--target-replace`. To delete it, run without DBCLOUD_ADOPT.",
  );
}
