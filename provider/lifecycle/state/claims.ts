// What a create of this run means: `adoptId` names it, or DBCLOUD_ADOPT does, or the create was refused because it is there
// already, as after a rename without an alias. Until it is taken over, no entry of the state for it deletes it. Pulumi: with
// `deleteBeforeReplace` the delete comes before the create, and `--continue-on-error` goes on to the deletes after a create
// that has failed.

import { RefusedError } from "../../domain/errors";
import { containsUnknown } from "../../domain/values/unknown";
import { textOf, type Values } from "../../domain/values/value";
import type { Observable } from "../resources/observation";
import type { Context, Identity } from "../session/context";
import { isHeld, objectOf } from "./memory";

/** Whether a resource that is to be created takes an object over. The replacement of that object creates a new one. */
export function isTakingOver(
  resource: Observable,
  { memory, identity }: Pick<Context, "memory" | "identity">,
  olds: Values,
  { adoptId }: Values,
): boolean {
  if (adoptId === undefined || Object.keys(olds).length > 0) return false;
  const replaced = memory.predecessors.get(identity?.key);
  return typeof adoptId !== "string" || replaced?.has(objectOf(resource, adoptId)) !== true;
}

/** Keeps what a resource is to take over, unless the planner replaces it; the last `check` of the resource counts. */
export function noteClaim(
  resource: Observable,
  { memory, identity }: Pick<Context, "memory" | "identity">,
  olds: Values,
  { adoptId }: Values,
): void {
  for (const object of memory.claims.get(identity?.key)?.objects ?? [])
    memory.siblings.announceClaim(object, undefined);
  memory.claims.delete(identity?.key);
  if (Object.keys(olds).length > 0 || typeof adoptId !== "string" || containsUnknown(adoptId)) return;
  const object = objectOf(resource, adoptId);
  if (memory.predecessors.get(identity?.key)?.get(object)?.isHeld === true) return;
  const by = nameOf(identity);
  memory.claims.set(identity?.key, { objects: [object], is: "adoption", by });
  memory.siblings.announceClaim(object, by);
}

/** Keeps what stopped a create. */
export function noteDuplicates({ memory, identity }: Context, objects: readonly string[]): void {
  memory.claims.set(identity?.key, { objects, is: "duplicate", by: nameOf(identity) });
}

function nameOf(identity: Identity | undefined): string {
  return identity?.name ?? "a resource";
}

/** Throws where a create of this run means the object, and has not taken it over. */
export function refuseIfClaimed(
  resource: Observable,
  { memory, adopt }: Pick<Context, "memory" | "adopt">,
  id: string,
  label: string,
  state: Values,
): void {
  const object = objectOf(resource, id);
  const claim = [...memory.claims.values()].find(({ objects }) => objects.includes(object));
  const claimant = claim?.is === "adoption" ? claim.by : memory.siblings.claimantOf(object);
  if (claimant !== undefined) {
    throw new RefusedError(
      `${label} is what \`adoptId\` of ${claimant} says is to be taken over, and that is not done; nothing was deleted`,
      "To keep it, mend what stopped that, and run `pulumi up` again, without `--replace` and `--target-replace` (after `pulumi state taint`: `pulumi state untaint`). To delete it, drop `adoptId`.",
    );
  }
  if (claim?.is === "duplicate") {
    throw new RefusedError(
      `${label} kept ${claim.by} from being created; nothing was deleted`,
      `The error of ${claim.by} says what to do. To delete this one first, take ${claim.by} out of the program for one \`pulumi up\`.`,
    );
  }
  // A name may mean another object: that by which this run replaces this one.
  const isNamed = adopt.includes(id) || (!isHeld(memory, object) && adopt.includes(textOf(state, "name") ?? id));
  if (!isNamed) return;
  throw new RefusedError(
    `${label}: DBCLOUD_ADOPT names it, so that this run does not delete it; nothing was deleted`,
    "To keep it, run again without `--replace` and `--target-replace`. To delete it, run without DBCLOUD_ADOPT.",
  );
}
