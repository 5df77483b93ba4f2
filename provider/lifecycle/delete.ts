// Delete: only what is unprotected, only what no resource of the program goes on with, and done only when it is gone.

import { ApiError, ProviderError, RefusedError } from "../domain/errors";
import { explainAbsence } from "./absentRoute";
import { seeOut } from "./aftermath";
import { countRefusals, messageOf, type Refusals, stillBusy } from "./busy";
import { releaseClaim } from "./claims";
import { deadlineOf, type Context } from "./context";
import { labelOf } from "./create";
import { confirmObject } from "./deployment";
import { isDeleted, isGoneSince, whereabouts } from "./gone";
import { isKept, noteEntry } from "./held";
import { objectOf } from "./memory";
import { refuseWithOwner } from "./owner";
import { paced } from "./progress";
import type { Leaving, Member, Resource, Values } from "./resource";
import type { Run } from "./run";
import { fateOf } from "./send";
import type { Session } from "./session";
import { projectOf, unseenUntilOf, visible } from "./state";
import { isPassing, lookOrNothing, waitFor } from "./wait";
import { isProtected } from "./wanted";

/** So long may the look take that comes before a delete. */
const LOOK_LIMIT_MS = 10_000;

export async function remove<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: Context,
  id: string,
  props: Values,
): Promise<void> {
  const olds = visible(props);
  const label = labelOf(resource, olds, id);
  const object = objectOf(resource, id);
  noteEntry(context.memory, resource, id, olds);
  const keeper = keeperOf(context, object);
  if (keeper !== undefined) {
    context.warn(`${label} is kept: ${keeper}. Only this second entry for it leaves the state; nothing was deleted`);
    return;
  }
  if (isProtected(olds)) throw protectedError(label);
  refuseWithOwner(resource, context.memory, id, label, props);
  const session = context.session();
  const projectId = projectOf(olds) ?? (await session.projectId());
  const place = resource.place(olds, projectId);
  const deadlineMs = deadlineOf(session.clock, "delete", olds["timeouts"] as object, resource.deadlinesMs(olds));
  const isNewUntilMs = unseenUntilOf(props);
  const run = { resource, context: paced(context, session.clock), session, id, place, label, deadlineMs, isNewUntilMs };
  await confirmObject(resource, session, { id, place, label, state: props, deadlineMs });
  const { leave } = resource;
  if (olds["onDelete"] === "stop" && leave !== undefined) {
    await session.locks.run(resource.lock(id, place), () => leaveBehind(run, leave));
  } else {
    await refuseIfLiveIsProtected(run, props);
    await removeAndWait(run);
    context.memory.removed.add(object);
  }
  releaseClaim(context.memory, object);
}

/** Who goes on with the object that an entry of the state is to take along. */
function keeperOf({ memory }: Context, object: string): string | undefined {
  // Pulumi: after a forced replacement the engine deletes "the old one", though the create took over that very object.
  if (memory.adopted.has(object)) return "this run took it over";
  // Pulumi: one run later "the old one" is still to be deleted, beside the live entry with the same id.
  return isKept(memory, object) ? "a resource of this program goes on with it" : undefined;
}

function protectedError(label: string): RefusedError {
  return new RefusedError(
    `${label} is protected against deletion (deletionProtection is stored as true); nothing was deleted`,
    "To really delete it, set `deletionProtection: false`, run `pulumi up`, then delete or destroy. To only forget it, use `pulumi state delete` or `retainOnDelete`.",
  );
}

/**
 * Protection is judged by what is stored, and an entry can be out of date: of two entries for one object the other one
 * may have been protected since. A look tells of the tag, and gives the other entry's delete, which comes at the same
 * time, the time to say so.
 */
async function refuseIfLiveIsProtected<Inputs extends object, Observed>(
  { resource, context: { memory }, session, id, place, label, deadlineMs }: Removal<Inputs, Observed>,
  props: Values,
): Promise<void> {
  if (!("deletionProtection" in resource.fields)) return;
  const item = await soonOrNothing(session, resource.view(session, place).own(id, deadlineMs));
  if (memory.protectedObjects.has(objectOf(resource, id))) throw protectedByOther(label);
  if (item === undefined || props["environment"] === "PROD") return;
  const live: Values = { ...resource.live(item, place) };
  const isKnown = props["__version"] === undefined || props["environment"] !== undefined;
  if (isKnown && live["environment"] === "PROD") throw taggedSince(label);
}

function protectedByOther(label: string): RefusedError {
  return new RefusedError(
    `${label} has two entries in the state, and the other one is protected against deletion; nothing was deleted`,
    "Run `pulumi up`: the entry that is to be deleted leaves the state, and the object stays.",
  );
}

function taggedSince(label: string): RefusedError {
  return new RefusedError(
    `${label} has the environment tag PROD, which this entry of the state does not know; nothing was deleted`,
    "If it is to go, run `pulumi refresh`, which shows the tag, and then the same command again. If another resource of the state has the same id, run `pulumi up` instead: the object stays.",
  );
}

type Removal<Inputs extends object, Observed> = Pick<
  Run<Inputs, Observed>,
  "resource" | "context" | "session" | "id" | "place" | "label" | "deadlineMs" | "isNewUntilMs"
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
  const refusals = countRefusals(session.pace);
  let status: string | undefined;
  context.progress(`${operation}: ${run.label}`);
  for (;;) {
    const refusal = await session.locks.run(resource.lock(id, place), () => tryRemoval(run));
    if (refusal === undefined) return;
    const elapsedMs = session.clock.now() - startedMs;
    if (startedMs + elapsedMs >= deadlineMs) {
      throw stillBusy({ operation, label: run.label, cause: refusal, status, elapsedMs });
    }
    const members = (await lookOrNothing(async () => resource.members?.(session, id, place, deadlineMs))) ?? [];
    context.progress(`${operation}: ${messageOf(refusal)}${inItAre(members)}; waiting`);
    if (members.some(({ isMoving }) => isMoving)) refusals.explained();
    else if (isLeft(refusal, members) && elapsedMs < LEFT_MS) refusals.explained();
    else if (refusals.areForGood(refusal)) throw refusedForGood(run, refusal, members);
    const seen = await waitWhileBusy(run, refusals, startedMs);
    if (seen.wasUnsettled) refusals.explained();
    status = seen.status ?? status;
  }
}

/** API: what has left a VPC can keep it in use for some minutes more, and shows nowhere. */
const LEFT_MS = 5 * 60_000;

function isLeft(refusal: ApiError, members: readonly Member[]): boolean {
  return members.length === 0 && /\bin use\b/i.test(refusal.apiMessage ?? "");
}

function inItAre(members: readonly Member[]): string {
  return members.length === 0 ? "" : `; in it: ${members.map(({ words }) => words).join(", ")}`;
}

function refusedForGood<Inputs extends object, Observed>(
  { resource, label }: Removal<Inputs, Observed>,
  refusal: ApiError,
  members: readonly Member[],
): Error {
  if (members.length === 0) return refusal;
  return new RefusedError(
    `${resource.deleteOperation} of ${label}: ${refusal.message}; nothing was deleted, because this is in it and stays: ${members.map(({ words }) => words).join(", ")}`,
    `Take them out of it or delete them, then run the same command again; or keep it: take it out of the state with \`pulumi state delete\`.`,
  );
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
    // It was never seen, and may be there tomorrow.
    if (isMissing && session.clock.now() < (run.isNewUntilMs ?? 0)) return error;
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
    if (last !== undefined) return;
    const isGone = await isGoneSince(resource, session, id, place, { sinceMs, deadlineMs }).catch(orLater);
    if (isGone === true) return;
    if (session.clock.now() >= deadlineMs) throw isGone === false ? contradiction(run) : isGone;
    await session.clock.sleep(session.pace.intervalMs);
  }
}

/** Passing trouble is met again, or not, at the next look. */
function orLater(error: unknown): Error {
  if (error instanceof Error && isPassing(error)) return error;
  throw error;
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

/** Until it has settled; of a status that does not say when that is, only for a while. */
async function waitWhileBusy<Inputs extends object, Observed>(
  { resource, session, id, place, deadlineMs }: Removal<Inputs, Observed>,
  refusals: Refusals,
  sinceMs: number,
): Promise<{ status: string | undefined; wasUnsettled: boolean }> {
  const { clock, pace } = session;
  const view = resource.view(session, place);
  const untilMs = Math.min(clock.now() + pace.intervalMaxMs, deadlineMs);
  const host = resource.keptBusyBy?.(session, place);
  let status: string | undefined;
  let wasUnsettled = false;
  do {
    const pauseMs = Math.min(refusals.pauseMs(clock.now() - sinceMs), Math.max(0, deadlineMs - clock.now()));
    const [item, isHostIdle] = await Promise.all([
      lookOrNothing(() => view.next(id, pauseMs, deadlineMs)),
      lookOrNothing(async () => host?.isIdle(pauseMs, deadlineMs)),
    ]);
    status = item === undefined ? status : resource.statusOf(item);
    const isPending = item !== undefined && resource.condition(item) === "pending";
    if (!isPending && isHostIdle !== false) return { status, wasUnsettled };
    wasUnsettled = true;
  } while (clock.now() < untilMs);
  return { status, wasUnsettled };
}

/** What is broken must be deletable: what cannot be seen soon is not waited for. */
async function soonOrNothing<T>({ clock }: Session, look: Promise<T | undefined>): Promise<T | undefined> {
  const over = new AbortController();
  const limit = clock.sleep(LOOK_LIMIT_MS, over.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([look.catch(() => undefined), limit]);
  } finally {
    over.abort();
  }
}
