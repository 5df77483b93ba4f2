// Predicts what the next `up --refresh` would do with one resource: runs `check` and `diff` like the engine, with the planner
// of preview and update. Makes no requests.

import { ProviderError } from "../../provider/domain/errors";
import { isEqual, type Values } from "../../provider/domain/values/value";
import { check } from "../../provider/lifecycle/handlers/check";
import { previewPlan } from "../../provider/lifecycle/handlers/announcements";
import { diff } from "../../provider/lifecycle/handlers/diff";
import type { Resource } from "../../provider/lifecycle/resources/resource";
import type { Memory } from "../../provider/lifecycle/view/runView";
import { visible } from "../../provider/lifecycle/state/state";
import type { NextUp } from "./findings";
import type { Entry } from "./state";

/** One resource with the result of its read. */
export interface Compared {
  entry: Entry;
  resource: Resource;
  /** The state that a refresh would write. */
  state: Values;
  /** The inputs that it would write. */
  inputs: Values;
}

const SILENT = { warn: (): void => undefined, progress: (): void => undefined, quiet: true };

/** The inputs of the program. For an encrypted input, which cannot be compared, the live value stands in. */
function programOf({ entry, inputs }: Compared): Values {
  const hidden = Object.entries(inputs).filter(([key]) => entry.secretInputs.includes(key));
  return { ...entry.inputs, ...Object.fromEntries(hidden) };
}

export interface Judgement {
  action: "nothing" | "update" | "replace" | "refused";
  /** The calls, and the inputs that each one serves. */
  steps: readonly { operation: string; properties: readonly string[]; effect?: string | undefined }[];
  replaces: readonly string[];
  reason?: string;
}

export function nextUp(compared: Compared, memory: Memory): Judgement {
  const { entry, resource, state, inputs } = compared;
  const news = programOf(compared);
  const context = { ...SILENT, memory, adopt: [], identity: { key: entry.urn, name: entry.name } };
  const refused = (reason: string): Judgement => ({ action: "refused", steps: [], replaces: [], reason });
  try {
    const { failures } = check(resource, context, inputs, news);
    if (failures.length > 0) return refused(failures.join("; "));
    const { changes, replaces = [] } = diff(resource, context, entry.id, state, news);
    if (replaces.length > 0) return { action: "replace", steps: [], replaces };
    const { steps } = previewPlan(resource, state, news);
    const isSame = changes === false || (changes === undefined && isEqual(visible(news), visible(inputs)));
    return { action: isSame ? "nothing" : "update", steps, replaces: [] };
  } catch (error) {
    if (error instanceof ProviderError) return refused(error.fullMessage);
    throw error;
  }
}

/** The steps that change a property, and those around them that change no differing one: a start before a change. */
export function actionFor(
  property: string,
  differing: readonly string[],
  next: Judgement,
  { holdsData, replacementEffect }: Resource,
): NextUp {
  const { action, steps, reason } = next;
  if (action === "replace") {
    const effect = holdsData === true ? "it is replaced by a new and EMPTY one" : replacementEffect;
    return { action, calls: [], effects: effect === undefined ? [] : [effect] };
  }
  if (action !== "update") return { action, calls: [], effects: [], ...(reason === undefined ? {} : { reason }) };
  const serves = (properties: readonly string[]): boolean =>
    properties.includes(property) || !properties.some((other) => differing.includes(other));
  const mine = steps.filter(({ properties }) => serves(properties));
  const isRepaired = steps.some(({ properties }) => properties.includes(property));
  if (!isRepaired) return { action: "nothing", calls: [], effects: [] };
  return {
    action: "update",
    calls: mine.map(({ operation }) => operation),
    effects: mine.flatMap(({ effect }) => effect ?? []),
  };
}
