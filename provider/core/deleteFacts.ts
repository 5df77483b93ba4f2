// Gathers the facts that decide a delete: first those of the state and the view of the run, then the live tag.

import type { Turn } from "../api/http/rate";
import { ApiError, isRefusal, messageOf, RefusedError } from "../domain/errors";
import { formatDuration } from "../domain/values/duration";
import type { Values } from "../domain/values/value";
import type { Context, Target } from "./operation";
import type { Unclear } from "./kind";
import { CONFIRMATION, createAnswers, DOUBT_MS } from "./patience";
import { confirmCreation, provePresence } from "./presence";
import { pauseAfter } from "./pace";
import { ELSEWHERE, isProtectable } from "./protection";
import type { DeleteFacts, LiveTag } from "./decideDelete";
import type { EntryFacts } from "./runLog";
import { parentIn } from "./state";
import { ask, afterPause } from "./wait";

type RunFacts = Pick<Context, "memory" | "identity" | "adopt">;

/**
 * The object that a create of the resource adopts. What `adoptId` brought in once is not adopted again: the successor of
 * that object is a new one.
 */
export function adoptionOf({ memory: { view }, identity, adopt }: RunFacts, inputs: Values): string | undefined {
  const said = idToAdopt(adopt, identity);
  const adoptId = said ?? inputs["adoptId"];
  if (typeof adoptId !== "string") return undefined;
  const old = view.resource(identity).predecessors.find((one) => one.id === adoptId);
  return said === undefined && old?.adoptId === adoptId ? undefined : adoptId;
}

/** The facts that need no request. */
export function factsOf(entry: EntryFacts, run: RunFacts): DeleteFacts {
  const { view } = run.memory;
  const { object } = entry;
  const isElsewhere = view.claimsOn(object).protection === "protected" || isProtectedByOther(entry, run);
  const elsewhere = isElsewhere ? "otherEntry" : undefined;
  const { isRegistered, isReader, isProtecting } = view.resource(run.identity);
  const otherwise = isProtecting ? "program" : elsewhere;
  return {
    ...entry,
    keeper: keeperOf(object, run),
    claimant: claimantOf(entry, run) ?? claimantOfOwner(entry, run),
    protectedBy: entry.protection === "protected" ? "entry" : otherwise,
    owner: ownerFact(entry, run),
    isRegistered,
    isReader,
    unshared: view.unshared(),
  };
}

/** By what a later run knows which entry protects an object that was adopted: it can have another one, under another provider. */
export function noteOfAdoption({ object, created }: EntryFacts): string {
  return `protected ${object} ${String(created)}`;
}

function isProtectedByOther(entry: EntryFacts, { memory, identity }: Omit<RunFacts, "adopt">): boolean {
  const key = memory.notes.read(noteOfAdoption(entry));
  return key !== undefined && key !== identity?.key;
}

/** `isAdopted`: by this operation. Otherwise only what was noted before is noted anew, as long as its entry is not another one. */
export function noteProtection(
  entry: EntryFacts,
  { memory, identity }: Omit<RunFacts, "adopt">,
  isAdopted: boolean,
): void {
  const { notes, view } = memory;
  const noted = notes.read(noteOfAdoption(entry));
  const isOthers =
    noted !== undefined && noted !== identity?.key && view.resource({ key: noted, name: "" }).isRegistered;
  if (identity === undefined || isOthers || (noted === undefined && !isAdopted)) return;
  notes.write(noteOfAdoption(entry), entry.protection === "protected" ? identity.key : undefined);
}

/** In words that end a sentence. */
function keeperOf(object: string, { memory: { view } }: RunFacts): string | undefined {
  const { keeper, reader } = view.claimsOn(object);
  if (keeper !== undefined) return `${keeper} of this program manages it`;
  return reader && `${reader} of this program reads it with \`get\``;
}

type Wanted = Pick<EntryFacts, "object" | "label">;

function claimantOf({ object, label }: Wanted, { memory: { view } }: RunFacts): DeleteFacts["claimant"] {
  const by = view.claimsOn(object).claimant;
  return by === undefined ? undefined : { by, label };
}

/** Whether the owner is to be adopted in this run: it then stays the same object, under another resource. */
export function isOwnerWanted({ owner }: EntryFacts, run: RunFacts): boolean {
  return owner !== undefined && claimantOf(owner, run) !== undefined;
}

/** A part goes before its owner, whose delete would then be refused. */
function claimantOfOwner({ owner }: EntryFacts, run: RunFacts): DeleteFacts["claimant"] {
  return owner === undefined || run.memory.view.claimsOn(owner.object).isInUse ? undefined : claimantOf(owner, run);
}

/** A destroy deletes parts first, and handlers see one entry only: so the entry of a part has the protection of its owner. */
function ownerFact({ owner }: EntryFacts, { memory: { view } }: RunFacts): DeleteFacts["owner"] {
  if (owner === undefined || owner.mark === ELSEWHERE) return undefined;
  const { isInUse, protection } = view.claimsOn(owner.object);
  if (isInUse) return undefined;
  const is = owner.mark ?? protection;
  const label = owner.label;
  if (is === "protected" || is === "unprotected") return { label, is };
  return { label, is: "byTag" };
}

/** Whether the object that was read is tagged as production; undefined where it shows no tag. */
type TagAnswer = boolean | "missing" | undefined;

/** What one read tells of the tag. Undefined: no tag PROD. */
type Reading = { is: "known"; tag: LiveTag | undefined } | Unclear;

/**
 * Reads whether the tag PROD protects an object, again and again until that is known. One wrong answer proves nothing: a
 * failed read is repeated, and so is a read that shows no object or no tag. Pauses that the server asks for have a limit of
 * their own; the time in a queue does not count. Throws at once if the key is refused.
 */
export function createTagReader(target: Target, entry: EntryFacts) {
  const { session, context, label, deadlineMs } = target;
  const { clock, pace } = session;
  const answers = createAnswers();
  const startedMs = clock.now();
  let spentMs = { pause: 0, failure: 0 };
  const unreadable = (why: string, isTimeUp: boolean): LiveTag => {
    const told = `for ${formatDuration(clock.now() - startedMs)} no read showed whether the tag PROD protects it`;
    return { is: "unreadable", why: `${told}${why}`, isTimeUp };
  };
  const tags = {
    /** One read, in the given turn. */
    async next(turn?: Turn): Promise<Reading> {
      const source = sourceOfTag(target, entry);
      if (source === undefined) return { is: "known", tag: undefined };
      const beganMs = clock.now();
      try {
        const answer = await source.read(turn);
        if (typeof answer === "boolean") return { is: "known", tag: answer ? { is: "production" } : undefined };
        const isBelieved = answers.isBelieved(answer, CONFIRMATION.noTag);
        // A moment in which the server does not show the object hides the tag, too.
        if (answer === "missing" && source.isPatient) return { is: "missing" };
        if (isBelieved) return { is: "known", tag: undefined };
        spentMs = { pause: 0, failure: 0 };
        return { is: "again", afterMs: pace.intervalMs };
      } catch (error) {
        if (isRefusal(error, "auth", "forbidden") || error instanceof RefusedError) throw error;
        const afterMs = pauseAfter(error, pace.intervalMs);
        const is = asksForPause(error) ? "pause" : "failure";
        spentMs[is] += clock.now() - beganMs;
        const isOver = spentMs.pause >= DOUBT_MS.endsByItself || spentMs.failure >= source.patienceMs;
        if (isOver || clock.now() + afterMs > deadlineMs)
          return { is: "known", tag: unreadable(` (${messageOf(error)})`, !isOver) };
        context.progress(
          `${label}: no read has shown yet whether the tag PROD protects it (${messageOf(error)}); waiting`,
        );
        // A server that is asked too often still answers: only the deadline ends that.
        if (!isRefusal(error, "rate")) spentMs[is] += afterMs;
        return { is: "again", afterMs };
      }
    },
    /** Reads until the tag is known. */
    read: (): Promise<LiveTag | undefined> =>
      ask<LiveTag | undefined>(clock, {
        untilMs: deadlineMs,
        pauseMs: () => 0,
        look: afterPause(clock, async () => {
          const reading = await tags.next();
          if (reading.is === "known") return { is: "yes", answer: reading.tag };
          if (reading.is === "again") return { is: "notYet", seen: "no tag", inMs: reading.afterMs };
          const presence = await provePresence(target);
          if (presence.is === "unproven") return { is: "never", error: presence.error };
          return presence.is === "none" ? { is: "yes", answer: undefined } : { is: "notYet", seen: "shown" };
        }),
        late: () => unreadable(", because they did not agree", true),
      }),
  };
  return tags;
}

/** Where the tag is read, how long failed reads are repeated, and whether a 404 may hide it; undefined if no tag decides. */
function sourceOfTag(
  { resource, session, context, id, scope, label, deadlineMs }: Target,
  entry: EntryFacts,
): { read: (turn?: Turn) => Promise<TagAnswer>; patienceMs: number; isPatient: boolean } | undefined {
  const { parent } = resource;
  if (parent?.isOwner && ownerFact(entry, context)?.is === "byTag") {
    const read = async (turn?: Turn): Promise<TagAnswer> => {
      const item = await parent.reader(session, scope).fetch(parentIn(scope, parent.key), deadlineMs, turn);
      return item === undefined ? "missing" : item.isProduction && item.condition !== "deleting";
    };
    return { read, patienceMs: DOUBT_MS.endsByItself, isPatient: true };
  }
  if (!isProtectable(resource)) return undefined;
  const isPatient = entry.tagProtects && !entry.mayGoUnread;
  return {
    patienceMs: isPatient ? DOUBT_MS.endsByItself : DOUBT_MS.unreadTagOfUnprotected,
    isPatient,
    async read(turn) {
      const item = await resource.reader(session, scope).fetch(id, deadlineMs, turn);
      if (item === undefined) return "missing";
      confirmCreation({ session, label, id }, entry.created, item);
      return item.isProduction;
    },
  };
}

function asksForPause(error: unknown): boolean {
  return error instanceof ApiError && error.retryAfterMs !== undefined;
}

/**
 * The words of DBCLOUD_ADOPT: `orders=svc123` is `adoptId: "svc123"` of the resource `orders`, for one run. Resources under
 * different parents can have one name: the URN stands for the name there. Names can have a "=".
 */
function idToAdopt(
  words: readonly string[],
  resource: { readonly key: string; readonly name: string } | undefined,
): string | undefined {
  const names = resource === undefined ? [] : [resource.key, resource.name];
  const [id] = names.flatMap((name) =>
    words.filter((word) => word.startsWith(`${name}=`)).map((word) => word.slice(name.length + 1)),
  );
  return id;
}
