// Delete: only what is unprotected, only what this run did not just take over, and done only when it is gone.

import { ApiError, RefusedError } from "../domain/errors";
import { deadlineOf, type Context } from "./context";
import { textOf } from "../domain/value";
import { explainAbsence, fateOf, type Run } from "./converge";
import { labelOf } from "./create";
import { releaseClaim } from "./exactlyOnce";
import { isReallyGone } from "./gone";
import type { Resource, Values } from "./resource";
import { visible } from "./state";
import { isProtected } from "./wanted";
import { waitFor } from "./wait";

export async function remove<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: Context,
  id: string,
  props: Values,
): Promise<void> {
  const olds = visible(props);
  const label = labelOf(resource, olds, id);
  // Pulumi: with --target-replace the engine deletes "the old one" after the create took over that very object.
  if (context.memory.adopted.has(id)) {
    context.warn(`${label} was taken over by this run and is kept`);
    return;
  }
  if (isProtected(olds)) throw protectedError(label);
  const session = context.session();
  const projectId = textOf(olds, "projectId") ?? (await session.projectId());
  const place = resource.place(olds, projectId);
  const deadlineMs = deadlineOf(session.clock, "delete", olds["timeouts"] as object, resource.deadlinesMs(olds));
  const run = { resource, context, session, id, place, label, deadlineMs };
  if (olds["onDelete"] === "stop" && resource.leave !== undefined) {
    const { leave } = resource;
    await session.locks.run(resource.lock(id, place), () => leave(run, olds));
  } else await removeAndWait(run);
  releaseClaim(context.memory, id);
}

function protectedError(label: string): RefusedError {
  return new RefusedError(
    `${label} is protected against deletion (deletionProtection is stored as true); nothing was deleted`,
    "To really delete it, set `deletionProtection: false`, run `pulumi up`, then delete or destroy. To only forget it, use `pulumi state delete` or `retainOnDelete`.",
  );
}

type Removal<Inputs extends object, Observed> = Pick<
  Run<Inputs, Observed>,
  "resource" | "context" | "session" | "id" | "place" | "label" | "deadlineMs"
>;

async function removeAndWait<Inputs extends object, Observed>(run: Removal<Inputs, Observed>): Promise<void> {
  const { resource, context, session, id, place, label, deadlineMs } = run;
  context.progress(`${resource.deleteOperation}: ${label}`);
  if (await sendRemoval(run)) return;
  await waitFor(
    resource.view(session, place),
    {
      what: resource.deleteOperation,
      label,
      id,
      deadlineMs,
      isGoneDone: true,
      report: context.progress,
      judge: (item) =>
        resource.statusOf(item).toUpperCase() === "DELETED"
          ? { is: "done" }
          : { is: "pending", seen: progressOf(resource, item) },
    },
    session.pace,
  );
}

function progressOf<Inputs extends object, Observed>(resource: Resource<Inputs, Observed>, item: Observed): string {
  const status = resource.statusOf(item);
  return resource.condition(item) === "gone" ? status : `still ${status}`;
}

/** True when it was gone before; false when the server has taken the delete. Busy and in use are waited out. */
async function sendRemoval<Inputs extends object, Observed>(run: Removal<Inputs, Observed>): Promise<boolean> {
  const { resource, context, session, id, place, deadlineMs } = run;
  const view = resource.view(session, place);
  for (;;) {
    try {
      view.changed(id);
      // The lock is held for the call alone: what a delete waits for may need the same lock.
      await session.locks.run(resource.lock(id, place), () =>
        resource.remove(session, id, place, { deadlineMs, report: context.progress }),
      );
      view.changed(id);
      return false;
    } catch (error) {
      const isMissing = error instanceof ApiError && error.category === "notFound";
      if (isMissing && (await isReallyGone(resource, session, id, place, deadlineMs))) return true;
      if (fateOf(error) !== "busy" || session.clock.now() >= deadlineMs) {
        throw await explainAbsence(run, resource.deleteOperation, error);
      }
      const why = error instanceof ApiError ? (error.apiMessage ?? "busy") : "busy";
      context.progress(`${resource.deleteOperation}: ${why}; waiting`);
      await session.clock.sleep(session.pace.intervalMs);
    }
  }
}
