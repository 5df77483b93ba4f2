// Which deployment of the API an object belongs to. Another one may know the same key and project and hold nothing, and
// a numeric id may name another object there. The state keeps the addresses at which the object has answered; at any
// other address "gone" counts only where an object of the same record is seen, and nothing is changed or deleted before
// the object itself is.

import { RefusedError } from "../../domain/errors";
import { textOf } from "../../domain/values/value";
import { isDeleted, presenceOf } from "../session/presence";
import type { Memory } from "./memory";
import type { Scope, Resource, Values } from "../resources/resource";
import type { Session } from "../session/session";
import { addressesOf, isAsWanted } from "./state";
import { fieldsOf } from "./wanted";

/** How long "gone" waits for the other reads of the process, and for further ones to begin. */
const LONGEST_WAIT_MS = 10_000;
const QUIET_MS = 1_000;
/** API: one answer may round the time of creation, another not. */
const SAME_INSTANT_MS = 1_000;

/** The address that this session asks, in one spelling and without credentials. */
export function addressOf({ config }: Pick<Session, "config">): string | undefined {
  const { baseUrl } = config;
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return undefined;
  const { protocol, host, pathname } = new URL(baseUrl);
  return `${protocol}//${host}${pathname.replace(/\/+$/, "")}`;
}

/** The object of this state is at the address of the session: so is whatever shares one of its other addresses. */
export function noteSeen(session: Session, state: Values): void {
  const here = addressOf(session);
  for (const there of addressesOf(state)) session.memory.sameDeployments.add(pairOf(there, here));
}

/** While somebody looks, nobody else concludes that everything is gone. */
export async function looking<T>(memory: Memory, look: () => Promise<T>): Promise<T> {
  const mine = Symbol("look");
  memory.looking.add(mine);
  try {
    return await look();
  } finally {
    memory.looking.delete(mine);
  }
}

export interface Known {
  id: string;
  scope: Scope;
  label: string;
  state: Values;
  deadlineMs: number;
}

/** Before a change or a delete at an address where the object was never seen: it must be there, and be the same. */
export async function confirmObject(resource: Resource, session: Session, known: Known): Promise<void> {
  if (isAtHome(session, known.state)) return;
  const { id, scope, deadlineMs } = known;
  const item = await looking(session.memory, () => resource.reader(session, scope).get(id, { deadlineMs }));
  if (item !== undefined && !isDeleted(resource, item)) return confirmIdentity(resource, session, known, item);
  // A wrong project, a missing right or a proxy has an error of its own.
  await presenceOf(resource, session, id, scope, deadlineMs);
  await confirmAbsence(resource, session, known);
}

/** What is seen at another address must be the object of the state in all that never changes. */
export function confirmIdentity(
  resource: Resource,
  session: Session,
  { label, scope, state }: Pick<Known, "label" | "scope" | "state">,
  item: unknown,
): void {
  if (!isAtHome(session, state) && !isSameObject(resource, state, item, scope)) {
    throw elsewhere(session, state, `${label}: what has this id at ${addressOf(session)} is another ${resource.noun}`);
  }
  noteSeen(session, state);
}

/** The object is not there. Throws where that says nothing, because the state knows the object from another address. */
export async function confirmAbsence(
  resource: Resource,
  session: Session,
  { label, state, deadlineMs }: Pick<Known, "label" | "state" | "deadlineMs">,
): Promise<void> {
  if (isAtHome(session, state) || (await isProvenSame(session, addressesOf(state), deadlineMs))) return;
  throw elsewhere(session, state, `${label}: ${addressOf(session)} has no such ${resource.noun}`);
}

/** Old states name no address: they are judged as they always were. */
function isAtHome(session: Session, state: Values): boolean {
  const known = addressesOf(state);
  const here = addressOf(session);
  return known.length === 0 || here === undefined || known.includes(here);
}

function isSameObject(resource: Resource, state: Values, item: unknown, scope: Scope): boolean {
  const live = resource.live(item, scope);
  const bornMs = Date.parse(textOf(state, "created") ?? "");
  const shownMs = resource.createdMs?.(item) ?? Number.NaN;
  if (Math.abs(bornMs - shownMs) > SAME_INSTANT_MS) return false;
  return fieldsOf(resource)
    .filter(([, field]) => (field.change === "fixed" || field.change === "replaces") && field.keptAsAsked !== true)
    .filter(([key]) => state[key] !== undefined && live[key] !== undefined)
    .every(([key, field]) => isAsWanted(field, state[key], live[key]));
}

/** Another object with one of these addresses has been seen here. The reads of a refresh run side by side. */
async function isProvenSame(session: Session, known: readonly string[], deadlineMs: number): Promise<boolean> {
  const { clock, memory, pace } = session;
  const here = addressOf(session);
  const untilMs = Math.min(clock.now() + LONGEST_WAIT_MS, deadlineMs);
  let quietSinceMs = clock.now();
  for (;;) {
    if (known.some((there) => memory.sameDeployments.has(pairOf(there, here)))) return true;
    const nowMs = clock.now();
    if (memory.looking.size > 0) quietSinceMs = nowMs;
    if (nowMs >= untilMs || nowMs - quietSinceMs >= QUIET_MS) return false;
    await clock.sleep(Math.min(pace.intervalMs, QUIET_MS));
  }
}

function pairOf(there: string, here: string | undefined): string {
  return `${there} ${here}`;
}

function elsewhere(session: Session, state: Values, what: string): RefusedError {
  const [there] = addressesOf(state);
  return new RefusedError(
    `${what}, and the state knows it from ${there}: this may be another deployment; nothing was concluded or changed`,
    `If the address is wrong, set DBCLOUD_BASE_URL=${there}. If both are one deployment, run \`pulumi refresh\`: it believes that as soon as it sees another object of the stack at ${addressOf(session)}. What is really gone, and was the last of its stack, leaves the state with \`pulumi state delete\`.`,
  );
}
