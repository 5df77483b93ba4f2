// Delete: does what `decideDelete` says of the entry, and ends only when the object is gone.

import type { Turn } from "../api/http/rate";
import { RefusedError } from "../domain/errors";
import type { Values } from "../domain/values/value";
import { open } from "./open";
import { confirmObject } from "./deployment";
import { unseenUntil } from "./patience";
import { forgetRecorded } from "./sentCreates";
import { noteOfDelete } from "./presence";
import { decideOrRefuse, type LiveTag } from "./decideDelete";
import { factsOf, createTagReader, noteOfAdoption } from "./deleteFacts";
import { entryOf } from "./entry";
import type { EntryFacts } from "./runLog";
import { removeAndWait } from "./removeAndWait";
import type { Context, Target } from "./operation";
import type { Resource, Refuse } from "./kind";
import { unseenUntilOf, visible } from "./state";

export async function remove(resource: Resource, context: Context, id: string, props: Values): Promise<void> {
  const { memory, identity } = context;
  const { view } = memory;
  const entry = entryOf(resource, id, props);
  const { label, object } = entry;
  view.tell(identity, { is: "intends to destroy", entry });
  let isRemoved = false;
  try {
    await removeEntry(resource, context, entry, props);
    isRemoved = true;
  } catch (error) {
    if (error instanceof RefusedError) {
      const parts = await membersThatStay(resource, context, id, props);
      throw new RefusedError(error.errorName, `${error.message}${parts}`, error.hint);
    }
    if (!(error instanceof Kept)) throw error;
    context.warn(
      `${label} is kept: ${error.by}. Only this entry leaves the state${await membersThatStay(resource, context, id, props)}`,
    );
  } finally {
    view.tell(identity, { is: "destroyed", object, isGone: isRemoved });
  }
}

/** Another resource has the object, by now if not before. */
class Kept extends Error {
  readonly by: string;

  constructor(by: string) {
    super();
    this.by = by;
  }
}

/** The longest time to find out what a refusal is to name. */
const PARTS_MS = 5_000;

/**
 * Pulumi: with `deletedWith`, it drops a part from the state and calls no handler, also where the delete of the whole is then
 * refused. Empty where there are none, or they cannot be read.
 */
async function membersThatStay(resource: Resource, context: Context, id: string, props: Values): Promise<string> {
  if (resource.members === undefined) return "";
  try {
    const opened = await open(resource, context, "read", visible(props));
    const read = resource.members({ ...opened, id, idsInState: () => [], isRemoved: () => true });
    const parts = (await read(opened.session.clock.now() + PARTS_MS)) ?? [];
    return parts.length === 0 ? "" : `; what is in it stays too: ${parts.map(({ words }) => words).join(", ")}`;
  } catch {
    return "";
  }
}

/** The reason of a replacement must still be so when it deletes the old object. */
async function refuseIfRecovered(
  { resource, session, id, scope, label, deadlineMs }: Target,
  turn: Turn,
): ReturnType<Refuse> {
  const item = await resource.reader(session, scope).fetch(id, deadlineMs, turn);
  if (item === undefined) return { is: "missing" };
  if (["failed", "deleting"].includes(item.condition)) return undefined;
  throw new RefusedError(
    "recovered",
    `${label} had failed, and is ${item.status} again, so it is not replaced; nothing was deleted`,
    "Run `pulumi up --refresh`.",
  );
}

async function removeEntry(resource: Resource, context: Context, entry: EntryFacts, props: Values): Promise<void> {
  const { memory, identity } = context;
  const { view } = memory;
  const { id, label, object } = entry;
  const decide = (tag?: LiveTag): void => {
    // What the program has or replaces, it has declared. The name of the resource is no proof: after a rename by an alias the
    // state can have the one of before, which another resource may have by now.
    const { isOfProgram, replaced, parts } = view.claimsOn(object);
    const failed = isOfProgram ? undefined : view.failed();
    const facts = factsOf(entry, context);
    // An earlier run has left this entry to be deleted: the program protects what it has in its place.
    const isLeft = facts.protectedBy === "program" && replaced === "no" && !view.resource(identity).isToCome;
    const protectedBy = isLeft ? undefined : facts.protectedBy;
    const decision = decideOrRefuse({ ...facts, protectedBy, parts: parts(), failed, tag }, "delete");
    if (decision.is === "keep") throw new Kept(decision.by);
  };
  decide();
  const opened = await open(resource, context, "delete", visible(props));
  const target = { ...opened, id, label, unseenUntilMs: unseenUntil(opened.session, unseenUntilOf(props)) };
  await confirmObject(target, props);
  const tags = createTagReader(target, entry);
  const refuse: Refuse = async (turn) => {
    const reading = await tags.next(turn);
    if (reading.is !== "known") return reading;
    const isReason = view.claimsOn(object).replaced === "as failed";
    const unclear = isReason ? await refuseIfRecovered(target, turn) : undefined;
    if (unclear === undefined) decide(reading.tag);
    return unclear;
  };
  await removeAndWait(target, refuse);
  memory.notes.write(noteOfDelete(target), undefined);
  memory.notes.write(noteOfAdoption(entry), undefined);
  forgetRecorded(target, props);
}
