// What the engine makes of one resource: what it checks and compares, in the order of the recordings, and what follows.

import { isDeepStrictEqual } from "node:util";
import type { Values } from "../../../provider/domain/values/value";
import type { Declared } from "../operator/declared";
import type { ProviderProcesses } from "./process";
import type { State } from "./state";

export interface Plan {
  /** "force": a replacement that the program or the user wants, and not the provider. */
  does: "create" | "keep" | "update" | "replace" | "force";
  news: Values;
  isOldFirst: boolean;
  failures: readonly string[];
}

interface Planning {
  processes: ProviderProcesses;
  state: State;
  declared: Declared;
  args: Values;
  /** By `--replace`, or a taint. */
  isForced: boolean;
  /** What this run has replaced so far. */
  replaced: ReadonlySet<string>;
  count: (what: string) => void;
}

/** What a remediation policy sets, after `check`. */
const POLICY = { cpuMillis: 2000, memoryGbs: 8 };

export async function planOf(planning: Planning): Promise<Plan> {
  const { processes, state, declared, args, isForced, replaced, count } = planning;
  const { logical, kind, options = {} } = declared;
  const entry = state.entries.get(logical);
  const handlers = processes.of(options.provider)[kind];
  if (entry !== undefined && entry.provider !== options.provider) count("another provider");
  // Pulumi: all inputs are those of the state, hidden ones too, before `check` and after it.
  const reset = options.ignoreChanges?.includes("*") === true ? entry?.inputs : undefined;
  if (reset !== undefined) count("ignoreChanges");
  const check = async (olds: Values): Promise<Plan> => {
    const { inputs, failures } = await handlers.check(declared, olds, reset ?? args, reset !== undefined);
    const isRemedied = options.policy === true && typeof inputs["cpuMillis"] === "number" && reset === undefined;
    if (isRemedied) count("policy");
    const news = reset ?? { ...inputs, ...(isRemedied ? POLICY : {}) };
    return { does: "create", news, failures, isOldFirst: false };
  };
  if (entry === undefined) return check({});
  // Pulumi: to a handler, a forced replacement looks like a first create.
  if (isForced) return { ...(await check({})), does: "force" };
  const first = await check(entry.inputs);
  if (first.failures.length > 0) return first;
  const isTriggered = (options.replacementTrigger ?? 0) !== (entry.trigger ?? 0);
  const isWith = options.replaceWith !== undefined && replaced.has(options.replaceWith);
  if (isTriggered || isWith) {
    count(isTriggered ? "replacementTrigger" : "replaceWith");
    return { ...(await check({})), does: "force" };
  }
  const { news } = first;
  const { hasChanges, replaces, deleteBeforeReplace } = await handlers.diff(entry, news);
  if (!hasChanges) return { ...first, does: entry.isHalfMade ? "update" : "keep" };
  const isAsked = options.replaceOnChanges?.some((key) => !isDeepStrictEqual(news[key], entry.inputs[key])) === true;
  if (isAsked) count("replaceOnChanges");
  if (replaces.length === 0 && !isAsked) return { ...first, does: "update" };
  // Pulumi: the inputs of what is replaced are checked once more, as for a new one.
  return { ...(await check({})), does: replaces.length > 0 ? "replace" : "force", isOldFirst: deleteBeforeReplace };
}
