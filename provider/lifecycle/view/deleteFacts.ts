// Gathers the facts that decide a delete: first those of the state and the view of the run, then the live tag.

import { ApiError, messageOf } from "../../domain/errors";
import { formatDuration } from "../../domain/values/duration";
import type { Values } from "../../domain/values/value";
import type { Target, Context } from "../resources/resource";
import { CONFIRMATION, createAnswers, DOUBT_MS } from "../session/confirmation";
import { pauseAfter } from "../session/pace";
import { hasTag, isProduction, isProtectable } from "../state/protection";
import type { DeleteFacts, LiveTag } from "./decideDelete";
import { ELSEWHERE } from "./entry";
import type { Entry } from "./runView";

type Run = Pick<Context, "memory" | "identity" | "adopt">;

/**
 * The object that a create of the resource adopts by its own inputs, or that DBCLOUD_ADOPT names among its predecessors.
 * What `adoptId` brought in once is not adopted again: the successor of that object is a new one.
 */
export function adoptionOf({ memory: { view }, identity, adopt }: Run, { adoptId }: Values): string | undefined {
  const predecessors = view.predecessorsOf(identity).map(({ entry }) => entry);
  const named = predecessors.find(({ id }) => adopt.includes(id));
  if (named !== undefined || typeof adoptId !== "string") return named?.id;
  return predecessors.some((entry) => entry.id === adoptId && entry.adoptId === adoptId) ? undefined : adoptId;
}

/** The facts that need no request. */
export function factsOf(entry: Entry, run: Run): DeleteFacts {
  const { view } = run.memory;
  const { object, id, label, isLeft, isUnconfirmed, isProtectionOff, isRefusedByTag } = entry;
  const isRegistered = view.isRegistered(run.identity);
  const otherwise = view.protectionOf(object) === "protected" ? "otherEntry" : undefined;
  return {
    label,
    id,
    keeper: view.keeperOf(object),
    wanter: wanterOf(entry, run) ?? ownerWanter(entry, run),
    protectedBy: entry.protection === "protected" ? "entry" : otherwise,
    owner: ownerFact(entry, run),
    isLeft,
    isUnconfirmed,
    isRegistered,
    isReplacedFirst: false,
    isRefusedByTag,
    isProtectionOff,
  };
}

type Wanted = Pick<Entry, "object" | "label"> & Partial<Pick<Entry, "name">>;

/** The same name may be meant for another object: the successor of this one. */
function wanterOf({ object, label, name }: Wanted, { memory: { view }, adopt }: Run): DeleteFacts["wanter"] {
  const id = object.slice(object.indexOf("/") + 1);
  const isNamed = adopt.includes(id) || (!view.isHeld(object) && adopt.includes(name ?? id));
  const by = view.wanterOf(object) ?? (isNamed ? "DBCLOUD_ADOPT" : undefined);
  return by === undefined ? undefined : { by, label };
}

/** Whether the owner is to be adopted in this run: it then stays the same object, under another resource. */
export function isOwnerWanted({ owner }: Entry, run: Run): boolean {
  return owner !== undefined && wanterOf(owner, run) !== undefined;
}

/** A part goes before its owner, whose delete would then be refused. */
function ownerWanter({ owner }: Entry, run: Run): DeleteFacts["wanter"] {
  return owner === undefined || run.memory.view.isInUse(owner.object) ? undefined : wanterOf(owner, run);
}

/** A destroy deletes parts first, and handlers see one entry only: so the entry of a part has the protection of its owner. */
function ownerFact({ owner }: Entry, { memory: { view } }: Run): DeleteFacts["owner"] {
  if (owner === undefined || owner.mark === ELSEWHERE || view.isInUse(owner.object)) return undefined;
  const is = owner.mark ?? view.protectionOf(owner.object);
  const label = owner.label;
  if (is === "protected" || is === "unprotected") return { label, is };
  return { label, is: "byTag" };
}

/** The tag before each sending: it may have been set meanwhile, and another entry may have become protected. */
export async function readLiveTag(target: Target, facts: DeleteFacts): Promise<LiveTag | undefined> {
  const { resource, session, id, scope, deadlineMs } = target;
  const { owner } = resource;
  if (owner !== undefined && facts.owner?.is === "byTag") {
    return readTag(target, DOUBT_MS.unreadTag, () => owner.fetchIsProduction(session, scope, deadlineMs));
  }
  if (!isProtectable(resource)) return undefined;
  const isPatient = facts.isRefusedByTag && !facts.isProtectionOff;
  return readTag(target, isPatient ? DOUBT_MS.unreadTag : DOUBT_MS.unreadTagOfUnprotected, async () => {
    const item = await resource.reader(session, scope).fetch(id, deadlineMs);
    const live = item === undefined ? {} : resource.live(item, scope);
    return hasTag(resource, live) ? isProduction(resource, live) : undefined;
  });
}

/**
 * One wrong answer proves nothing: a failed read is repeated, and so is a read that shows no object or no tag (undefined).
 * Throws at once if the key is refused. Pauses that the server asks for have a limit of their own; the time in a queue does
 * not count. `patienceMs`: how long failed reads are repeated.
 */
async function readTag(
  { session: { clock, pace }, context, label, deadlineMs }: Target,
  patienceMs: number,
  read: () => Promise<boolean | undefined>,
): Promise<LiveTag | undefined> {
  const answers = createAnswers();
  const startedMs = clock.now();
  const limitsMs = { pause: DOUBT_MS.unreadTag, failure: patienceMs };
  let since: { pause?: number; failure?: number } = {};
  for (;;) {
    let pauseMs = pace.intervalMs;
    try {
      const answer = await read();
      if (answer !== undefined) return answer ? { is: "production" } : undefined;
      if (answers.isBelieved(answer, CONFIRMATION.noTag)) return undefined;
      since = {};
    } catch (error) {
      if (isRefusedKey(error)) throw error;
      pauseMs = pauseAfter(error, pauseMs);
      const is = asksForPause(error) ? "pause" : "failure";
      const isOver = clock.now() - (since[is] ??= clock.now()) >= limitsMs[is];
      if (isOver || clock.now() + pauseMs > deadlineMs) {
        const told = `for ${formatDuration(clock.now() - startedMs)} no read told whether the tag PROD protects it`;
        return { is: "unreadable", why: `${told} (${messageOf(error)})`, isTimeUp: !isOver };
      }
      context.progress(`${label}: no read tells yet whether the tag PROD protects it (${messageOf(error)}); waiting`);
    }
    // Rejects if the operation was aborted.
    await clock.sleep(pauseMs);
  }
}

function isRefusedKey(error: unknown): boolean {
  return error instanceof ApiError && (error.category === "auth" || error.category === "forbidden");
}

function asksForPause(error: unknown): boolean {
  return error instanceof ApiError && (error.category === "rate" || error.retryAfterMs !== undefined);
}
