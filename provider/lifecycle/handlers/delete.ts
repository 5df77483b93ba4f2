// Delete: does what `decideDelete` says of the entry, and ends only when the object is gone.

import { RefusedError } from "../../domain/errors";
import { pick, show, type Values } from "../../domain/values/value";
import { converge } from "../converge/converge";
import { openRun, underLock } from "../converge/run";
import { open } from "./open";
import { confirmObject } from "../state/deployment";
import { contradiction, presenceOf, unseenUntil, watchAbsence } from "../session/confirmation";
import { decideOrRefuse, type LiveTag } from "../view/decideDelete";
import { factsOf, createTagReader } from "../view/deleteFacts";
import { entryOf } from "../view/entry";
import type { EntryFacts } from "../view/runLog";
import { removeAndWait } from "../converge/removal";
import type { Context, Target } from "../resources/operation";
import type { Resource, Refuse, Stopped } from "../resources/resource";
import { unseenUntilOf, visible } from "../state/state";

export async function remove(resource: Resource, context: Context, id: string, props: Values): Promise<void> {
  const { memory, identity } = context;
  const { view } = memory;
  const entry = entryOf(resource, id, props);
  const { label, object } = entry;
  view.tell(identity, { is: "intends to destroy", entry });
  let isRemoved = false;
  try {
    isRemoved = await removeEntry(resource, context, entry, props);
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

/** Returns whether the object is gone. */
async function removeEntry(resource: Resource, context: Context, entry: EntryFacts, props: Values): Promise<boolean> {
  const { memory } = context;
  const { view } = memory;
  const { id, label, object } = entry;
  const isReplacedFirst = view.isToBeCreated(resource.kind, entry.name);
  const decide = (tag?: LiveTag): "delete" | "stop" => {
    // What the program has or replaces, it has declared. The name of the resource is no proof: after a rename by an alias the
    // state can have the one of before, which another resource may have by now.
    const failed = view.isHeld(object) ? undefined : view.failed();
    const decision = decideOrRefuse({ ...factsOf(entry, context), isReplacedFirst, failed, tag }, "delete");
    if (decision.is === "keep") throw new Kept(decision.by);
    return decision.is;
  };
  const what = decide();
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
  const { stopped } = resource;
  if (what === "stop" && stopped !== undefined) {
    await underLock(target, resource.lock(id, target.scope), () => leaveStopped(target, stopped, { props, refuse }));
    return false;
  }
  await removeAndWait(target, refuse);
  return true;
}

/** `onDelete: "stop"`: stops the object and leaves it in the cloud. */
async function leaveStopped(
  target: Target,
  stopped: Stopped<unknown>,
  { props, refuse }: { props: Values; refuse: Refuse },
): Promise<void> {
  const { resource, session, context, id, scope, label, deadlineMs } = target;
  const read = await resource.reader(session, scope).get(id, { deadlineMs });
  // An object that was never observed may still appear: the wait below continues until then.
  const isUnseen = read === undefined && session.clock.now() < (target.unseenUntilMs?.() ?? 0);
  const found = read ?? (isUnseen ? undefined : await watchAbsence(target));
  if (found !== undefined && resource.condition(found) === "deleting") {
    if ((await presenceOf(target)) === "there") throw contradiction(target);
    return;
  }
  if (found === undefined && !isUnseen) return;
  const { inputs } = stopped;
  const assumed = pick(props, Object.keys(inputs));
  let isProduction = false;
  const refuseStep: Refuse = (turn) =>
    refuse(turn).catch((error: unknown) => {
      isProduction = true;
      throw error;
    });
  const run = openRun(
    { ...target, stepMs: undefined, olds: {}, assumed, inputs, wanted: inputs, isNew: false, refuse: refuseStep },
    { observed: found },
  );
  try {
    await converge(run);
  } catch (error) {
    const { start, current } = run.progress;
    const isRefused = error instanceof RefusedError && start !== undefined && !isProduction;
    if (!isRefused || !stopped.isDespite(start, current?.operation)) throw error;
    context.warn(`${label} ${stopped.leftover(start)}: it is stopped, and ${error.message}`);
  }
  context.warn(
    `${label} was stopped and left in project ${scope.projectId} (onDelete: "stop"), and Pulumi no longer manages it. Its data stays, and you still pay for its storage. To manage it again, set \`adoptId: ${show(id)}\``,
  );
}
