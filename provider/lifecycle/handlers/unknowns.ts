// The possible effects of values that a preview does not know yet: the planner is asked as if each unknown value differed from
// the live one. Pure.

import type { Field } from "../../domain/fields";
import { containsUnknown } from "../../domain/values/unknown";
import type { Values } from "../../domain/values/value";
import type { Live, Step } from "../../plan/step";
import type { Changeable, Observable } from "../resources/resource";
import { fieldsOf } from "../state/state";

interface Possible {
  /** Effects such as restarts and moves of addresses: one sentence each, with the inputs that it depends on. */
  effects: string[];
  refusalsAndReplacements: string[];
  movesAddresses: boolean;
}

export function whatUnknownsBring(resource: Changeable, live: Live, news: Values): Possible {
  const unknown = fieldsOf(resource).filter(([key]) => containsUnknown(news[key]));
  const plans = unknown
    .filter(([, field]) => field.change === "inPlace")
    .map(([key]) => ({ key, steps: resource.plan({ [key]: news[key] }, live).steps }));
  return {
    effects: sentences(plans, live),
    refusalsAndReplacements: unknown.flatMap(([key, field]) => refusalOrReplacement(resource, key, field, news)),
    movesAddresses: plans.some(({ steps }) => steps.some((step) => step.movesAddresses)),
  };
}

/** Inputs with the same effects share one sentence. */
function sentences(plans: readonly { key: string; steps: readonly Step[] }[], live: Values): string[] {
  const keysOf = new Map<string, string[]>();
  for (const { key, steps } of plans) {
    const effects = steps.flatMap((step) => step.effect ?? []).join("; ");
    if (effects !== "") keysOf.set(effects, [...(keysOf.get(effects) ?? []), key]);
  }
  return [...keysOf].map(([effects, keys]) => {
    const isFirst = keys.every((key) => (live[key] ?? undefined) === undefined);
    const verb = keys.length === 1 ? "is" : "are";
    const when = isFirst ? "once that is known" : "if that turns out to be a change";
    return `${keys.join(" and ")} ${verb} not known yet; ${when}: ${effects}`;
  });
}

function refusalOrReplacement({ noun, parentKey }: Observable, key: string, { change }: Field, news: Values): string[] {
  const isReplaced = change === "replaces" ? key !== parentKey : news["allowReplace"] === true;
  if (change !== "fixed" && !(change === "replaces" && isReplaced)) return [];
  const end = isReplaced
    ? change === "fixed"
      ? "`up` fails for it, and a second `up` replaces it, so that its data are lost"
      : `the ${noun} is replaced`
    : "`up` fails for it, because it cannot change";
  return [`${key} is not known yet; if that turns out to be a change: ${end}`];
}
