// Handles a create whose answer was lost, in the run that sent it (what the next run knows: `sentCreates.ts`): watches the lists for a limited time, also once something shows, because another
// object may show sooner than the one that the create made. Names what is new, takes nothing, and never sends it again.

import {
  answerIn,
  ContractError,
  messageOf,
  OutcomeUnknownError,
  ProviderError,
  readOrNothing,
} from "../domain/errors";
import { describeUnreadable, type Unreadable, unreadableOf } from "../domain/listed";
import { formatDuration } from "../domain/values/duration";
import { shellWord } from "../domain/values/printable";
import { show } from "../domain/values/value";
import type { Reported } from "./reported";
import { betweenListsMs, doubtMs } from "./patience";
import { differencesOf, duplicateOf, isAsWanted, setByCreate } from "./compare";
import type { CreateAttempt } from "./operation";
import { objectOf } from "./state";
import { until } from "./wait";

/** API: a server tells its time in whole seconds, its machines may differ a little, and some servers do not tell it. */
const CLOCK_SKEW_MS = 10_000;

/** When a create was sent: by the clock of this process, and by the time of the server. */
export interface Posted {
  atMs: number;
  serverMs: number;
}

interface LostCreate {
  before: readonly Reported[];
  posted: Posted;
  cause: unknown;
  /** Is told the ids that the error names. */
  named: (ids: readonly string[]) => void;
}

const idsByList = new WeakMap<readonly Reported[], ReadonlySet<string>>();

/** The ids of all items of a list, readable or not. Many creates share a list. */
export function idsOf(list: readonly Reported[]): ReadonlySet<string> {
  const known = idsByList.get(list);
  if (known !== undefined) return known;
  const hidden = unreadableOf(list).flatMap(({ id }) => (id === undefined ? [] : [id]));
  const ids = new Set([...list.map((item) => item.id), ...hidden]);
  idsByList.set(list, ids);
  return ids;
}

export async function reportLost(attempt: CreateAttempt, { before, posted, cause, named }: LostCreate): Promise<never> {
  const { resource, session, context, inputs, deadlineMs } = attempt;
  const { clock, client } = session;
  const lostMs = clock.now();
  const call = { fromMs: posted.serverMs, toMs: posted.serverMs + lostMs - posted.atMs };
  const windowMs = doubtMs(session, "shownLate");
  context.progress(
    `${resource.createOperation(inputs)}: ${whatCame(cause)}; watching the list to see whether it was created`,
  );
  // What only some of the lists show is there as well.
  const shown = new Map<string, Reported>();
  const unreadable = new Map<string | undefined, Unreadable>();
  const idsBefore = idsOf(before);
  const found = (): { fresh: Reported[]; hidden: Unreadable[] } => ({
    fresh: [...shown.values()].filter((item) => isNew(attempt, item)),
    hidden: [...unreadable.values()].filter(({ id = "" }) => !idsBefore.has(id) && !shown.has(id)),
  });
  let endMs = deadlineMs;
  const pauseMs = (): number => Math.min(betweenListsMs(session, "shownLate"), endMs - clock.now());
  const watching = until(clock, { untilMs: deadlineMs, pauseMs }, async () => {
    const list = await readOrNothing(() => listSince(attempt, lostMs));
    if (list !== undefined) endMs = Math.min(endMs, clock.now() + windowMs);
    for (const item of list ?? []) shown.set(item.id, item);
    for (const item of unreadableOf(list ?? [])) unreadable.set(item.id, item);
    const { fresh, hidden } = found();
    named([...fresh, ...hidden].flatMap(({ id }) => id ?? []));
    return clock.now() >= endMs;
  });
  // Also the end of the operation leaves the outcome unknown.
  await watching.catch((error: unknown) => {
    throw unknown(attempt, cause, `and its outcome could not be read: ${messageOf(error)}`, RUN_AGAIN);
  });
  const { fresh, hidden } = found();
  if (fresh.length + hidden.length === 0) {
    const watched = formatDuration(clock.now() - posted.atMs);
    throw unknown(attempt, cause, `and no new object like it has appeared in the list within ${watched}`, RUN_AGAIN);
  }
  const lines = [
    ...fresh.map((item) => `  ${item.describe(client.serverTime())}: ${evidenceOf(attempt, item, call)}`),
    ...hidden.map((item) => `  cannot be read: ${describeUnreadable(item)}`),
  ];
  const ids = fresh.map((item) => item.id);
  const hint = ids.length === 0 ? RUN_AGAIN : `If it is yours, adopt it: ${howToAdopt(attempt, ids)}.`;
  throw unknown(attempt, cause, `and so far this is new:\n${lines.join("\n")}`, hint);
}

/** What speaks for and against the object as the one that the call made. A time that is not shown says nothing. */
function evidenceOf(
  { resource, inputs }: CreateAttempt,
  item: Reported,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): string {
  const live = item.live();
  const sent = Object.entries(setByCreate(resource, inputs)).filter(([key]) => (live[key] ?? null) !== null);
  const others = new Set([
    ...sent.filter(([key, value]) => !isAsWanted(resource.fields[key], value, live[key])).map(([key]) => key),
    ...differencesOf(resource, inputs, item).map(({ property }) => property),
  ]);
  const createdMs = Date.parse(item.created ?? "");
  const isWithin = createdMs >= fromMs - CLOCK_SKEW_MS && createdMs <= toMs + CLOCK_SKEW_MS;
  const time = Number.isNaN(createdMs) ? "" : `${isWithin ? "" : "not "}created within the call, `;
  return time + (others.size === 0 ? "equals the request" : `differs from the request in ${[...others].join(", ")}`);
}

/** Concurrent polls share a list that began after the answer was lost. */
function listSince(
  { resource, session, scope, deadlineMs }: CreateAttempt,
  lostMs: number,
): Promise<readonly Reported[]> {
  const halfPauseMs = session.pace.intervalMs / 2;
  const shared = session.clock.now() - lostMs > halfPauseMs ? { maxAgeMs: halfPauseMs } : {};
  return resource.reader(session, scope).list({ ...shared, deadlineMs });
}

/** One of this name that was there before is held by this program, because every other one has refused the create. */
function isNew({ resource, context, inputs, scope }: CreateAttempt, item: Reported): boolean {
  const { isOfProgram } = context.memory.view.claimsOn(objectOf(resource, item.id, scope.projectId));
  return !isOfProgram && item.condition !== "deleting" && duplicateOf(resource, inputs)(item);
}

export const RUN_AGAIN =
  "Check the console, then run `pulumi up` again: it waits until an accepted create must have shown, looks before it creates, and names what it finds. Where PULUMI_HOME is not kept between runs, wait for two minutes first.";

/** Both ways to adopt one of these. */
export function howToAdopt({ context }: CreateAttempt, ids: readonly string[]): string {
  const word = `${context.identity?.name ?? "NAME"}=${ids.length === 1 ? ids.join() : "ID"}`;
  return `set \`adoptId: ${ids.map(show).join(" or ")}\`, or DBCLOUD_ADOPT=${shellWord(word)} for one run`;
}

function unknown(
  { resource, inputs, scope }: CreateAttempt,
  cause: unknown,
  what: string,
  hint: string,
): OutcomeUnknownError {
  const object = `${resource.noun} ${resource.identity(inputs, scope)}`;
  const remedy = cause instanceof ProviderError && cause.hint !== undefined ? `${cause.hint}\n${hint}` : hint;
  return new OutcomeUnknownError(
    `${resource.createOperation(inputs)} of ${object}: ${whatCame(cause)}; its outcome is unknown, ${what}`,
    remedy,
  );
}

/** An answer that came is not lost: only what it means for the outcome is unknown. */
function whatCame(error: unknown): string {
  const said = answerIn(error);
  if (said !== undefined) return `the server answered ${said}`;
  return `the answer ${error instanceof ContractError ? "cannot be used" : "was lost"} (${messageOf(error)})`;
}
