// Create: creates exactly one object, saves its id before anything else can fail, then converges it as an update does.

import { InputError, OutcomeUnknownError } from "../../domain/errors";
import { textOf, type Values } from "../../domain/values/value";
import { adoptObject } from "../create/adoption";
import { reserveName, reservationKey } from "../create/nameReservation";
import { DOUBT_MS } from "../session/confirmation";
import type { Context } from "../session/context";
import { openOperation, type OpenOperation } from "./operation";
import { converge } from "../converge/converge";
import { addressOf } from "../state/deployment";
import type { CreateAttempt } from "../create/attempt";
import { findOrPost } from "../create/findOrPost";
import { idIn, objectOf, type Predecessor } from "../state/memory";
import { asPartial } from "../converge/partial";
import { waitUntilAccepting, withAddress } from "../converge/accepting";
import { markOfNew, noteOwner, noteProtection } from "../state/owner";
import type { Changeable } from "../resources/change";
import { type Observable, labelOf } from "../resources/observation";
import type { Creatable, Created } from "../resources/creation";
import { openRun, type Run } from "../converge/run";
import { inputKeys, projectOf, visible, writeState } from "../state/state";
import { refusedReplacement, refuseIfReplacedIsProduction, storedProtection } from "../state/protection";
import { everythingWanted } from "../state/wanted";

export async function create(
  resource: Creatable & Changeable,
  given: Context,
  raw: Values,
): Promise<{ id: string; outs: Values }> {
  const inputs = visible(raw);
  const opened = await openOperation(resource, given, "create", inputs);
  const { session, context, scope, deadlineMs, stepMs } = opened;
  noteOwner(resource, context.memory, inputs);
  const predecessors = predecessorsOf(context);
  refuseReplacement(resource, context, inputs, predecessors);
  await refuseTaggedPredecessor(resource, opened, predecessors);
  const adoptId = adoptionOf(resource, context, inputs, predecessors);
  const parent = adoptId === undefined ? resource.createParent?.(session, inputs, scope) : undefined;
  const begin = (): CreateAttempt => ({
    resource,
    context,
    session,
    inputs,
    scope,
    // The deadline does not include the time spent waiting for the lock.
    deadlineMs: deadlineMs(),
    stepMs,
    parent,
    predecessorIds: [...predecessors.keys()].map(idIn),
  });
  const obtain: Obtain = adoptId === undefined ? posting(resource, opened, inputs) : adopting(adoptId);
  const object = await obtainAndConverge(begin, obtain, raw);
  return finish(object, raw);
}

/** Pulumi: `replaceOnChanges` and `--replace` replace objects that `diff` would have changed in place or left unchanged. */
function predecessorsOf({ memory, identity }: Context): ReadonlyMap<string, Predecessor> {
  return (identity === undefined ? undefined : memory.predecessors.get(identity.key)) ?? new Map<string, Predecessor>();
}

/** A protected object is not replaced. An object that is to be replaced cannot be adopted by its own replacement. */
function refuseReplacement(
  resource: Observable,
  { memory, adopt }: Context,
  inputs: Values,
  predecessors: ReadonlyMap<string, Predecessor>,
): void {
  for (const [object, predecessor] of predecessors) {
    const id = idIn(object);
    const { label } = predecessor;
    if (predecessor.isProtected) throw refusedReplacement(label);
    const isForced = !predecessor.isHeld && !memory.replacing.has(object);
    const isMeant = adopt.includes(id) || (isForced && textOf(inputs, "adoptId") === id);
    if (isMeant) throw adoptedAndReplaced(label);
  }
}

/** The state may not know the tag of the object that this create replaces. Its delete would read the tag, too late. */
async function refuseTaggedPredecessor(
  resource: Observable,
  { session, context, deadlineMs }: OpenOperation,
  predecessors: ReadonlyMap<string, Predecessor>,
): Promise<void> {
  for (const [object, { label, isRefusedByTag, isProtectionOff, located }] of predecessors) {
    if (!isRefusedByTag || context.memory.removed.has(object)) continue;
    const scope = resource.scope(located, projectOf(located) ?? (await session.projectId()));
    const target = { resource, session, context, id: idIn(object), scope, label, deadlineMs: deadlineMs() };
    await refuseIfReplacedIsProduction(target, isProtectionOff);
  }
}

function adoptedAndReplaced(label: string): InputError {
  return new InputError(
    "adoptId",
    `${label} is this resource's own object, and this run is to replace it: it cannot be adopted by its own replacement; nothing was created`,
    "To keep it, run again without `--refresh`, `--replace`, `--target-replace` and DBCLOUD_ADOPT (after `pulumi state taint`: `pulumi state untaint`). To replace it, drop the adoption.",
  );
}

/** `adoptId` has an effect only at a create. The replacement of the object that it named creates a new object. */
function adoptionOf(
  resource: Observable,
  { memory, identity }: Context,
  inputs: Values,
  predecessors: ReadonlyMap<string, Predecessor>,
): string | undefined {
  const adoptId = textOf(inputs, "adoptId");
  if (adoptId === undefined) return undefined;
  const object = objectOf(resource, adoptId);
  // An object that another resource gives up in this run may be adopted by this one.
  const isReplaced = predecessors.has(object) || (identity === undefined && memory.replacing.has(object));
  return isReplaced ? undefined : adoptId;
}

/** The object to converge: adopted or new. */
type Obtained = { adopted: unknown } | { created: Created };
type Obtain = (attempt: CreateAttempt) => Promise<Obtained>;

function adopting(id: string): Obtain {
  return async (attempt) => ({ adopted: await adoptObject(attempt, id) });
}

/** A failure in here has created nothing, or is an `OutcomeUnknownError`. */
function posting(resource: Creatable, { context, session, scope }: OpenOperation, inputs: Values): Obtain {
  const reservation = reserveName(resource, context.memory, inputs, scope);
  return async (attempt) => {
    try {
      // Wanted duplicates are created one after the other: a create whose answer was lost must know which object is new.
      const obtained = await session.locks.run(`create/${reservationKey(resource, inputs, scope)}`, async () => {
        const outcome = await findOrPost(attempt);
        if ("found" in outcome) return { adopted: await adoptObject(attempt, resource.idOf(outcome.found)) };
        context.memory.created.add(objectOf(resource, outcome.created.id));
        return outcome;
      });
      reservation.keep("created" in obtained ? obtained.created.id : resource.idOf(obtained.adopted));
      return obtained;
    } catch (error) {
      if (error instanceof OutcomeUnknownError) reservation.keepUnknown();
      else reservation.release();
      throw error;
    }
  };
}

interface NewObject {
  attempt: CreateAttempt;
  run: Run;
  shownOnce: Values | undefined;
}

/** Obtains the object and converges it to all its inputs, under the locks of every object that this changes. */
async function obtainAndConverge(begin: () => CreateAttempt, obtain: Obtain, raw: Values): Promise<NewObject> {
  const { resource, session, scope, parent } = begin();
  const obtainNow = async (): Promise<NewObject> => {
    const attempt = begin();
    return openNewObject(attempt, await obtain(attempt));
  };
  const convergeNew = async (object: NewObject): Promise<NewObject> => {
    await converge(object.run, everythingWanted(resource, object.attempt.inputs));
    return object;
  };
  const saving = ({ run, shownOnce }: NewObject, work: () => Promise<NewObject>): Promise<NewObject> =>
    savingId(run, raw, shownOnce, work);
  if (parent?.isPart === true) {
    return session.locks.run(parent.lock, async () => {
      const object = await obtainNow();
      return saving(object, () => convergeNew(object));
    });
  }
  const object = parent === undefined ? await obtainNow() : await session.locks.run(parent.lock, obtainNow);
  // The wait for the lock can end early too.
  const lock = resource.lock(object.run.id, scope);
  return saving(object, () => session.locks.run(lock, () => convergeNew(object)));
}

function openNewObject(attempt: CreateAttempt, obtained: Obtained): NewObject {
  const { resource, context, session, inputs, scope, deadlineMs, stepMs } = attempt;
  const created = "created" in obtained ? obtained.created : undefined;
  const id = "created" in obtained ? obtained.created.id : resource.idOf(obtained.adopted);
  const unseenUntilMs = session.clock.now() + DOUBT_MS.unseenObject;
  const run = openRun({
    resource,
    context,
    session,
    id,
    scope,
    deadlineMs,
    stepMs,
    arrival: created === undefined ? undefined : resource.createOperation(inputs),
    unseenUntilMs: created === undefined ? undefined : () => unseenUntilMs,
    label: labelOf(resource, inputs, id),
    missing: (item) => resource.readiness?.occupies(inputs, item),
    observed: "adopted" in obtained ? obtained.adopted : undefined,
    answered: created === undefined ? undefined : { item: created.value },
    hasTouched: created !== undefined,
  });
  // Only an entry of the state has the outputs of the create's answer.
  const recorded = context.memory.shownOnce.get(objectOf(resource, id));
  return { attempt, run, shownOnce: created === undefined ? recorded : created.shownOnce };
}

/** What dependents need may depend on a change by another resource, so the wait holds no lock and settles nothing later. */
async function finish(
  { attempt, run: converged, shownOnce }: NewObject,
  raw: Values,
): Promise<{ id: string; outs: Values }> {
  const { resource, inputs, scope } = attempt;
  const missing = (item: unknown): string | undefined => resource.readiness?.missing(inputs, item);
  const run = { ...converged, missing, hasTouched: false };
  return savingId(run, raw, shownOnce, async () => {
    const { observed } = converged;
    const isComplete = observed !== undefined && missing(observed) === undefined;
    const item = await withAddress(run, isComplete ? observed : await converge(run, {}));
    await waitUntilAccepting(run, inputs, item);
    const live = resource.live(item, scope);
    const asked = { ...inputs, ...storedProtection(resource, inputs, live) };
    const { projectId } = scope;
    const { memory } = run.context;
    const managed = inputKeys(raw);
    const address = addressOf(run.session);
    const owner = markOfNew(resource, memory, inputs);
    const kept = { olds: {}, projectId, managed, shownOnce, address, owner };
    const outs = writeState({ resource, item, live, asked, ...kept });
    noteProtection(resource, memory, run.id, outs);
    memory.siblings.announceKept(objectOf(resource, run.id), address === undefined ? [] : [address]);
    return { id: run.id, outs };
  });
}

/** Saves the id with every failure: once an object exists, no error may lose its id. */
async function savingId<T>(run: Run, raw: Values, shownOnce: Values | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const owner = markOfNew(run.resource, run.context.memory, visible(raw));
    throw asPartial(run, { olds: {}, raw, shownOnce, owner }, error);
  }
}
