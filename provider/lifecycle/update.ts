// Update: acts on changed inputs and on steps an interrupted operation still owes; other drift it meets is named, never
// repaired unannounced.

import { pick, show, textOf } from "../domain/value";
import type { Live, Wanted } from "../plan/step";
import { deadlineOf, type Context } from "./context";
import { converge, type Run } from "./converge";
import { labelOf, withProtection } from "./create";
import { asPartial } from "./partial";
import type { Resource, Values } from "./resource";
import { inputKeys, isAsWanted, pendingOf, visible, writeState } from "./state";
import { fieldsOf, wantedOf } from "./wanted";

export async function update<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: Context,
  id: string,
  olds: Values,
  raw: Values,
): Promise<{ outs: Values }> {
  const news = visible(raw);
  const wanted = withOwed(wantedOf(resource, olds, news), olds, news);
  if (Object.keys(wanted).length === 0 && pendingOf(olds).length === 0) {
    // Nothing for the server: lifecycle inputs, inputs no longer managed, a new urn.
    const live = pick(olds, visibleCallKeys(resource)) as Live<Inputs>;
    return {
      outs: save(resource, { item: undefined, live, news, olds, raw, projectId: textOf(olds, "projectId") ?? "" }),
    };
  }
  const session = context.session();
  const projectId = textOf(olds, "projectId") ?? (await session.projectId());
  const place = resource.place({ ...olds, ...pick(news, ["serviceId"]) }, projectId);
  const run: Run<Inputs, Observed> = {
    resource,
    context,
    session,
    id,
    place,
    deadlineMs: deadlineOf(session.clock, "update", news["timeouts"] as object, resource.deadlinesMs(news)),
    label: labelOf(resource, { ...news, ...pick(olds, ["name"]) }, id),
    missing: (item) => resource.missing?.(news as Inputs, item),
    observed: undefined,
    landed: [],
    remaining: [],
    failed: undefined,
  };
  try {
    const item = await session.locks.run(resource.lock(id, place), () => converge(run, wanted));
    const live = resource.live(item, place);
    warnOfDrift(resource, context, run.label, wanted as Values, news, live as Values);
    return { outs: save(resource, { item, live, news, olds, raw, projectId }) };
  } catch (error) {
    // Nothing was sent and nothing was owed: the old state is still the truth.
    if (run.failed === undefined && run.landed.length === 0 && pendingOf(olds).length === 0) throw error;
    throw asPartial(run, { olds, raw }, error);
  }
}

/** A service that was started only to be changed is stopped again, even when that happens in a later run. */
function withOwed<Inputs extends object>(wanted: Wanted<Inputs>, olds: Values, news: Values): Wanted<Inputs> {
  if (news["paused"] !== undefined || !pendingOf(olds).includes("stop")) return wanted;
  return { ...wanted, paused: true };
}

function visibleCallKeys<Inputs extends object, Observed>(resource: Resource<Inputs, Observed>): string[] {
  return fieldsOf(resource)
    .filter(([, field]) => field.change !== "lifecycle")
    .map(([key]) => key);
}

interface Saved<Inputs extends object, Observed> {
  item: Observed | undefined;
  live: Live<Inputs>;
  news: Values;
  olds: Values;
  raw: Values;
  projectId: string;
}

function save<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  { item, live, news, olds, raw, projectId }: Saved<Inputs, Observed>,
): Values {
  // What the server never shows stays as it was last asked for, also when the program stops managing it.
  const kept = pick(olds, visibleCallKeys(resource));
  const protection = pick(withProtection(resource, news, { ...olds, ...live }), ["deletionProtection"]);
  return writeState({
    resource,
    item,
    live,
    asked: { ...kept, ...news, ...protection },
    olds,
    projectId,
    urn: raw["__urn"],
    managed: inputKeys(raw),
  });
}

/** Values that moved although nobody changed the program: said, and left to a refresh. */
function warnOfDrift<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: Context,
  label: string,
  wanted: Values,
  news: Values,
  live: Values,
): void {
  const drifted = fieldsOf(resource)
    .filter(([key, field]) => field.change === "inPlace" && !(key in wanted) && news[key] !== undefined)
    .filter(([key]) => live[key] !== undefined && !isAsWanted(news[key], live[key]))
    .map(([key, field]) => (field.secret ? key : `${key} is ${show(live[key])}, the program says ${show(news[key])}`));
  if (drifted.length === 0) return;
  context.warn(
    `${label} was changed outside Pulumi and this is left alone: ${drifted.join("; ")}. Run \`pulumi refresh\` to see it, then \`pulumi up\` to repair it.`,
  );
}
