// Create: exactly one object, its id kept before anything else can fail, then the same convergence as an update.

import { InputError, OutcomeUnknownError } from "../../domain/errors";
import { textOf } from "../../domain/values/value";
import { takeOver } from "../create/adoption";
import { claim, nameOf } from "../create/nameReservation";
import { deadlineOf, stepLimitOf, type Context, timeoutsOf } from "../session/context";
import { converge } from "../converge/converge";
import { addressOf } from "../state/deployment";
import type { Birth } from "../create/attempt";
import { labelOf } from "../resources/label";
import { findOrPost } from "../create/findOrPost";
import { idIn, objectOf, type Predecessor } from "../state/memory";
import { asPartial } from "../converge/partial";
import { withAddress } from "../converge/lateAddress";
import { noteOwner, noteProtection, ownerMark } from "../state/owner";
import { paced } from "../session/progress";
import type { Created, Place, Resource, Values } from "../resources/resource";
import { openRun, type Run } from "../converge/run";
import type { Session } from "../session/session";
import { inputKeys, visible, writeState } from "../state/state";
import { everythingWanted, refusedReplacement, withProtection } from "../state/wanted";

/** A new object may stay invisible for so long (API: a 404 right after the create). */
export const INVISIBLE_MS = 120_000;

export async function create(resource: Resource, given: Context, raw: Values): Promise<{ id: string; outs: Values }> {
  const inputs = visible(raw);
  const session = given.session();
  const context = paced(given, session.clock);
  const projectId = textOf(inputs, "projectId") ?? (await session.projectId());
  const place = resource.place(inputs, projectId);
  noteOwner(resource, context.memory, inputs);
  const predecessors = predecessorsOf(context, raw["__urn"]);
  refuseReplacement(resource, context, inputs, predecessors);
  const adoptId = adoptionOf(resource, context, inputs, predecessors);
  const host = adoptId === undefined ? resource.createHost?.(session, inputs, place) : undefined;
  const begin = (): Birth => ({
    resource,
    context,
    session,
    inputs: inputs,
    place,
    // Waiting for one's turn is no part of it.
    deadlineMs: deadlineOf(session.clock, "create", timeoutsOf(inputs), resource.deadlinesMs(inputs)),
    host,
    predecessorIds: [...predecessors.keys()].map(idIn),
  });
  const bear: Bear = adoptId === undefined ? bearer(resource, session, inputs, place) : adopter(adoptId);
  const grown = await grow(begin, bear, raw);
  return finish(grown, raw);
}

/** Pulumi: `replaceOnChanges` and `--replace` replace what `diff` would have changed in place, or left as it is. */
function predecessorsOf({ memory }: Context, urn: unknown): ReadonlyMap<string, Predecessor> {
  return (urn === undefined ? undefined : memory.predecessors.get(urn)) ?? new Map<string, Predecessor>();
}

/** What is protected is not replaced; and what is to be replaced cannot be taken over by its own replacement. */
function refuseReplacement(
  resource: Resource,
  { memory, adopt }: Context,
  inputs: Values,
  predecessors: ReadonlyMap<string, Predecessor>,
): void {
  for (const [object, { isProtected, isHeld }] of predecessors) {
    const id = idIn(object);
    const label = labelOf(resource, inputs, id);
    if (isProtected) throw refusedReplacement(label);
    const isForced = !isHeld && !memory.replacing.has(object);
    const isMeant = adopt.includes(id) || (isForced && textOf(inputs, "adoptId") === id);
    if (isMeant) throw adoptedAndReplaced(label);
  }
}

function adoptedAndReplaced(label: string): InputError {
  return new InputError(
    "adoptId",
    `${label} is this resource's own object, and this run is to replace it: it cannot be taken over by its own replacement; nothing was created`,
    "To keep it, run again without `--replace`, `--target-replace` and DBCLOUD_ADOPT (after `pulumi state taint`: `pulumi state untaint`). To replace it, drop the adoption.",
  );
}

/** `adoptId` counts at a create. The replacement of the very object that it once named makes a new one. */
function adoptionOf(
  resource: Resource,
  { memory }: Context,
  inputs: Values,
  predecessors: ReadonlyMap<string, Predecessor>,
): string | undefined {
  const adoptId = textOf(inputs, "adoptId");
  if (adoptId === undefined) return undefined;
  const object = objectOf(resource, adoptId);
  return predecessors.has(object) || memory.replacing.has(object) ? undefined : adoptId;
}

/** An object to go on with: taken over, or made just now. */
type Origin = { adopted: unknown } | { created: Created };
type Bear = (birth: Birth) => Promise<Origin>;

function adopter(id: string): Bear {
  return async (birth) => ({ adopted: await takeOver(birth, id) });
}

/** Whatever fails in here has left nothing behind, or says that nobody knows. */
function bearer(resource: Resource, session: Session, inputs: Values, place: Place): Bear {
  const held = claim(resource, session.memory, inputs, place);
  return async (birth) => {
    try {
      // Twins that are wanted are made one after the other: whose answer was lost must know which one is new.
      const origin = await session.locks.run(`create/${nameOf(resource, inputs, place)}`, async () => {
        const outcome = await findOrPost(birth);
        if ("found" in outcome) return { adopted: await takeOver(birth, resource.idOf(outcome.found)) };
        session.memory.created.add(objectOf(resource, outcome.created.id));
        return outcome;
      });
      held.keep("created" in origin ? origin.created.id : resource.idOf(origin.adopted));
      return origin;
    } catch (error) {
      if (error instanceof OutcomeUnknownError) held.leaveOpen();
      else held.release();
      throw error;
    }
  };
}

interface Grown {
  birth: Birth;
  run: Run;
  initialPassword: string | undefined;
}

/** From nothing to an object with everything it was asked for, under the locks of whatever is changed by that. */
async function grow(begin: () => Birth, bear: Bear, raw: Values): Promise<Grown> {
  const { resource, session, place, host } = begin();
  const bearNow = async (): Promise<Grown> => {
    const birth = begin();
    return newborn(birth, await bear(birth));
  };
  const raise = async (grown: Grown): Promise<Grown> => {
    const { run, initialPassword } = grown;
    return keepingIt(run, raw, initialPassword, async () => {
      await converge(run, everythingWanted(resource, grown.birth.inputs));
      return grown;
    });
  };
  if (host?.isPart === true) return session.locks.run(host.lock, async () => raise(await bearNow()));
  const grown = host === undefined ? await bearNow() : await session.locks.run(host.lock, bearNow);
  return session.locks.run(resource.lock(grown.run.id, place), () => raise(grown));
}

function newborn(birth: Birth, origin: Origin): Grown {
  const { resource, context, session, inputs, place, deadlineMs } = birth;
  const created = "created" in origin ? origin.created : undefined;
  const id = "created" in origin ? origin.created.id : resource.idOf(origin.adopted);
  const timeouts = timeoutsOf(inputs);
  const run = openRun({
    resource,
    context,
    session,
    id,
    place,
    deadlineMs,
    stepMs: stepLimitOf("create", timeouts, resource.deadlinesMs(inputs)),
    arrival: created === undefined ? undefined : resource.createOperation(inputs),
    isNewUntilMs: created === undefined ? undefined : session.clock.now() + INVISIBLE_MS,
    label: labelOf(resource, inputs, id),
    missing: (item) => resource.occupies?.(inputs, item),
    observed: "adopted" in origin ? origin.adopted : undefined,
    answered: created === undefined ? undefined : { item: created.value },
    hasTouched: created !== undefined,
  });
  // Nobody but an entry of the state knows the password that an object was made with.
  const known = session.memory.initialPasswords.get(objectOf(resource, id));
  return { birth, run, initialPassword: created === undefined ? known : created.initialPassword };
}

/** What its dependents wait for may need somebody else's help: it is awaited without a lock, and left to nobody. */
async function finish(
  { birth, run: raised, initialPassword }: Grown,
  raw: Values,
): Promise<{ id: string; outs: Values }> {
  const { resource, inputs, place } = birth;
  const missing = (item: unknown): string | undefined => resource.missing?.(inputs, item);
  const run = { ...raised, missing, hasTouched: false };
  return keepingIt(run, raw, initialPassword, async () => {
    const seen = raised.observed;
    const isComplete = seen !== undefined && missing(seen) === undefined;
    const item = await withAddress(run, isComplete ? seen : await converge(run, {}));
    const live = resource.live(item, place);
    const asked = withProtection(resource, inputs, live);
    const { projectId } = place;
    const managed = inputKeys(raw);
    const address = addressOf(run.session);
    const owner = ownerMark(resource, run.session.memory, inputs);
    const kept = { olds: {}, projectId, urn: raw["__urn"], managed, initialPassword, address, owner };
    const outs = writeState({ resource, item, live, asked, ...kept });
    noteProtection(resource, run.session.memory, run.id, outs["deletionProtection"] === true);
    return { id: run.id, outs };
  });
}

/** The id is saved first: once there is an object, nothing that fails may lose it. */
async function keepingIt<T>(
  run: Run,
  raw: Values,
  initialPassword: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asPartial(run, { olds: {}, raw, initialPassword }, error);
  }
}
