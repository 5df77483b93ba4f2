// Create: exactly one object, its id kept before anything else can fail, then the same convergence as an update.

import { InputError } from "../domain/errors";
import { show, textOf } from "../domain/value";
import { describeConflict, explain } from "../plan/step";
import { deadlineOf, type Context } from "./context";
import { converge, type Run } from "./converge";
import { claim, lookBeforeCreate, postOnce, type Birth } from "./exactlyOnce";
import { asPartial } from "./partial";
import type { Created, Resource, Values } from "./resource";
import { inputKeys, isAsWanted, visible, writeState } from "./state";
import { effectiveProtection, everythingWanted, fieldsOf } from "./wanted";

/** A new object may stay invisible for so long (API: a 404 right after the create). */
const INVISIBLE_MS = 120_000;

export async function create<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: Context,
  raw: Values,
): Promise<{ id: string; outs: Values }> {
  const inputs = visible(raw);
  const session = context.session();
  const projectId = textOf(inputs, "projectId") ?? (await session.projectId());
  const place = resource.place(inputs, projectId);
  const deadlineMs = deadlineOf(session.clock, "create", inputs["timeouts"] as object, resource.deadlinesMs(inputs));
  const birth: Birth<Inputs, Observed> = {
    resource,
    context,
    session,
    inputs: inputs as Inputs,
    place,
    deadlineMs,
    allowsTwin: inputs["allowDuplicateName"] === true,
  };
  const origin = await bear(birth);
  return bringUp(birth, origin, raw);
}

type Origin<Observed> = { created: Created } | { adopted: Observed };

/** An object to go on with: taken over, or made just now. Whatever fails here has left nothing behind. */
async function bear<Inputs extends object, Observed>(birth: Birth<Inputs, Observed>): Promise<Origin<Observed>> {
  const { resource, context, session, inputs, place, deadlineMs } = birth;
  const values = inputs as Values;
  const adoptId = values["adoptId"];
  if (typeof adoptId === "string") return { adopted: await takeOver(birth, adoptId) };
  const held = claim(birth);
  try {
    const look = await lookBeforeCreate(birth);
    if ("adopt" in look) return { adopted: await takeOver(birth, resource.idOf(look.adopt)) };
    await resource.beforeCreate?.(session, inputs, place, { deadlineMs, report: context.progress });
    const lock = resource.createLock?.(inputs, place);
    const post = (): Promise<Created> => postOnce(birth, look.before);
    const created = lock === undefined ? await post() : await session.locks.run(lock, post);
    held.keep(created.id);
    return { created };
  } catch (error) {
    held.release();
    throw error;
  }
}

async function takeOver<Inputs extends object, Observed>(
  { resource, context, session, inputs, place }: Birth<Inputs, Observed>,
  id: string,
): Promise<Observed> {
  const item = await resource.view(session, place).look(id);
  if (item === undefined || resource.condition(item) === "gone") {
    throw new InputError(
      "adoptId",
      `adoptId: there is no ${resource.noun} ${show(id)} in project ${place.projectId}; nothing was created`,
      "Correct the id, or drop `adoptId` to create a new one.",
    );
  }
  const values = inputs as Values;
  const live = resource.live(item, place);
  const fixed = fieldsOf(resource).filter(([key, field]) => {
    const seen = (live as Values)[key];
    return (
      field.change === "replaces" && seen !== undefined && values[key] !== undefined && !isAsWanted(values[key], seen)
    );
  });
  const plan = resource.plan(inputs, live);
  const clashes = [
    ...fixed.map(([key]) => `${key}: it has ${show((live as Values)[key])}, the program says ${show(values[key])}`),
    ...plan.conflicts.map(describeConflict),
  ];
  if (clashes.length > 0) {
    throw new InputError(
      "adoptId",
      `${resource.describe(item, session.clock.now())} cannot be taken over, because it differs in what cannot change:\n${clashes.map((line) => `  ${line}`).join("\n")}`,
      "Change the program to match it, or drop the adoption. Nothing was changed.",
    );
  }
  const changes = explain({ steps: plan.steps, conflicts: [] });
  context.warn(
    `taking over ${resource.describe(item, session.clock.now())}${changes.length === 0 ? "" : `, and changing it in place: ${changes.join("; ")}`}`,
  );
  session.memory.adopted.add(id);
  return item;
}

async function bringUp<Inputs extends object, Observed>(
  birth: Birth<Inputs, Observed>,
  origin: Origin<Observed>,
  raw: Values,
): Promise<{ id: string; outs: Values }> {
  const { resource, context, session, inputs, place, deadlineMs } = birth;
  const created = "created" in origin ? origin.created : undefined;
  const adopted = "adopted" in origin ? origin.adopted : undefined;
  const id = "created" in origin ? origin.created.id : resource.idOf(origin.adopted);
  const run: Run<Inputs, Observed> = {
    resource,
    context,
    session,
    id,
    place,
    deadlineMs,
    isNewUntilMs: created === undefined ? undefined : session.clock.now() + INVISIBLE_MS,
    label: labelOf(resource, inputs as Values, id),
    missing: (item) => resource.missing?.(inputs, item),
    observed: adopted,
    landed: [],
    remaining: [],
    failed: undefined,
  };
  const initialPassword = created?.initialPassword;
  try {
    const item = await session.locks.run(resource.lock(id, place), () =>
      converge(run, everythingWanted(resource, inputs as Values)),
    );
    const live = resource.live(item, place);
    const asked = withProtection(resource, inputs as Values, live as Values);
    const managed = inputKeys(raw);
    const projectId = place.projectId;
    const urn = raw["__urn"];
    return {
      id,
      outs: writeState({ resource, item, live, asked, olds: {}, projectId, urn, managed, initialPassword }),
    };
  } catch (error) {
    throw asPartial(run, { olds: {}, raw, initialPassword }, error);
  }
}

/** The effective protection is what counts later, whatever a program then says. */
export function withProtection<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  inputs: Values,
  live: Values,
): Values {
  if (!("deletionProtection" in resource.fields)) return inputs;
  return { ...inputs, deletionProtection: effectiveProtection(inputs, live) };
}

export function labelOf<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  values: Values,
  id: string,
): string {
  const name = values["name"];
  return typeof name === "string" ? `${resource.noun} ${name} (${id})` : `${resource.noun} ${id}`;
}
