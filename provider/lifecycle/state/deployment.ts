// Decides which deployment of the API an object belongs to. Another deployment may accept the same key and project but not
// have the object, or have another object with the same numeric id. The state keeps the addresses at which the object has
// answered. At any other address "gone" needs the proof of another object with such an address, and a change or delete needs
// the object itself.

import { placeOf } from "../../domain/config/address";
import { RefusedError } from "../../domain/errors";
import { shellWord } from "../../domain/values/printable";
import { isEqual, textOf, type Values } from "../../domain/values/value";
import { isDeleted, presenceOf } from "../session/confirmation";
import type { Memory } from "../view/runView";
import type { Observable, Scope, Target } from "../resources/resource";
import type { Session } from "../session/session";
import { shownBefore } from "./compare";
import { addressesOf, fieldsOf, isAsWanted } from "./state";

/** How long the proof of "gone" waits for other reads of the process to end, and for further reads to begin. */
const LONGEST_WAIT_MS = 10_000;
const QUIET_MS = 1_000;
/** API: one answer may round the time of creation, and another may not. */
const SAME_INSTANT_MS = 1_000;

/** The API address of this session. */
export function addressOf({ config }: Pick<Session, "config">): string | undefined {
  return config.baseUrl === undefined ? undefined : placeOf(config.baseUrl);
}

/** Counts a read that is under way: until it ends, no other operation concludes that its object is gone. */
export async function countedRead<T>(memory: Memory, read: () => Promise<T>): Promise<T> {
  const mine = Symbol("read");
  memory.readsUnderWay.add(mine);
  try {
    return await read();
  } finally {
    memory.readsUnderWay.delete(mine);
  }
}

/** Confirms that the object exists and is the same, before a change or delete at an address where it never answered. */
export async function confirmObject(target: Target, state: Values): Promise<void> {
  const { resource, session, context, id, scope, deadlineMs } = target;
  if (isAtKnownAddress(session, state)) return;
  const item = await countedRead(context.memory, () => resource.reader(session, scope).get(id, { deadlineMs }));
  if (item !== undefined && !isDeleted(resource, item)) return confirmIdentity(target, state, item);
  // A wrong project, a missing permission or a proxy causes a specific error here.
  await presenceOf(target);
  await confirmAbsence(target, state);
}

/** An object read at another address must equal the object of the state in all inputs that never change. */
export function confirmIdentity(target: Target, state: Values, item: unknown): void {
  const { resource, session, context, scope, label } = target;
  if (!isAtKnownAddress(session, state) && !isSameObject(resource, state, item, scope)) {
    throw otherDeployment(
      session,
      state,
      `${label}: what has this id at ${addressOf(session)} is another ${resource.noun}`,
    );
  }
  // The object is at this address. So the state's other addresses belong to the same deployment.
  const current = addressOf(session);
  for (const recorded of addressesOf(state)) context.memory.sameDeployments.add(pairOf(recorded, current));
}

/** Called when a read does not find the object. Throws unless that proves that the object is gone. */
export async function confirmAbsence(target: Target, state: Values): Promise<void> {
  const { resource, session, label } = target;
  if (isAtKnownAddress(session, state) || (await isProvenSame(target, addressesOf(state)))) return;
  throw otherDeployment(session, state, `${label}: ${addressOf(session)} has no such ${resource.noun}`);
}

/** Old states name no address: every address counts as known. */
function isAtKnownAddress(session: Session, state: Values): boolean {
  const known = addressesOf(state);
  const current = addressOf(session);
  return known.length === 0 || current === undefined || known.includes(current);
}

function isSameObject(resource: Observable, state: Values, item: unknown, scope: Scope): boolean {
  const live = resource.live(item, scope);
  const shown = shownBefore(state);
  const recordedMs = Date.parse(textOf(state, "created") ?? "");
  const shownMs = resource.createdMs?.(item) ?? Number.NaN;
  if (Math.abs(recordedMs - shownMs) > SAME_INSTANT_MS) return false;
  return fieldsOf(resource)
    .filter(([, field]) => (field.change === "fixed" || field.change === "replaces") && field.keptAsAsked !== true)
    .filter(([key]) => state[key] !== undefined && live[key] !== undefined)
    .every(([key, field]) => isAsWanted(field, state[key], live[key]) || isEqual(shown[key], live[key]));
}

/** Whether another object with one of these addresses has answered here. The reads of a refresh run in parallel. */
async function isProvenSame({ session, context, deadlineMs }: Target, known: readonly string[]): Promise<boolean> {
  const { memory } = context;
  const { clock, pace } = session;
  const current = addressOf(session);
  const untilMs = Math.min(clock.now() + LONGEST_WAIT_MS, deadlineMs);
  let quietSinceMs = clock.now();
  for (;;) {
    if (known.some((recorded) => memory.sameDeployments.has(pairOf(recorded, current)))) return true;
    const nowMs = clock.now();
    if (memory.readsUnderWay.size > 0) quietSinceMs = nowMs;
    if (nowMs >= untilMs || nowMs - quietSinceMs >= QUIET_MS) return false;
    await clock.sleep(Math.min(pace.intervalMs, QUIET_MS));
  }
}

function pairOf(recorded: string, current: string | undefined): string {
  return `${recorded} ${current}`;
}

function otherDeployment(session: Session, state: Values, what: string): RefusedError {
  const [recorded] = addressesOf(state);
  return new RefusedError(
    `${what}, and the state knows it from ${recorded}: this may be another deployment; nothing was changed`,
    `If the address is wrong, set DBCLOUD_BASE_URL=${shellWord(recorded ?? "")}; otherwise run \`pulumi refresh\` without \`--target\`, which believes the new one once it finds another object of the stack there.`,
  );
}
