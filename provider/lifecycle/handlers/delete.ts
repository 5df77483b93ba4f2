// Delete: does what `decideDelete` says of the entry, and ends only when the object is gone.

import type { Values } from "../../domain/values/value";
import { open } from "./open";
import { confirmObject } from "../state/deployment";
import { unseenUntil } from "../session/confirmation";
import { decideOrRefuse, type LiveTag } from "../view/decideDelete";
import { factsOf, createTagReader } from "../view/deleteFacts";
import { entryOf } from "../view/entry";
import type { EntryFacts } from "../view/runLog";
import { removeAndWait } from "../converge/removal";
import type { Context } from "../resources/operation";
import type { Resource, Refuse } from "../resources/resource";
import { unseenUntilOf, visible } from "../state/state";

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
    if (!(error instanceof Kept)) throw error;
    context.warn(`${label} is kept: ${error.by}. Only this entry leaves the state`);
  } finally {
    view.tell(identity, { is: isRemoved ? "removed" : "spared", object });
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

async function removeEntry(resource: Resource, context: Context, entry: EntryFacts, props: Values): Promise<void> {
  const { memory } = context;
  const { view } = memory;
  const { id, label, object } = entry;
  const decide = (tag?: LiveTag): void => {
    // What the program has or replaces, it has declared. The name of the resource is no proof: after a rename by an alias the
    // state can have the one of before, which another resource may have by now.
    const failed = view.isHeld(object) ? undefined : view.failed();
    const decision = decideOrRefuse({ ...factsOf(entry, context), failed, tag }, "delete");
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
    decide(reading.tag);
    return undefined;
  };
  await removeAndWait(target, refuse);
}
