// Create: creates exactly one object, saves its id before anything else can fail, then converges it as an update does.

import { OutcomeUnknownError, type PartialError, RefusedError } from "../domain/errors";
import { MINUTE_MS } from "../domain/values/duration";
import { pick, type Values } from "../domain/values/value";
import { afterSteps } from "./afterSteps";
import { converge } from "./converge";
import { goingOn, stateAfter, survivingErrors } from "./leftInState";
import { type Given, openRun, type Run, underLock } from "./run";
import { hasEnded } from "./busy";
import { adoptObject } from "./adopt";
import { RUN_AGAIN } from "./lost";
import { declare, refuseTakenName } from "./name";
import { postOnce } from "./postOnce";
import { forgetSent } from "./sentCreates";
import type { Affected, Context, CreateAttempt, Opened } from "./operation";
import type { Resource } from "./kind";
import type { Reported } from "./reported";
import { DOUBT_MS, unseenUntil } from "./patience";
import { everythingWanted, setByCreate } from "./compare";
import {
  labelOf,
  lockOf,
  managedKeys,
  objectKeys,
  objectOf,
  projectOf,
  scopeOf,
  unseenUntilOf,
  visible,
} from "./state";
import { decideOrRefuse } from "./decideDelete";
import { adoptionOf, factsOf, createTagReader, noteProtection } from "./deleteFacts";
import { entryOf } from "./entry";
import type { EntryFacts } from "./runLog";
import { open } from "./open";

interface Made {
  id: string;
  outs: Values;
}

export function create(resource: Resource, context: Context, raw: Values): Promise<Made> {
  return goingOn(context, (left) => make(resource, context, raw, left));
}

async function make(resource: Resource, context: Context, raw: Values, left: PartialError | undefined): Promise<Made> {
  const { identity, memory } = context;
  const { view } = memory;
  const inputs = visible(raw);
  const opened = await open(resource, context, "create", inputs);
  const adoptId = adoptionOf(context, inputs);
  const predecessors = view.resource(identity).predecessors.filter(({ object }) => !view.claimsOn(object).isRemoved);
  for (const entry of predecessors) if (entry.id !== adoptId) await refuseReplacement(opened, entry);
  const attempt: CreateAttempt = {
    ...opened,
    inputs,
    parent: adoptId === undefined ? affectedBy(opened, inputs) : undefined,
    predecessors,
  };
  if (adoptId === undefined) declareNew(attempt);
  let obtained = undefined as Run | undefined;
  const obtain = async (): Promise<Run> => {
    if (left !== undefined) return resume(attempt, left);
    obtained = await (adoptId === undefined ? post(attempt) : adopt(attempt, adoptId));
    return obtained;
  };
  const finish = async ({ run, last }: Converged): Promise<Made> => {
    const item = await afterSteps(run, last);
    const outs = stateAfter(run, item);
    const entry = entryOf(resource, run.id, outs);
    view.tell(identity, { is: "seen", entry, isWritten: true });
    noteProtection(entry, context, adoptId !== undefined);
    const { current } = resource.statusNote(outs, managedKeys(outs));
    if (current !== undefined) context.progress(`${run.label} ${current}`);
    return { id: run.id, outs };
  };
  try {
    const converged = await obtainAndConverge(attempt, obtain);
    return await survivingErrors(converged.run, () => finish(converged));
  } finally {
    if (obtained !== undefined) forgetSent(attempt);
  }
}

/** How long a new object may be too young to be copied. */
const TOO_YOUNG_MS = 10 * MINUTE_MS;

/** Undefined if the create changes no other object. API: it may be refused until that settles. */
function affectedBy({ resource, session, scope }: Opened, inputs: Values): Affected | undefined {
  const { parent } = resource;
  const id = parent === undefined ? resource.copies?.(inputs) : scope[parent.key];
  if (id === undefined) return undefined;
  const reader = (parent ?? resource).reader(session, scope);
  return {
    lock: lockOf(resource, id, scope),
    isPart: parent !== undefined,
    tooEarlyMs: parent === undefined ? TOO_YOUNG_MS : (parent.tooEarlyMs ?? 0),
    isIdle: (poll) => hasEnded(reader, id, poll),
  };
}

/** A replacement begins only if the delete that ends it will not be refused, also by the tag of the live object. */
async function refuseReplacement(opened: Opened, entry: EntryFacts): Promise<void> {
  const { resource, session, context } = opened;
  const { id, label, located } = entry;
  decideOrRefuse(factsOf(entry, context), "replace");
  if (!entry.tagProtects) return;
  const scope = scopeOf(resource, located, projectOf(located) ?? (await session.projectId()));
  const tag = await createTagReader({ ...opened, id, label, scope }, entry).read();
  decideOrRefuse({ ...factsOf(entry, context), tag }, "replace");
}

function declareNew({ resource, session, context, inputs, scope }: CreateAttempt): void {
  const { identity, memory } = context;
  // Pulumi: an error hook calls `create` again.
  if (memory.view.resource(identity).hasLost) {
    throw new RefusedError(
      "outcome-unknown",
      `${resource.noun} ${resource.identity(inputs, scope)}: the answer to an earlier create of it in this run was lost; nothing more was created`,
      RUN_AGAIN,
    );
  }
  // A `check` need not know the project, which the API key can tell.
  const account = { baseUrl: session.config.baseUrl, projectId: scope.projectId };
  // One that no rule places was declared by its `check`, under whatever name.
  const clash = identity && declare(resource, memory.view, { identity, inputs, olds: {}, account });
  if (clash !== undefined) throw clash;
}

/** A run, with the object as last read. */
interface Converged {
  run: Run;
  last: Reported;
}

/** Obtains the object and converges it to all its inputs, under the locks of every object that this changes. */
async function obtainAndConverge(attempt: CreateAttempt, obtain: () => Promise<Run>): Promise<Converged> {
  const { resource, parent } = attempt;
  const obtainPart = async (): Promise<Converged> => {
    const run = await obtain();
    const last = await survivingErrors(run, () => converge(run, refuseTakenName));
    return { run, last };
  };
  if (parent?.isPart === true) return underLock(attempt, parent.lock, obtainPart);
  const run = parent === undefined ? await obtain() : await underLock(attempt, parent.lock, obtain);
  // The wait for the lock can end early too.
  const last = await survivingErrors(run, () =>
    underLock(run, lockOf(resource, run.id, run.scope), () => converge(run, refuseTakenName)),
  );
  return { run, last };
}

/** A failure in here has created nothing, or is an `OutcomeUnknownError`. */
function post(attempt: CreateAttempt): Promise<Run> {
  const { resource, session, context, inputs, scope } = attempt;
  const { identity, memory } = context;
  // Wanted duplicates are created one after the other: a create whose answer was lost must know which object is new.
  const key = `create/${resource.kind}/${scope.projectId}/${resource.identity(inputs, scope)}`;
  return underLock(attempt, key, async () => {
    const { id, value, shownOnce } = await postOnce(attempt).catch((error: unknown) => {
      if (error instanceof OutcomeUnknownError) memory.view.tell(identity, { is: "attempted", outcome: "lost" });
      throw error;
    });
    memory.view.obtained(identity, objectOf(resource, id, scope.projectId));
    const untilMs = session.clock.now() + DOUBT_MS.afterChange;
    const createOperation = resource.createOperation(inputs);
    const assumed = setByCreate(resource, inputs);
    const unseenUntilMs = (): number => untilMs;
    const given = { ...runOf(attempt, id), assumed, shownOnce, createOperation, unseenUntilMs };
    return openRun(given, { answered: { item: value }, hasTouched: true });
  });
}

async function adopt(attempt: CreateAttempt, id: string): Promise<Run> {
  const { resource, context, scope } = attempt;
  const observed = await adoptObject(attempt, id);
  // Only an entry of the state has the outputs of the create's answer.
  const shownOnce = context.memory.view.claimsOn(objectOf(resource, id, scope.projectId)).shownOnce;
  return openRun({ ...runOf(attempt, id), shownOnce }, { observed });
}

/** The object that an earlier call of this create has made. */
function resume(attempt: CreateAttempt, { id, outputs: olds }: PartialError): Run {
  const { resource, inputs } = attempt;
  const assumed = { ...setByCreate(resource, inputs), ...pick(olds, objectKeys(resource)) };
  const unseenUntilMs = unseenUntil(attempt.session, unseenUntilOf(olds));
  return openRun({ ...runOf(attempt, id), olds, assumed, unseenUntilMs });
}

function runOf(attempt: CreateAttempt, id: string): Given {
  const { resource, inputs } = attempt;
  return {
    ...attempt,
    id,
    label: labelOf(resource, inputs, id),
    olds: {},
    assumed: inputs,
    wanted: everythingWanted(resource, inputs),
    isNew: true,
    missing: (item) => item.lacks?.(inputs).parent,
  };
}
