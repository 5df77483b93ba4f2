// Delete: deletes only an unprotected object that no resource of the program keeps, and ends only when it is gone.

import { RefusedError } from "../../domain/errors";
import { show, type Values } from "../../domain/values/value";
import { converge } from "../converge/converge";
import { openRun } from "../converge/run";
import { releaseNames } from "../create/nameReservation";
import type { Context } from "../session/context";
import { openOperation } from "./operation";
import { confirmObject } from "../state/deployment";
import { presenceOf } from "../session/presence";
import { refuseIfBlocked } from "../state/deleteBlocks";
import { noteEntry } from "../state/held";
import { isKept, objectOf } from "../state/memory";
import { noteProtection, refuseIfOwnerIsProduction, refuseWithOwner } from "../state/owner";
import { isLeft, isProtected, protectedError, refuseIfLiveIsProtected } from "../state/protection";
import { contradiction, removeAndWait, type Removal } from "../converge/removal";
import type { Changeable } from "../resources/change";
import { type Observable, type Target, labelOf } from "../resources/observation";
import type { Deletable, Stopped } from "../resources/deletion";
import { addressesOf, visible } from "../state/state";
import { unseenUntil } from "../state/unseen";

export async function remove(
  resource: Deletable & Changeable,
  context: Context,
  id: string,
  props: Values,
): Promise<void> {
  const olds = visible(props);
  const label = labelOf(resource, olds, id);
  const object = objectOf(resource, id);
  noteEntry(context.memory, resource, id, olds);
  const keeper = keeperOf(resource, context, object, props);
  if (keeper !== undefined) {
    context.warn(`${label} is kept: ${keeper}. Only this second entry for it leaves the state; nothing was deleted`);
    return;
  }
  refuseIfBlocked(resource, context, id, label, olds);
  if (isProtected(olds)) noteProtection(resource, context.memory, id, olds);
  if (isProtected(olds)) throw protectedError(label, context.memory.registered.has(context.identity?.key));
  refuseWithOwner(resource, context.memory, id, label, props);
  const opened = await openOperation(resource, context, "delete", olds);
  const { session, scope } = opened;
  const deadlineMs = opened.deadlineMs();
  const unseenUntilMs = unseenUntil(session, props);
  const run = { resource, context: opened.context, session, id, scope, label, deadlineMs, unseenUntilMs };
  await confirmObject(run, context.memory, props);
  const { stopped } = resource;
  if (isLeft(olds) && stopped !== undefined) {
    await session.locks.run(resource.lock(id, scope), () => leaveStopped(run, stopped));
  } else {
    await removeAndWait(run, async () => {
      await refuseIfOwnerIsProduction(run, context.memory, props);
      await refuseIfLiveIsProtected(run, context.memory, props);
    });
    context.memory.removed.add(object);
  }
  releaseNames(context.memory, object);
}

/** The reason to keep the object although an entry of the state for it is deleted; undefined if there is none. */
function keeperOf(
  { hasGlobalIds }: Observable,
  { memory }: Context,
  object: string,
  state: Values,
): string | undefined {
  // Pulumi: after a forced replacement the engine deletes "the old one", although the create adopted that same object.
  if (memory.adopted.has(object)) return "this run adopted it";
  // Pulumi: in the next run "the old one" is still to be deleted, beside the live entry with the same id.
  if (isKept(memory, object)) return "a resource of this program still has it";
  // Pulumi: a resource that moved to another provider instance is served by another process.
  const isKeptElsewhere = memory.siblings.isKept(object, hasGlobalIds === true ? [] : addressesOf(state));
  return isKeptElsewhere ? "a resource of this program still has it under another provider" : undefined;
}

/** `onDelete: "stop"`: stops the object and leaves it in the cloud. */
async function leaveStopped(
  removal: Removal & Target<Deletable & Changeable>,
  stopped: Stopped<unknown>,
): Promise<void> {
  const { resource, session, context, id, scope, label, deadlineMs } = removal;
  const found = await resource.reader(session, scope).get(id, { deadlineMs });
  // An object that was never observed may still appear: the wait below goes on until then.
  const isUnseen = found === undefined && session.clock.now() < (removal.unseenUntilMs?.() ?? 0);
  if (!isUnseen && (found === undefined || resource.condition(found) === "deleting")) {
    const presence = await presenceOf(removal);
    if (presence === "there") throw contradiction(removal);
    return;
  }
  const run = openRun({ ...removal, observed: found });
  try {
    await converge(run, stopped.inputs);
  } catch (error) {
    const isRefused = error instanceof RefusedError && run.start !== undefined;
    if (!isRefused || !stopped.isDespite(run.start, run.failed?.operation)) throw error;
    context.warn(`${label} ${stopped.leftover(run.start)}: it is stopped, and ${error.message}`);
  }
  context.warn(
    `${label} was stopped and left in project ${scope.projectId} (onDelete: "stop"): its data stays and its storage still costs. Pulumi forgets it; \`adoptId: ${show(id)}\` takes it back.`,
  );
}
