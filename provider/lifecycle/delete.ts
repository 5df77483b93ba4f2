// Delete: only what is unprotected, only what this run did not just take over, and done only when it is gone.

import { ApiError, ProviderError, RefusedError } from "../domain/errors";
import { textOf } from "../domain/value";
import { explainAbsence } from "./absentRoute";
import { seeOut } from "./aftermath";
import { stillBusy } from "./busy";
import { releaseClaim } from "./claims";
import { deadlineOf, type Context } from "./context";
import { labelOf } from "./create";
import { isDeleted, isGoneSince, whereabouts } from "./gone";
import { objectOf } from "./memory";
import { paced } from "./progress";
import type { Leaving, Resource, Values } from "./resource";
import type { Run } from "./run";
import { fateOf } from "./send";
import { visible } from "./state";
import { isPassing, nextPauseMs, waitFor } from "./wait";
import { isProtected } from "./wanted";

export async function remove<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: Context,
  id: string,
  props: Values,
): Promise<void> {
  const olds = visible(props);
  const label = labelOf(resource, olds, id);
  // Pulumi: with --target-replace the engine deletes "the old one" after the create took over that very object.
  const object = objectOf(resource, id);
  if (context.memory.adopted.has(object)) {
    context.warn(`${label} was taken over by this run and is kept`);
    return;
  }
  // The same, one run later: both "the old one" and the resource that took it over are in the state.
  const owners = context.memory.managed.get(object);
  if (owners !== undefined && !owners.has(props["__urn"])) {
    context.warn(`${label} belongs to another resource of this program and is kept`);
    return;
  }
  if (isProtected(olds)) throw protectedError(label);
  const session = context.session();
  const projectId = textOf(olds, "projectId") ?? (await session.projectId());
  const place = resource.place(olds, projectId);
  const deadlineMs = deadlineOf(session.clock, "delete", olds["timeouts"] as object, resource.deadlinesMs(olds));
  const run = { resource, context: paced(context, session.clock), session, id, place, label, deadlineMs };
  const { leave } = resource;
  if (olds["onDelete"] === "stop" && leave !== undefined) {
    await session.locks.run(resource.lock(id, place), () => leaveBehind(run, leave));
  } else {
    await removeAndWait(run);
    context.memory.removed.add(object);
  }
  releaseClaim(context.memory, object);
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

async function leaveBehind<Inputs extends object, Observed>(
  run: Removal<Inputs, Observed>,
  leave: (leaving: Leaving<Observed>) => Promise<void>,
): Promise<void> {
  const { resource, session, id, place, deadlineMs } = run;
  const found = await resource.view(session, place).look(id, { deadlineMs });
  if (found !== undefined && resource.condition(found) !== "gone") return leave({ ...run, found });
  const where = await whereabouts(resource, session, id, place, deadlineMs);
  if (where === "there") throw contradiction(run);
}

/** Done only when it is gone. Busy and in use are waited out, without the lock: whoever leaves may need it. */
async function removeAndWait<Inputs extends object, Observed>(run: Removal<Inputs, Observed>): Promise<void> {
  const { resource, context, session, id, place, deadlineMs } = run;
  const operation = resource.deleteOperation;
  const startedMs = session.clock.now();
  let status: string | undefined;
  context.progress(`${operation}: ${run.label}`);
  for (;;) {
    const refusal = await session.locks.run(resource.lock(id, place), () => tryRemoval(run));
    if (refusal === undefined) return;
    const elapsedMs = session.clock.now() - startedMs;
    if (startedMs + elapsedMs >= deadlineMs) {
      throw stillBusy({ operation, label: run.label, cause: refusal, status, elapsedMs });
    }
    context.progress(`${operation}: ${refusal.apiMessage ?? "busy"}; waiting`);
    status = (await waitWhileBusy(run, startedMs)) ?? status;
  }
}

/** Sends the delete once and sees it through; answers the refusal of a server that is busy. */
async function tryRemoval<Inputs extends object, Observed>(
  run: Removal<Inputs, Observed>,
): Promise<ApiError | undefined> {
  const { resource, context, session, id, place, deadlineMs } = run;
  const view = resource.view(session, place);
  view.changed(id);
  try {
    await resource.remove(session, id, place, { deadlineMs, report: context.progress });
  } catch (error) {
    if (error instanceof ApiError && fateOf(error) === "busy") return error;
    const isMissing = error instanceof ApiError && error.category === "notFound";
    const where = isMissing ? await whereabouts(resource, session, id, place, deadlineMs) : "there";
    if (where === "there") throw await explainAbsence(run, resource.deleteOperation, error);
  } finally {
    view.changed(id);
  }
  const sinceMs = session.clock.now();
  await seeOut(run, (report) => waitUntilGone(run, sinceMs, report));
  return undefined;
}

async function waitUntilGone<Inputs extends object, Observed>(
  run: Removal<Inputs, Observed>,
  sinceMs: number,
  report: (line: string) => void,
): Promise<void> {
  const { resource, session, id, place, label, deadlineMs } = run;
  for (;;) {
    const last = await waitFor(
      resource.view(session, place),
      {
        what: resource.deleteOperation,
        label,
        id,
        deadlineMs,
        first: "own",
        isGoneDone: true,
        report,
        judge: (item) => (isDeleted(resource, item) ? { is: "done" } : { is: "pending", seen: progressOf(run, item) }),
      },
      session.pace,
    );
    if (last !== undefined || (await isGoneSince(resource, session, id, place, { sinceMs, deadlineMs }))) return;
    if (session.clock.now() >= deadlineMs) throw contradiction(run);
    await session.clock.sleep(session.pace.intervalMs);
  }
}

function progressOf<Inputs extends object, Observed>({ resource }: Removal<Inputs, Observed>, item: Observed): string {
  const status = resource.statusOf(item);
  return resource.condition(item) === "gone" ? status : `still ${status}`;
}

function contradiction<Inputs extends object, Observed>({ resource, label }: Removal<Inputs, Observed>): ProviderError {
  return new ProviderError(
    "API",
    `${resource.deleteOperation} of ${label}: asked for it alone, the server says that it is gone, but its list still has it; it stays in the state`,
    "Run the same command again.",
  );
}

/** Until it has settled; of a status that does not say when that is, only for a while. Answers the last one seen. */
async function waitWhileBusy<Inputs extends object, Observed>(
  { resource, session, id, place, deadlineMs }: Removal<Inputs, Observed>,
  sinceMs: number,
): Promise<string | undefined> {
  const { clock, pace } = session;
  const view = resource.view(session, place);
  const untilMs = Math.min(clock.now() + pace.intervalMaxMs, deadlineMs);
  let status: string | undefined;
  do {
    const pauseMs = Math.min(nextPauseMs(clock.now() - sinceMs, pace), Math.max(0, deadlineMs - clock.now()));
    const item = await lookOrNothing(() => view.next(id, pauseMs, deadlineMs));
    status = item === undefined ? status : resource.statusOf(item);
    if (item === undefined || resource.condition(item) !== "pending") return status;
  } while (clock.now() < untilMs);
  return status;
}

async function lookOrNothing<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!isPassing(error)) throw error;
    return undefined;
  }
}
