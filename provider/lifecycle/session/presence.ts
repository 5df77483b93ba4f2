// "Gone" is never guessed: a 404 counts only when the recorded project's own list answers and lacks the id, or, after a
// delete that was taken, when the project answers and the object is missing once more. A wrong address, a wrong project or
// a proxy that answers 404 to everything cannot pass that.

import { ContractError } from "../../domain/errors";
import { describeUnreadable, mayHold, unreadableOf } from "../../domain/listed";
import { show } from "../../domain/values/value";
import type { Scope, Resource } from "../resources/resource";
import type { Session } from "./session";

/** On its remedy is still there: what is being deleted can fail to go. */
export type Presence = "there" | "leaving" | "gone";

export async function presenceOf(
  resource: Resource,
  session: Session,
  id: string,
  scope: Scope,
  deadlineMs: number,
): Promise<Presence> {
  const there = await resource.present(session, scope, deadlineMs);
  const item = there.find((one) => resource.idOf(one) === id);
  if (item === undefined && mayHold(there, id)) return hiddenIn(resource, there, id);
  if (item === undefined || isDeleted(resource, item)) return "gone";
  return resource.condition(item) === "gone" ? "leaving" : "there";
}

/** One that cannot be read is there; one of which not even the id can be read may be any. */
function hiddenIn(resource: Resource, there: readonly unknown[], id: string): "there" {
  const unreadable = unreadableOf(there);
  if (unreadable.some((item) => item.id === id)) return "there";
  throw new ContractError(
    "list",
    `the list lacks ${resource.noun} ${show(id)}, and holds what cannot be read and may be it (${unreadable.map(describeUnreadable).join("; ")}); nothing was concluded`,
    "Run the same command again once the server lists it readably.",
  );
}

/**
 * After a delete that the server took and a 404: is it gone? A list that began since then and lacks it will do. Where
 * that list could be long, it is not read for this alone: the project is asked for something small, which is answered
 * only if address, key and project are right, and then once more for the object. Neither a delete that only seemed to be
 * taken nor one wrong 404 after it, nor both, lose anything.
 */
export async function isGoneSince(
  resource: Resource,
  session: Session,
  id: string,
  scope: Scope,
  { sinceMs, deadlineMs }: { sinceMs: number; deadlineMs: number },
): Promise<boolean> {
  const { clock } = session;
  const reader = resource.reader(session, scope);
  if (reader.isMissingFromList(id)) return true;
  const since = { maxAgeMs: clock.now() - sinceMs, deadlineMs };
  if (resource.reach !== undefined) {
    await resource.reach(session, scope, since);
    return (await reader.fetch(id, deadlineMs)) === undefined;
  }
  const shared = await reader.list(since).catch(() => undefined);
  if (shared !== undefined && !mayHold(shared, id) && !shared.some((item) => resource.idOf(item) === id)) return true;
  return (await presenceOf(resource, session, id, scope, deadlineMs)) === "gone";
}

/** API: some servers go on answering for what is no more, with this word. */
export function isDeleted(resource: Resource, item: unknown): boolean {
  return resource.statusOf(item).toUpperCase() === "DELETED";
}
