// Compares the live objects of a stack with its state, and predicts what the next `up --refresh` does: by `check` and `diff`
// like the engine, with the planner of preview and update. Makes no requests.

import { ProviderError } from "../../provider/domain/errors";
import { isEqual, show, textOf, type Values } from "../../provider/domain/values/value";
import { previewPlan } from "../../provider/core/announce";
import { check } from "../../provider/core/check";
import { diff } from "../../provider/core/diff";
import type { Resource } from "../../provider/core/kind";
import { Memory } from "../../provider/core/runView";
import { isAsWanted, valuesOf } from "../../provider/core/compare";
import { addressKeys, owedOf, sentOf, visible } from "../../provider/core/state";
import { isProductionTag } from "../../provider/domain/sharedFields";
import { isProtectable, isProtected } from "../../provider/core/protection";
import { type EntryReading, SILENT, type StackReading } from "./collect";
import type {
  Attention,
  Changed,
  Finding,
  Ignored,
  Missing,
  Moved,
  NextUp,
  Owed,
  Place,
  Unknown,
  Unprotected,
} from "./findings";
import { resources, CREATING, type StateEntry, type StackState } from "./state";

/** `skipSecretInputs`: whether inputs that are encrypted in the state are left out silently. */
export function compareStack({ stack, readings }: StackReading, skipSecretInputs = false): Finding[] {
  // Pulumi: the refresh of an `up --refresh` runs in a separate provider process. This is the memory of the second process.
  const memory = new Memory();
  return [
    ...readings.flatMap((reading) => compareReading(reading, memory, skipSecretInputs)),
    ...stack.entries.filter(({ isToBeDeleted }) => isToBeDeleted).map((entry) => owed(entry, ["delete"])),
    ...unfinishedIn(stack),
  ];
}

function compareReading({ entry, outcome }: EntryReading, memory: Memory, skipSecretInputs: boolean): Finding[] {
  if (outcome.is === "unread") return [unknown(entry, outcome.reason, outcome.remedy)];
  if (outcome.is === "gone") return [missing(entry, outcome.mustStay)];
  if (outcome.is === "moving") {
    if (outcome.isDeleting) return [beingDeleted(entry, outcome.status)];
    return [unsettled(entry, outcome.status), ...attention(entry, { status: outcome.status })];
  }
  return [
    ...compareRead({ entry, resource: resources[entry.kind], ...outcome }, memory),
    ...(skipSecretInputs ? [] : notCompared(entry)),
  ];
}

function unfinishedIn({ name: stack, entries, unfinished }: StackState): Owed[] {
  return unfinished.map(({ urn, name, kind, operation }) => {
    const id = entries.find((entry) => entry.urn === urn)?.id ?? "";
    const steps = [`${operation}, whose outcome is not known`];
    const pending = operation === CREATING ? { isPendingCreate: true as const } : {};
    return { category: "owed", stack, urn, name, type: kind, id, steps, ...pending };
  });
}

function compareRead(read: Compared, memory: Memory): Finding[] {
  const kept = withIgnored(read);
  const compared = withLanded(kept, memory);
  const changed = changedIn(compared, judge(compared, memory));
  const tag = changed.find(({ property }) => property === "environment");
  const lost = unprotected(compared, tag?.next);
  // A lost tag is one finding.
  const isTagLost = lost.some((one) => one.lost === "tag");
  return [
    ...(isTagLost ? changed.filter((one) => one !== tag) : changed),
    ...moves(compared, changed),
    ...lost,
    ...attention(compared.entry, compared.state),
    ...ignoredIn(read, kept.entry),
    ...owedSteps(compared),
  ];
}

function attention(entry: StateEntry, state: Values): Attention[] {
  const status = textOf(state, "status") ?? "";
  const { current: meaning } = resources[entry.kind].statusNote(state, Object.keys(visible(entry.inputs)));
  return meaning === undefined ? [] : [{ category: "attention", ...placeOf(entry), status, meaning }];
}

/** Pulumi: in place of an ignored input the engine takes that of the state, which is the live one after a refresh. */
function withIgnored(read: Compared): Compared {
  const { entry, inputs } = read;
  const said = entry.ignores.reduce(
    (program, path) => reset(program, inputs, path.match(/[^.[\]"]+/g) ?? []),
    entry.inputs,
  );
  return { ...read, entry: { ...entry, inputs: said } };
}

/** The program's values with the live one at a path. What the program does not give stays away. */
function reset(program: Values, live: Values, [name, ...rest]: readonly string[]): Values {
  const all = Object.entries(program).map(([key, value]): [string, unknown] => {
    if (name !== "*" && name !== key) return [key, value];
    const isWhole = rest.length === 0 || typeof value !== "object" || value === null;
    return [key, isWhole ? live[key] : reset(value as Values, (live[key] ?? {}) as Values, rest)];
  });
  return Object.fromEntries(all);
}

function ignoredIn({ entry, resource, inputs }: Compared, kept: StateEntry): Ignored[] {
  return Object.keys(visible(entry.inputs))
    .filter((key) => !isEqual(entry.inputs[key], kept.inputs[key]))
    .filter((key) => !isAsWanted(resource.fields[key], entry.inputs[key], inputs[key]))
    .map((property) => ({
      category: "ignored",
      ...placeOf(entry),
      property,
      program: entry.inputs[property],
      live: inputs[property] ?? null,
    }));
}

/**
 * Pulumi: after an update that failed half-way the old inputs are kept, although some steps have landed. A live value that
 * equals the outputs, and is not owed, is the program's value.
 */
function withLanded(compared: Compared, memory: Memory): Compared {
  const { entry, resource, inputs, state } = compared;
  if (owedOf(entry.outputs).length === 0) return compared;
  const left = owedOf(state);
  const sent = { ...entry.outputs, ...valuesOf(sentOf(entry.outputs)) };
  const landed = judge(compared, memory)
    .steps.filter(({ operation }) => !left.includes(operation))
    .flatMap(({ properties }) => properties)
    .filter((key) => [entry.outputs, sent].some((one) => isAsWanted(resource.fields[key], one[key], inputs[key])));
  const said = Object.fromEntries(landed.map((key) => [key, inputs[key]]));
  return { ...compared, entry: { ...entry, inputs: { ...entry.inputs, ...said } } };
}

function changedIn(compared: Compared, next: Judgement): Changed[] {
  const { entry, resource, state, inputs } = compared;
  const differing =
    next.action === "nothing"
      ? []
      : Object.keys(visible(entry.inputs)).filter(
          (key) => entry.inputs[key] !== undefined && !isAsWanted(resource.fields[key], entry.inputs[key], inputs[key]),
        );
  const findings = differing.map((property): Changed => ({
    category: "changed",
    ...placeOf(entry),
    property,
    program: entry.inputs[property],
    live: inputs[property] ?? null,
    next: withDoubt(entry, property, actionFor(property, differing, next, resource)),
  }));
  // What has failed otherwise needs attention, because no run does anything about it.
  if (resource.statusNote(state, []).failure === undefined) return findings;
  return [
    ...findings,
    {
      category: "changed",
      ...placeOf(entry),
      property: "status",
      program: entry.outputs["status"] ?? null,
      live: state["status"] ?? null,
      next: actionFor("status", differing, next, resource),
    },
  ];
}

/** A name that check filled in is not compared, because the next run keeps the existing name. */
function withDoubt({ isNameUncertain }: StateEntry, property: string, next: NextUp): NextUp {
  if (property !== "name" || !isNameUncertain || next.action === "refused") return next;
  return { ...next, reason: "only if the program gives the name; a default name is left as it is" };
}

function moves({ entry, resource, state }: Compared, changed: readonly Changed[]): Moved[] {
  const container = resource.container?.key ?? "";
  // The address to connect to says more than the ones that came and went, and why it moved comes first.
  const isElsewhere = !isEqual(entry.outputs[container], state[container]);
  const keys = isElsewhere ? ["host", "poolerHost"] : addressKeys(resource);
  const moved = [
    ...(isElsewhere ? [container] : []),
    ...keys.filter((key) => entry.outputs[key] !== undefined && !isEqual(entry.outputs[key], state[key])),
  ];
  return moved
    .filter((property) => !changed.some((one) => explains(one, property)))
    .map((property) => ({
      category: "moved",
      ...placeOf(entry),
      property,
      recorded: entry.outputs[property] ?? null,
      live: state[property] ?? null,
    }));
}

/** A setting that moves addresses. The addresses are not separate findings. */
function explains({ property }: Changed, address: string): boolean {
  return property === "vpcId" || (property === "poolerEnabled" && address === "connectionPooler");
}

/** API: when a service moves, its read replica sets move with it, whichever stack they are in. */
export function withoutConsequences(findings: readonly Finding[], entries: readonly StateEntry[]): Finding[] {
  const movers = new Set(findings.flatMap((one) => ("property" in one && one.property === "vpcId" ? [one.id] : [])));
  const parents = new Map(entries.map(({ urn, stack, outputs }) => [`${stack} ${urn}`, outputs["serviceId"]]));
  return findings.filter((one) => {
    if (one.category !== "moved" || one.type !== "ReadReplicaSet") return true;
    const parent = parents.get(`${one.stack} ${one.urn}`);
    return typeof parent !== "string" || !movers.has(parent);
  });
}

/** `tag` is what the next run does about a differing tag. */
function unprotected({ entry, resource, state }: Compared, tag: NextUp | undefined): Unprotected[] {
  if (!("environment" in resource.fields)) return [];
  const [recorded, live] = [entry.outputs["environment"] ?? null, state["environment"] ?? null];
  const place = { category: "unprotected" as const, ...placeOf(entry) };
  const found: Unprotected[] = [];
  if (isProductionTag(recorded) && !isProductionTag(live) && !entry.secretInputs.includes("environment")) {
    const meaning = `the tag PROD is gone: it is ${show(live)} now`;
    found.push({ ...place, lost: "tag", recorded, live, meaning, ...(tag === undefined ? {} : { next: tag }) });
  }
  const declared = entry.inputs["deletionProtection"];
  if (!("deletionProtection" in resource.fields) || declared === false) return found;
  const isStored = isProtected(entry.outputs);
  const wanted = entry.inputs["environment"] ?? live;
  if (isStored && declared === undefined && !isProductionTag(wanted)) {
    const meaning =
      "it is protected only because it was tagged PROD: its next update ends the protection, unless the program still has that tag";
    found.push({ ...place, lost: "protection", recorded: true, live: false, meaning });
  }
  // If the program has another tag, the next update sets that, and the live tag protects nothing then.
  if (!isStored && (declared === true || isProductionTag(wanted))) {
    const why = declared === true ? "the program says so" : "it is tagged PROD now";
    const meaning = `${why}, and no run has stored the protection yet: its next update does`;
    found.push({ ...place, lost: "protection", recorded: false, live: true, meaning });
  }
  return found;
}

function owedSteps({ entry, state }: Compared): Owed[] {
  const steps = owedOf(state);
  if (steps.length > 0) return [owed(entry, steps)];
  return entry.hasFailed ? [owed(entry, ["an update, because the last one ended early"])] : [];
}

function owed(entry: StateEntry, steps: readonly string[]): Owed {
  return { category: "owed", ...placeOf(entry), steps: [...steps] };
}

function notCompared(entry: StateEntry): Unknown[] {
  if (entry.secretInputs.length === 0) return [];
  const keys = entry.secretInputs.join(", ");
  return [
    unknown(
      entry,
      `the state holds ${keys} encrypted, so it cannot be compared`,
      "Remove `pulumi.secret` if the value is not a secret, or use --skip-secret-inputs.",
    ),
  ];
}

function missing(entry: StateEntry, mustStay: boolean): Missing {
  const resource = resources[entry.kind];
  const next = mustStay
    ? nextUp("refused", { reason: "it stays in the state, so that no empty one replaces it" })
    : nextUp("create", { effects: [`a new${isProtectable(resource) ? " and EMPTY" : ""} ${resource.noun} is made`] });
  return { category: "missing", ...placeOf(entry), next };
}

function beingDeleted(entry: StateEntry, status: string): Missing {
  return { category: "missing", ...placeOf(entry), status, next: nextUp("nothing") };
}

function unsettled(entry: StateEntry, status: string): Unknown {
  return unknown(
    entry,
    `it is ${status}: its settings can be compared when that has finished`,
    "Run the same command again then.",
  );
}

function unknown(entry: StateEntry, reason: string, remedy: string | undefined): Unknown {
  const { stack, urn, name, kind: type, id } = entry;
  return {
    category: "unknown",
    about: [{ stack, urn, name, type, id }],
    reason,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

function placeOf({ stack, urn, name, kind, id, outputs, inputs }: StateEntry): Place {
  const own = outputs["name"] ?? inputs["name"];
  return { stack, urn, name, type: kind, id, ...(typeof own === "string" ? { objectName: own } : {}) };
}

/** One resource with the result of its read. */
interface Compared {
  entry: StateEntry;
  resource: Resource;
  /** The state that a refresh would write. */
  state: Values;
  /** The inputs that it would write. */
  inputs: Values;
}

/** The inputs of the program. For an encrypted input, which cannot be compared, the live value stands in. */
function programOf({ entry, inputs }: Compared): Values {
  const hidden = Object.entries(inputs).filter(([key]) => entry.secretInputs.includes(key));
  return { ...entry.inputs, ...Object.fromEntries(hidden) };
}

interface Judgement {
  action: "nothing" | "update" | "replace" | "refused";
  /** The calls, and the inputs that each one serves. */
  steps: readonly { operation: string; properties: readonly string[]; effect?: string | undefined }[];
  reason?: string;
}

function judge(compared: Compared, memory: Memory): Judgement {
  const { entry, resource, state, inputs } = compared;
  const news = programOf(compared);
  const context = { ...SILENT, memory, identity: { key: entry.urn, name: entry.name } };
  const refused = (reason: string): Judgement => ({ action: "refused", steps: [], reason });
  try {
    const { failures } = check(resource, context, inputs, news);
    if (failures.length > 0) return refused(failures.join("; "));
    const { changes, replaces = [] } = diff(resource, context, entry.id, state, news);
    if (replaces.length > 0) return { action: "replace", steps: [] };
    const { steps } = previewPlan(resource, state, news);
    const isSame = changes === false || (changes === undefined && isEqual(visible(news), visible(inputs)));
    return { action: isSame ? "nothing" : "update", steps };
  } catch (error) {
    if (error instanceof ProviderError) return refused(error.withRemedy);
    throw error;
  }
}

/** The steps that change a property, and those around them that change no differing one: a start before a change. */
function actionFor(property: string, differing: readonly string[], next: Judgement, resource: Resource): NextUp {
  const { action, steps, reason } = next;
  if (action === "replace") {
    const effect = isProtectable(resource) ? "it is replaced by a new and EMPTY one" : resource.replacementEffect;
    return nextUp(action, { effects: effect === undefined ? [] : [effect] });
  }
  if (action !== "update") return nextUp(action, reason === undefined ? {} : { reason });
  const serves = (properties: readonly string[]): boolean =>
    properties.includes(property) || !properties.some((other) => differing.includes(other));
  const mine = steps.filter(({ properties }) => serves(properties));
  const isRepaired = steps.some(({ properties }) => properties.includes(property));
  if (!isRepaired) return nextUp("nothing");
  return nextUp(action, {
    calls: mine.map(({ operation }) => operation),
    effects: [...new Set(mine.flatMap(({ effect }) => effect ?? []))],
  });
}

function nextUp(action: NextUp["action"], more: Partial<NextUp> = {}): NextUp {
  return { action, calls: [], effects: [], ...more };
}
