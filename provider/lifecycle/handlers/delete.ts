// Delete: does what `decideDelete` says of the entry, and ends only when the object is gone.

import { RefusedError } from "../../domain/errors";
import { show, type Values } from "../../domain/values/value";
import { converge } from "../converge/converge";
import { openRun, underLock } from "../converge/run";
import type { Context } from "../session/context";
import { openOperation } from "./operation";
import { confirmObject } from "../state/deployment";
import { presenceOf } from "../session/confirmation";
import { decideDelete, type Decision, type DeleteFacts, refusalOf } from "../view/decideDelete";
import { factsOf, readLiveTag } from "../view/deleteFacts";
import { entryOf } from "../view/entry";
import { contradiction, removeAndWait, type Removal } from "../converge/removal";
import type { Changeable, Deletable, Stopped, Target } from "../resources/resource";
import { visible } from "../state/state";
import { unseenUntil } from "../state/unseen";

export async function remove(
  resource: Deletable & Changeable,
  context: Context,
  id: string,
  props: Values,
): Promise<void> {
  const { memory } = context;
  const entry = entryOf(resource, id, props);
  const { label, object } = entry;
  memory.view.seen(entry);
  const isReplacedFirst = memory.view.isToBeCreated(resource.kind, entry.name);
  const decision = decided({ ...factsOf(entry, context), isReplacedFirst });
  if (decision.is === "keep") {
    context.warn(`${label} is kept: ${decision.by} of this program has it. Only this second entry leaves the state`);
    return;
  }
  const opened = await openOperation(resource, context, "delete", visible(props));
  const { session, scope } = opened;
  const unseenUntilMs = unseenUntil(session, props);
  const deadlineMs = opened.deadlineMs();
  const run = { resource, context: opened.context, session, id, scope, label, deadlineMs, unseenUntilMs };
  await confirmObject(run, memory, props);
  const { stopped } = resource;
  if (decision.is === "stop" && stopped !== undefined) {
    await underLock(run, () => leaveStopped(run, stopped));
  } else {
    await removeAndWait(run, async () => {
      const tag = await readLiveTag(run, factsOf(entry, context));
      decided({ ...factsOf(entry, context), tag });
    });
    memory.view.removed(object);
  }
}

/** Throws a refusal. */
function decided(facts: DeleteFacts): Exclude<Decision, { is: "refuse" }> {
  const decision = decideDelete(facts);
  if (decision.is === "refuse") throw refusalOf(decision.because, facts, "delete");
  return decision;
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
