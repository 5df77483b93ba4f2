// Creates exactly one object: a create reads the list before it posts, and after a lost answer it polls the list for the
// one new object. It never posts twice on a guess.

import { ApiError, ContractError, InputError, RefusedError, TransportError } from "../../domain/errors";
import { shellWord } from "../../domain/values/printable";
import { show } from "../../domain/values/value";
import { describeUnreadable, type Listed, type Unreadable, unreadableOf } from "../../domain/listed";
import { countRefusals, outcomeOf, serverMessageOf } from "../converge/busy";
import { DOUBT_MS } from "../session/confirmation";
import { allowsDuplicate, type CreateAttempt, remedy } from "./attempt";
import { idsOf, linesOf, NAME_ONE, pollForNew, type Posted } from "./existing";
import type { CallLimits, Created, Observable } from "../resources/resource";
import { readOrNothing } from "../converge/waiter";
import { objectOf } from "../state/state";

/** Maximum age of the list that shows what exists before a create. */
const OLDEST_LIST_MS = 2_000;
/** The same for a post that is sent again because the server refused it or was unreachable. */
const OLDEST_AT_REPEAT_MS = 30_000;

/** Ends a post that waited so long that another run may have created the object meanwhile. */
class LookAgain extends Error {}

/** The result of the read before a create: an object to adopt, or the list before the create. */
type Found = { adopt: unknown } | { before: Listed<unknown> };

/** Returns the new object, or an existing one that this run may adopt. Posts once. */
export async function findOrPost(attempt: CreateAttempt): Promise<{ found: unknown } | { created: Created }> {
  const { resource, context, session, inputs, scope, deadlineMs } = attempt;
  const operation = resource.createOperation(inputs);
  const startedMs = session.clock.now();
  const refusals = countRefusals(session);
  for (;;) {
    const found = await readBeforeCreate(attempt);
    if ("adopt" in found) return { found: found.adopt };
    const predecessorIds = attempt.predecessors.map(({ entry }) => entry.id);
    await resource.beforeCreate?.(session, inputs, scope, predecessorIds);
    const posted: Posted = { atMs: session.clock.now(), serverMs: session.client.serverTime() };
    context.progress(`${operation}: ${resource.identity(inputs, scope)}`);
    const confirm = confirming(attempt, operation, posted);
    const limits: CallLimits = { deadlineMs, report: context.progress, until: context.signal, confirm };
    try {
      const created = await resource.post(session, inputs, scope, limits);
      // The provider must not change or delete an older object.
      if (idsOf(resource, found.before).has(created.id)) {
        throw new ContractError(operation, `the answer has the id of one that was there before, ${created.id}`);
      }
      return { created };
    } catch (error) {
      if (error instanceof LookAgain) continue;
      const outcome = outcomeOf(error);
      if (error instanceof TransportError && outcome === "refused") refuseIfAborted(context.signal, operation);
      if (outcome === "unknown") return { created: await pollForNew(attempt, found.before, posted, error) };
      const { parent } = attempt;
      if (outcome !== "busy" || parent === undefined) throw error;
      const isTooEarly = error instanceof ApiError && error.category === "tooEarly";
      const untilMs = isTooEarly ? Math.min(startedMs + (parent.tooEarlyMs ?? 0), deadlineMs) : deadlineMs;
      if (posted.atMs >= untilMs || refusals.areForGood(error)) throw error;
      context.progress(`${operation}: ${serverMessageOf(error)}; waiting`);
      // A refused create changed nothing. Before the next attempt its parent must be idle, as far as a read shows.
      const isIdle = (inMs: number): Promise<boolean | undefined> =>
        readOrNothing(() => parent.isIdle({ inMs, deadlineMs: untilMs }));
      await refusals.waitUntilIdle(isIdle, { untilMs, deadlineMs: untilMs });
    }
  }
}

/** Called before each sending of one post. */
function confirming({ context, session }: CreateAttempt, operation: string, { atMs }: Posted): () => void {
  let isRepeat = false;
  return () => {
    refuseIfAborted(context.signal, operation);
    if (isRepeat && session.clock.now() - atMs > OLDEST_AT_REPEAT_MS) throw new LookAgain();
    isRepeat = true;
  };
}

/** After an abort the state would not record a new object, and another run may already be reading the list. */
function refuseIfAborted(signal: AbortSignal, operation: string): void {
  if (signal.aborted) throw new RefusedError(`${operation}: ${serverMessageOf(signal.reason)}; nothing was created`);
}

/** Reads the list before the post. An existing duplicate is adopted if the run allows that, and is an error otherwise. */
async function readBeforeCreate(attempt: CreateAttempt): Promise<Found> {
  const { resource, session, context, inputs, scope, deadlineMs } = attempt;
  const isDuplicateWanted = allowsDuplicate(inputs);
  const reader = resource.reader(session, scope);
  const shared = await reader.list({ maxAgeMs: Math.min(2 * session.pace.intervalMs, OLDEST_LIST_MS), deadlineMs });
  // An object in a shared list may have been renamed in the same run since.
  const isFree = duplicatesAmong(attempt, shared).length === 0 && unreadableAmong(attempt, shared).length === 0;
  if (isFree) return { before: shared };
  const before = await reader.list({ deadlineMs });
  const unownedNow = (): unknown[] =>
    duplicatesAmong(attempt, before).filter(
      (item) => context.memory.view.keeperOf(objectOf(resource, resource.idOf(item))) === undefined,
    );
  const { clock, pace } = session;
  const untilMs = isDuplicateWanted ? 0 : Math.min(clock.now() + DOUBT_MS.unregistered, deadlineMs);
  // The resource that has the object, or gives its name up, may be checked after this create has begun.
  while (unownedNow().length > 0 && clock.now() < untilMs) await clock.sleep(pace.intervalMs);
  const duplicates = duplicatesAmong(attempt, before);
  const unowned = unownedNow();
  const named = unowned.filter((item) => context.adopt.includes(resource.idOf(item)));
  const isAdoptedByName = context.adopt.some((name) => name === inputs["name"]);
  const meant = named.length > 0 || !isAdoptedByName ? named : unowned;
  const [first] = meant;
  if (first !== undefined && (meant.length === 1 || (named.length > 0 && isDuplicateWanted))) return { adopt: first };
  if (meant.length > 1) {
    throw new InputError("adoptId", `several fit, and nothing was created:\n${linesOf(attempt, meant)}`, NAME_ONE);
  }
  const [unreadable] = unreadableAmong(attempt, before);
  if (!isDuplicateWanted) {
    // The error names all of them, because an object of a lost answer may be among them.
    if (unowned.length > 0) {
      const ids = unowned.map((item) => resource.idOf(item));
      context.memory.view.refused(
        context.identity,
        ids.map((id) => objectOf(resource, id)),
      );
      throw taken(attempt, describeAll(attempt, unowned), goOn(resource, ids));
    }
    if (duplicates.length > 0) {
      const what = `${describeAll(attempt, duplicates)}, which is another resource of this program`;
      throw taken(attempt, what, remedy(resource));
    }
    if (unreadable !== undefined) {
      const what = `a ${resource.noun} that cannot be read: ${describeUnreadable(unreadable)}`;
      const hint = resource.isNamed ? "Give yours another `name`." : "It cannot be adopted as long as that is so.";
      throw taken(attempt, what, hint);
    }
  } else if (unowned.length > 0) {
    context.warn(
      `there is already ${describeAll(attempt, unowned)}, and one more is made (\`allowDuplicateName\`); \`pulumi-dbcloud drift --all-stacks\` names what no stack holds`,
    );
  }
  return { before };
}

function duplicatesAmong(attempt: CreateAttempt, items: readonly unknown[]): unknown[] {
  const { resource, inputs } = attempt;
  return items.filter((item) => {
    if (!resource.isDuplicate(inputs, item) || resource.condition(item) === "deleting") return false;
    return !makesRoom(attempt, resource.idOf(item));
  });
}

/** Unreadable items with the name. Each counts as a duplicate. */
function unreadableAmong(attempt: CreateAttempt, items: readonly unknown[]): Unreadable[] {
  const wanted = attempt.resource.nameOf(attempt.inputs);
  return unreadableOf(items).filter(({ id, name }) => name === wanted && (id === undefined || !makesRoom(attempt, id)));
}

/** Whether this run deletes or has deleted the object, or gives it another name. */
function makesRoom({ resource, context, inputs, scope, predecessors }: CreateAttempt, id: string): boolean {
  const { view } = context.memory;
  const object = objectOf(resource, id);
  // The delete of what the new one replaces follows. Pulumi: but data that the program's own `diff` did not give up may have
  // been left by an interrupted run (`retainOnDelete` with `deleteBeforeReplace`).
  const isDeletedNext = predecessors.some(
    ({ entry, by }) => entry.id === id && (by !== "program" || resource.holdsData !== true),
  );
  if (isDeletedNext || view.isReplaced(object) || view.isRemoved(object)) return true;
  return view.isGivenUp(object, resource.identity(inputs, scope));
}

function taken({ resource }: CreateAttempt, what: string, hint: string): InputError {
  return new InputError(resource.isNamed ? "name" : "adoptId", `there is already ${what}; nothing was created`, hint);
}

function describeAll({ resource, session }: CreateAttempt, items: readonly unknown[]): string {
  return items.map((item) => resource.describe(item, session.client.serverTime())).join(" and ");
}

/** A handler cannot tell an interrupted create from a forced replacement or another stack's object. Adopting destroys nothing. */
function goOn(resource: Observable, ids: readonly string[]): string {
  const [id = ""] = ids;
  const named = ids.length === 1 ? `DBCLOUD_ADOPT=${shellWord(id)}` : "DBCLOUD_ADOPT and that id";
  const other = resource.isNamed ? "give yours another `name`" : "set the resource option `deleteBeforeReplace: true`";
  return `To go on with it, which no other stack may hold, set \`adoptId: ${ids.map(show).join(" or ")}\`, or run once with ${named}, without \`--replace\`; for a new and EMPTY one, ${other}. By the case: docs/reliability-details.md, "A name that is taken".`;
}
