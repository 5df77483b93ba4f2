// What this run is told to take over: `adoptId` of a resource that is to be created names it, or DBCLOUD_ADOPT does. Until
// that is done, no entry of the state for it deletes it. Pulumi: with `deleteBeforeReplace` the delete comes before the
// create, and `--continue-on-error` goes on to the deletes after a create that has failed.

import { RefusedError } from "../../domain/errors";
import { containsUnknown } from "../../domain/values/unknown";
import { textOf, type Values } from "../../domain/values/value";
import type { Observable } from "../resources/observation";
import type { Context, Identity } from "../session/context";
import { isHeld, objectOf, type Memory } from "./memory";

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

/** Keeps what a resource is to take over; the last `check` of the resource counts. */
export function noteClaim(
  resource: Observable,
  { claims }: Memory,
  identity: Identity | undefined,
  adoptId: unknown,
): void {
  if (typeof adoptId !== "string" || containsUnknown(adoptId)) claims.delete(identity?.key);
  else claims.set(identity?.key, { object: objectOf(resource, adoptId), by: identity?.name ?? "a resource" });
}

/** Throws where the object is to be taken over, and was not. */
export function refuseIfClaimed(
  resource: Observable,
  { memory, adopt }: Pick<Context, "memory" | "adopt">,
  id: string,
  label: string,
  state: Values,
): void {
  const object = objectOf(resource, id);
  const claim = [...memory.claims.values()].find((one) => one.object === object);
  if (claim !== undefined) {
    throw new RefusedError(
      `${label} is what \`adoptId\` of ${claim.by} says is to be taken over, and that is not done; nothing was deleted`,
      "To keep it, mend what stopped that, and run `pulumi up` again, without `--replace` and `--target-replace` (after `pulumi state taint`: `pulumi state untaint`). To delete it, drop `adoptId`.",
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
