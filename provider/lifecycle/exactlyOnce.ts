// Exactly one: a create looks before it posts, claims its name within this process, and after an answer that was lost
// watches the list for the one new object. It never posts twice on a guess.

import {
  ApiError,
  ContractError,
  InputError,
  OutcomeUnknownError,
  type ProviderError,
  TransportError,
} from "../domain/errors";
import { formatDuration } from "../domain/duration";
import type { Context } from "./context";
import { fateOf } from "./converge";
import type { CallLimits, Created, Place, Resource } from "./resource";
import type { Memory, Session } from "./session";

/** A create under way. */
export interface Birth<Inputs extends object, Observed> {
  resource: Resource<Inputs, Observed>;
  context: Context;
  session: Session;
  inputs: Inputs;
  place: Place;
  deadlineMs: number;
  /** Two objects of one name are what the program wants. */
  allowsTwin: boolean;
}

/** What a create found: an object to take over, or the ids that were there before. */
export type Look<Observed> = { adopt: Observed } | { before: ReadonlySet<string> };

/** How long the list is watched for an object whose create lost its answer, from the first list that answers. */
const WATCH_MS = 60_000;
/** API: the server's clock and ours may differ. */
const CLOCK_SKEW_MS = 5 * 60_000;

export interface Claim {
  /** The create came to nothing: others may try. */
  release(): void;
  /** The create made this object, which holds the claim until it is deleted. */
  keep(id: string): void;
}

/** The claim on a name in this process; the second to ask is refused, in any interleaving. */
export function claim<Inputs extends object, Observed>(birth: Birth<Inputs, Observed>): Claim {
  const { resource, session, inputs, place, allowsTwin } = birth;
  const { claims } = session.memory;
  const words = resource.claim(inputs, place);
  if (allowsTwin) return { release: () => undefined, keep: () => undefined };
  const key = `${resource.kind}/${place.projectId}/${words}`;
  if (claims.has(key)) {
    throw new InputError(
      resource.isNamed ? "name" : "adoptId",
      `${resource.noun} ${words}: another resource of this program creates the same one; nothing was created`,
      twinHint(resource.isNamed),
    );
  }
  claims.set(key, "");
  return { release: () => claims.delete(key), keep: (id) => claims.set(key, id) };
}

/** A deleted object holds no name. */
export function releaseClaim(memory: Memory, id: string): void {
  for (const [key, holder] of memory.claims) if (holder === id) memory.claims.delete(key);
}

function twinHint(isNamed: boolean): string {
  return isNamed ? "Give one of them another `name`." : "Keep one of the two.";
}

/** Before posting: is it there already? Then it is taken over when the run says so, and an error otherwise. */
export async function lookBeforeCreate<Inputs extends object, Observed>(
  birth: Birth<Inputs, Observed>,
): Promise<Look<Observed>> {
  const { resource, session, context, inputs, place, allowsTwin, deadlineMs } = birth;
  const there = await resource.view(session, place).all({ maxAgeMs: session.config.pollIntervalMs, deadlineMs });
  const present = there.filter((item) => resource.condition(item) !== "gone");
  const twins = present.filter((item) => resource.isTwin(inputs, item) && !isOurs(session, resource.idOf(item)));
  const named = present.filter((item) => context.adopt.includes(resource.idOf(item)) && resource.isTwin(inputs, item));
  const [first] = named.length > 0 ? named : twins;
  if (first !== undefined && isAdoptable(birth, first)) {
    if (named.length === 0 && twins.length > 1) throw severalTwins(birth, twins);
    return { adopt: first };
  }
  if (first !== undefined && !allowsTwin) throw alreadyThere(birth, first);
  return { before: new Set(there.map((item) => resource.idOf(item))) };
}

/** Made by this process, or about to be replaced by it: not in the way of a create. */
function isOurs(session: Session, id: string): boolean {
  return session.memory.created.has(id) || session.memory.replacing.has(id);
}

function isAdoptable<Inputs extends object, Observed>(birth: Birth<Inputs, Observed>, item: Observed): boolean {
  const { resource, context, inputs } = birth;
  const name = (inputs as { name?: unknown }).name;
  return context.adopt.some((word) => word === resource.idOf(item) || (name !== undefined && word === name));
}

function alreadyThere<Inputs extends object, Observed>(
  { resource, session }: Birth<Inputs, Observed>,
  item: Observed,
): ProviderError {
  const id = resource.idOf(item);
  return new InputError(
    resource.isNamed ? "name" : "adoptId",
    `there is already ${resource.describe(item, session.clock.now())}, and this program does not know it; nothing was created`,
    [
      `If it is yours (an interrupted run may have made it), take it over: set \`adoptId: "${id}"\`, or run once with DBCLOUD_ADOPT=${id}.`,
      ...(resource.isNamed ? ["If it is somebody else's, give yours another `name`."] : []),
    ].join(" "),
  );
}

function severalTwins<Inputs extends object, Observed>(
  { resource, session }: Birth<Inputs, Observed>,
  twins: readonly Observed[],
): ProviderError {
  return new OutcomeUnknownError(
    `several fit:\n${twins.map((item) => `  ${resource.describe(item, session.clock.now())}`).join("\n")}`,
    "Say which one by its id: `adoptId`, or DBCLOUD_ADOPT for one run.",
  );
}

/** Posts once. A lost answer is followed by a watch of the list, never by a second post. */
export async function postOnce<Inputs extends object, Observed>(
  birth: Birth<Inputs, Observed>,
  before: ReadonlySet<string>,
): Promise<Created> {
  const { resource, session, context, inputs, place, deadlineMs } = birth;
  const limits: CallLimits = { deadlineMs, report: context.progress };
  const startedMs = session.clock.now();
  const operation = resource.createOperation(inputs);
  for (;;) {
    context.progress(`${operation}: ${resource.claim(inputs, place)}`);
    try {
      const created = await resource.post(session, inputs, place, limits);
      session.memory.created.add(created.id);
      return created;
    } catch (error) {
      const fate = fateOf(error);
      const patienceMs = isTooEarly(error) ? startedMs + (resource.tooEarlyMs ?? 0) : deadlineMs;
      const mayWait = resource.createLock?.(inputs, place) !== undefined;
      if (fate === "busy" && mayWait && session.clock.now() < Math.min(patienceMs, deadlineMs)) {
        context.progress(`${operation}: ${reasonOf(error)}; waiting`);
        await session.clock.sleep(session.pace.intervalMs);
        continue;
      }
      if (fate !== "open") throw error;
      return watchForNew(birth, before, startedMs, error);
    }
  }
}

function isTooEarly(error: unknown): boolean {
  return error instanceof ApiError && error.category === "tooEarly";
}

function reasonOf(error: unknown): string {
  return error instanceof ApiError ? (error.apiMessage ?? error.message) : String(error);
}

async function watchForNew<Inputs extends object, Observed>(
  birth: Birth<Inputs, Observed>,
  before: ReadonlySet<string>,
  startedMs: number,
  cause: unknown,
): Promise<Created> {
  const { resource, session, context, inputs, place, deadlineMs } = birth;
  const operation = resource.createOperation(inputs);
  const view = resource.view(session, place);
  context.progress(`${operation}: the answer was lost, watching the list for what became of it`);
  let untilMs: number | undefined;
  for (;;) {
    const there = await listOrNothing(() => view.all({ deadlineMs }), session, deadlineMs);
    if (there !== undefined) {
      untilMs ??= Math.min(session.clock.now() + WATCH_MS, deadlineMs);
      const fresh = there.filter((item) => isNew(birth, item, before, startedMs));
      if (fresh.length > 1) throw severalTwins(birth, fresh);
      const [only] = fresh;
      if (only !== undefined) {
        const id = resource.idOf(only);
        session.memory.created.add(id);
        context.warn(
          `${operation}: the answer was lost; ${resource.describe(only, session.clock.now())} is what it made, and is taken over`,
        );
        return { id };
      }
    }
    if (session.clock.now() >= (untilMs ?? deadlineMs)) throw nothingFound(birth, startedMs, cause);
    await session.clock.sleep(session.pace.intervalMs);
  }
}

/** Undefined while the list itself does not answer. */
async function listOrNothing<T>(list: () => Promise<T>, session: Session, deadlineMs: number): Promise<T | undefined> {
  try {
    return await list();
  } catch (error) {
    const isPassing = error instanceof TransportError || error instanceof ContractError || fateOf(error) === "open";
    if (!isPassing || session.clock.now() >= deadlineMs) throw error;
    return undefined;
  }
}

function isNew<Inputs extends object, Observed>(
  { resource, session, inputs }: Birth<Inputs, Observed>,
  item: Observed,
  before: ReadonlySet<string>,
  startedMs: number,
): boolean {
  const id = resource.idOf(item);
  if (before.has(id) || isOurs(session, id) || !resource.isTwin(inputs, item)) return false;
  const createdMs = resource.createdMs?.(item);
  return createdMs === undefined || createdMs >= startedMs - CLOCK_SKEW_MS;
}

function nothingFound<Inputs extends object, Observed>(
  { resource, session, inputs, place }: Birth<Inputs, Observed>,
  startedMs: number,
  cause: unknown,
): OutcomeUnknownError {
  const elapsed = formatDuration(session.clock.now() - startedMs);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new OutcomeUnknownError(
    `${resource.createOperation(inputs)} of ${resource.noun} ${resource.claim(inputs, place)}: the answer was lost (${why}), and nothing new has shown up in the list within ${elapsed}`,
    "Probably nothing was created. Look into the console once, then run `pulumi up` again: it looks before it posts, and names what it finds.",
  );
}
