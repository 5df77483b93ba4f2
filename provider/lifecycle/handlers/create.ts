// Create: creates exactly one object, saves its id before anything else can fail, then converges it as an update does.

import { InputError, OutcomeUnknownError, RefusedError } from "../../domain/errors";
import type { Values } from "../../domain/values/value";
import { adoptObject } from "../create/existing";
import { type CreateAttempt, declare } from "../create/attempt";
import { DOUBT_MS } from "../session/confirmation";
import type { Context } from "../session/context";
import { openOperation, type OpenOperation } from "./operation";
import { converge } from "../converge/converge";
import { addressOf } from "../state/deployment";
import { findOrPost } from "../create/findOrPost";
import { asPartial } from "../converge/partial";
import { waitUntilAccepting, withAddress } from "../converge/accepting";
import { openRun, type Run, underLock } from "../converge/run";
import { decideDelete, type DeleteFacts, refusalOf } from "../view/decideDelete";
import { adoptionOf, factsOf, readLiveTag } from "../view/deleteFacts";
import { entryOf, markOfNew, ownerOf } from "../view/entry";
import type { Entry } from "../view/runView";
import {
  type Changeable,
  type Creatable,
  type Created,
  labelOf,
  type Observable,
  objectOf,
} from "../resources/resource";
import { inputKeys, projectOf, visible, writeState } from "../state/state";
import { storedProtection } from "../state/protection";
import { everythingWanted } from "../state/compare";

export async function create(
  resource: Creatable & Changeable,
  given: Context,
  raw: Values,
): Promise<{ id: string; outs: Values }> {
  const inputs = visible(raw);
  const opened = await openOperation(resource, given, "create", inputs);
  const { session, context, scope, deadlineMs, stepMs } = opened;
  const { view } = context.memory;
  view.owns(ownerOf(resource, inputs));
  const predecessors = view.predecessorsOf(context.identity).filter(({ entry }) => !view.isRemoved(entry.object));
  const entries = predecessors.map(({ entry }) => entry);
  const adoptId = adoptionOf(context, inputs);
  await refuseReplacement(
    resource,
    opened,
    entries.filter(({ id }) => id !== adoptId),
  );
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
    predecessorIds: entries.map(({ id }) => id),
    replacedIds: predecessors
      .filter(({ by }) => by !== "program" || resource.holdsData !== true)
      .map(({ entry }) => entry.id),
  });
  const obtain: Obtain = adoptId === undefined ? posting(resource, opened, inputs) : adopting(adoptId);
  const object = await obtainAndConverge(begin, obtain, raw);
  return finish(object, raw);
}

/** A replacement begins only if the delete that ends it will not be refused, also by the tag of the live object. */
async function refuseReplacement(resource: Observable, opened: OpenOperation, predecessors: readonly Entry[]) {
  const { session, context, deadlineMs } = opened;
  for (const entry of predecessors) {
    const { id, label, located } = entry;
    const facts = factsOf(entry, context);
    refuse(facts);
    if (!entry.isRefusedByTag) continue;
    const scope = resource.scope(located, projectOf(located) ?? (await session.projectId()));
    const target = { resource, session, context, id, scope, label, deadlineMs: deadlineMs() };
    refuse({ ...facts, tag: await readLiveTag(target, facts) });
  }
}

function refuse(facts: DeleteFacts): void {
  const decision = decideDelete(facts);
  if (decision.is === "refuse") throw refusalOf(decision.because, facts, "replace");
}

/** The object to converge: adopted or new. */
type Obtained = { adopted: unknown } | { created: Created };
type Obtain = (attempt: CreateAttempt) => Promise<Obtained>;

function adopting(id: string): Obtain {
  return async (attempt) => ({ adopted: await adoptObject(attempt, id) });
}

/** A failure in here has created nothing, or is an `OutcomeUnknownError`. */
function posting(resource: Creatable, { context, session, scope }: OpenOperation, inputs: Values): Obtain {
  const { identity } = context;
  const { view } = context.memory;
  const words = resource.identity(inputs, scope);
  // Pulumi: an error hook calls `create` again.
  if (view.hasLost(identity)) throw lostBefore(`${resource.noun} ${words}`);
  // A `check` need not know the project, which the API key can tell.
  const account = { baseUrl: session.config.baseUrl, projectId: scope.projectId };
  const clash = declare(resource, view, { identity, inputs, olds: {}, account });
  if (clash !== undefined) throw new InputError(clash.path, `${clash.message}; nothing was created`, clash.hint);
  // Wanted duplicates are created one after the other: a create whose answer was lost must know which object is new.
  return (attempt) =>
    session.locks.run(`create/${resource.kind}/${scope.projectId}/${words}`, async () => {
      const outcome = await findOrPost(attempt).catch((error: unknown) => {
        if (error instanceof OutcomeUnknownError) view.lost(identity);
        throw error;
      });
      if ("found" in outcome) return { adopted: await adoptObject(attempt, resource.idOf(outcome.found)) };
      view.obtained(identity, objectOf(resource, outcome.created.id));
      return outcome;
    });
}

function lostBefore(what: string): RefusedError {
  return new RefusedError(
    `${what}: an earlier create of it in this run lost its answer; nothing more was created`,
    "Run `pulumi up` again: it reads before it creates, and names what it finds.",
  );
}

interface NewObject {
  attempt: CreateAttempt;
  run: Run;
  shownOnce: Values | undefined;
}

/** Obtains the object and converges it to all its inputs, under the locks of every object that this changes. */
async function obtainAndConverge(begin: () => CreateAttempt, obtain: Obtain, raw: Values): Promise<NewObject> {
  const { resource, session, parent } = begin();
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
  return saving(object, () => underLock(object.run, () => convergeNew(object)));
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
  const recorded = context.memory.view.shownOnceOf(objectOf(resource, id));
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
    const { view } = run.context.memory;
    const managed = inputKeys(raw);
    const address = addressOf(run.session);
    const owner = markOfNew(resource, view, inputs);
    const kept = { olds: {}, projectId, managed, shownOnce, address, owner };
    const outs = writeState({ resource, item, live, asked, ...kept });
    view.saved(entryOf(resource, run.id, outs));
    return { id: run.id, outs };
  });
}

/** Saves the id with every failure: once an object exists, no error may lose its id. */
async function savingId<T>(run: Run, raw: Values, shownOnce: Values | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const owner = markOfNew(run.resource, run.context.memory.view, visible(raw));
    throw asPartial(run, { olds: {}, raw, shownOnce, owner }, error);
  }
}
