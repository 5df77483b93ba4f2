// Confirms that an object is gone. A 404 counts only when the recorded project's own list answers and lacks the id, or,
// after an accepted delete, when the project answers and the object is missing once more. A wrong address, a wrong project
// or a proxy that answers 404 to everything does not pass this check.

import { ContractError } from "../../domain/errors";
import { describeUnreadable, lacks, mayHold, unreadableOf } from "../../domain/listed";
import { show } from "../../domain/values/value";
import type { Observable, Target } from "../resources/observation";

/** An object that is "deleting" still exists: its deletion can fail. "gone": proven to be absent. */
export type Presence = "there" | "deleting" | "gone";

/** By a list that begins now, or that began after `sinceMs`. */
export async function presenceOf(target: Omit<Target, "label">, sinceMs?: number): Promise<Presence> {
  const { resource, session, id, scope, deadlineMs } = target;
  const age = sinceMs === undefined ? {} : { maxAgeMs: session.clock.now() - sinceMs };
  const list = await resource.listAll(session, scope, { ...age, deadlineMs });
  const item = list.find((one) => resource.idOf(one) === id);
  if (item === undefined && mayHold(list, id)) return presentUnread(resource, list, id);
  if (item === undefined || isDeleted(resource, item)) return "gone";
  return resource.condition(item) === "deleting" ? "deleting" : "there";
}

/** An unreadable item with this id is there. An item without a readable id may be any object, so it is an error. */
function presentUnread(resource: Observable, list: readonly unknown[], id: string): "there" {
  const unreadable = unreadableOf(list);
  if (unreadable.some((item) => item.id === id)) return "there";
  throw new ContractError(
    "list",
    `the list lacks ${resource.noun} ${show(id)}, and holds what cannot be read and may be it (${unreadable.map(describeUnreadable).join("; ")}); nothing was concluded`,
    "Run the same command again once the server lists it readably.",
  );
}

/**
 * Whether the object is gone after an accepted delete and a 404. A list that began since then and lacks the object is
 * enough. A list that could be long is not read for this alone: a small read of the project shows that address, key and
 * project are right, and then the object is read once more. So a delete that only seemed accepted, one wrong 404 after it,
 * or both together lose nothing.
 */
export async function isGoneSince(target: Target, sinceMs: number): Promise<boolean> {
  const { resource, session, id, scope, deadlineMs } = target;
  const reader = resource.reader(session, scope);
  if (reader.isMissingFromList(id)) return true;
  const since = { maxAgeMs: session.clock.now() - sinceMs, deadlineMs };
  if (resource.probeScope !== undefined) {
    await resource.probeScope(session, scope, since);
    return (await reader.fetch(id, deadlineMs)) === undefined;
  }
  const shared = await reader.list(since).catch(() => undefined);
  if (shared !== undefined && lacks(shared, id, (item) => resource.idOf(item))) return true;
  return (await presenceOf(target)) === "gone";
}

/** API: some servers still answer for a deleted object, with this status. */
export function isDeleted(resource: Observable, item: unknown): boolean {
  return resource.statusOf(item).toUpperCase() === "DELETED";
}
