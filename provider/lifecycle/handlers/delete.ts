// Delete: deletes only an unprotected object that no resource of the program keeps, and ends only when it is gone.

import { releaseNames } from "../create/nameReservation";
import type { Context } from "../session/context";
import { openOperation } from "./operation";
import { labelOf } from "../resources/label";
import { confirmObject } from "../state/deployment";
import { presenceOf } from "../session/presence";
import { isKept, noteEntry } from "../state/held";
import { objectOf } from "../state/memory";
import { refuseWithOwner } from "../state/owner";
import { protectedError, refuseIfLiveIsProtected } from "../state/protection";
import { contradiction, removeAndWait, type Removal } from "../converge/removal";
import type { Leaving, Resource, Values } from "../resources/resource";
import { addressesOf, unseenUntilOf, visible } from "../state/state";
import { isProtected } from "../state/wanted";

export async function remove(resource: Resource, context: Context, id: string, props: Values): Promise<void> {
  const olds = visible(props);
  const label = labelOf(resource, olds, id);
  const object = objectOf(resource, id);
  noteEntry(context.memory, resource, id, olds);
  const keeper = keeperOf(context, object, props);
  if (keeper !== undefined) {
    context.warn(`${label} is kept: ${keeper}. Only this second entry for it leaves the state; nothing was deleted`);
    return;
  }
  if (isProtected(olds)) throw protectedError(label, context.memory.registered.has(context.identity?.key));
  refuseWithOwner(resource, context.memory, id, label, props);
  const opened = await openOperation(resource, context, "delete", olds);
  const { session, scope } = opened;
  const deadlineMs = opened.deadlineMs();
  const isNewUntilMs = unseenUntilOf(props);
  const run = { resource, context: opened.context, session, id, scope, label, deadlineMs, isNewUntilMs };
  await confirmObject(resource, session, { id, scope, label, state: props, deadlineMs });
  const { leave } = resource;
  if (olds["onDelete"] === "stop" && leave !== undefined) {
    await session.locks.run(resource.lock(id, scope), () => leaveBehind(run, leave));
  } else {
    await refuseIfLiveIsProtected(run, props);
    await removeAndWait(run);
    context.memory.removed.add(object);
  }
  releaseNames(context.memory, object);
}

/** Why the object must be kept although an entry of the state for it is deleted; undefined when it need not be. */
function keeperOf({ memory }: Context, object: string, state: Values): string | undefined {
  // Pulumi: after a forced replacement the engine deletes "the old one", although the create adopted that same object.
  if (memory.adopted.has(object)) return "this run took it over";
  // Pulumi: in the next run "the old one" is still to be deleted, beside the live entry with the same id.
  if (isKept(memory, object)) return "a resource of this program goes on with it";
  // Pulumi: a resource that moved to another provider instance is served by another process.
  const isKeptElsewhere = memory.companions.keep(object, addressesOf(state));
  return isKeptElsewhere ? "a resource of this program goes on with it under another provider" : undefined;
}

async function leaveBehind(run: Removal, leave: (leaving: Leaving<unknown>) => Promise<void>): Promise<void> {
  const { resource, session, id, scope, deadlineMs } = run;
  const found = await resource.reader(session, scope).get(id, { deadlineMs });
  if (found !== undefined && resource.condition(found) !== "gone") return leave({ ...run, found });
  const presence = await presenceOf(resource, session, id, scope, deadlineMs);
  if (presence === "there") throw contradiction(run);
}
