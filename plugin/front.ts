// The handlers as a Pulumi plugin offers them. Beside the values, the engine tells a plugin what it does not tell a dynamic
// provider: the URN, the old inputs, time limits, and that a create or update is only previewed. Plain values on both sides.

import { InputError } from "../provider/domain/errors";
import {
  containsUnknown,
  isEqual,
  isPlainObject,
  pick,
  show,
  textOf,
  UNKNOWN,
  type Values,
} from "../provider/domain/values/value";
import { describePaths } from "../provider/domain/config/previewWarnings";
import { stackInUrn } from "../provider/domain/values/urn";
import { AT_ONCE, type CallContext, PROGRESS_DELAY_MS, type RunCall } from "../provider/host/calls";
import { checked } from "../provider/host/handlers";
import { create } from "../provider/core/create";
import { remove } from "../provider/core/delete";
import { changedInputs, diff } from "../provider/core/diff";
import { previewUpdate } from "../provider/core/preview";
import { read } from "../provider/core/read";
import { update } from "../provider/core/update";
import type { Resource } from "../provider/core/kind";
import { declaredInputs } from "../provider/core/declared";
import { isProtected } from "../provider/core/protection";
import {
  inputKeys,
  isDeclaredBy,
  isRecorded,
  labelOf,
  keysWhere,
  lostWithAnswer,
  visible,
  withInputsOf,
  withManaged,
} from "../provider/core/state";
import type { Memory } from "../provider/core/runView";
import { ID_NAMES, OF_CLASS, providerLine } from "../provider/pulumi/stateNames";

/** What every call of the engine says. */
export interface HandlerCall {
  urn: string;
  limitMs?: number | undefined;
  /** What no line may show. */
  secrets?: readonly string[] | undefined;
  /** Of a `diff`. */
  ignoreChanges?: readonly string[];
  /** Of a `read`: Pulumi sends no inputs at all. */
  isImport?: boolean | undefined;
}

export interface PropertyChange {
  /** Like `haReplicas.replicaCount`. */
  path: string;
  kind: "add" | "update" | "delete";
  replaces: boolean;
}

export interface DetailedDiff {
  hasChanges: boolean;
  changes: PropertyChange[];
  replaces: readonly string[];
  deleteBeforeReplace: boolean;
}

/** The handlers of one kind of resource. */
export interface Front {
  check(call: HandlerCall, olds: Values, news: Values): Promise<ReturnType<typeof checked>>;
  diff(call: HandlerCall, id: string, olds: Values, oldInputs: Values, news: Values): Promise<DetailedDiff>;
  create(call: HandlerCall, news: Values, isPreview: boolean): Promise<{ id: string; outs: Values }>;
  update(
    call: HandlerCall,
    id: string,
    olds: Values,
    oldInputs: Values,
    news: Values,
    isPreview: boolean,
  ): Promise<{ outs: Values }>;
  /** Without `inputs` it is an import, or a `get`. An empty answer: the object is gone. */
  read(
    call: HandlerCall,
    id: string,
    props: Values,
    inputs: Values,
  ): Promise<{ id?: string; props?: Values; inputs?: Values }>;
  delete(call: HandlerCall, id: string, props: Values, oldInputs: Values): Promise<void>;
}

/** `outputs`: the names of all outputs of the kind. */
export function createFront(resource: Resource, memory: Memory, call: RunCall, outputs: readonly string[]): Front {
  const { kind } = resource;
  const named = ({ urn, secrets }: HandlerCall, values: Values): Values => ({
    ...values,
    __urn: urn,
    __provider: providerLine(kind),
    __secrets: secrets,
  });
  const within = (context: CallContext, { limitMs }: HandlerCall): CallContext => ({ ...context, limitMs });
  /** With the line by which the dynamic form finds its handlers: a stack that goes back to it has it in every state. */
  const kept = ({ urn }: HandlerCall, id: string, outs: Values): Values => ({
    ...outs,
    [ID_NAMES[kind]]: id,
    __provider: providerLine(kind),
    __stack: stackInUrn(urn),
  });
  const ofClasses = new Set<string>();
  // Pulumi: no provider sees or sets the option.
  const warnOfProtection = ({ urn }: HandlerCall, { warn }: CallContext, before: Values, outs: Values): void => {
    if (isProtected(before) || !isProtected(outs) || ofClasses.has(urn)) return;
    warn(
      `${labelOf(resource, outs, "")} is protected against deletion: set Pulumi's \`protect\` option as well, or a ` +
        "destroy deletes other resources before it reaches this one and is refused",
    );
  };
  const withUnknowns = (known: Values): Values => ({
    ...Object.fromEntries(outputs.map((key) => [key, UNKNOWN])),
    ...known,
  });
  return {
    check: (given, olds, news) => {
      if (news[OF_CLASS] !== undefined) ofClasses.add(given.urn);
      return call(named(given, news), AT_ONCE, (context) =>
        checked(resource, context, visible(olds), named(given, news)),
      );
    },

    diff: (given, id, olds, oldInputs, news) => {
      const [state, raw] = [stateWith(resource, olds, oldInputs), named(given, news)];
      const work = (context: CallContext): DetailedDiff => {
        // The classes for TypeScript have said it.
        const paths = ofClasses.has(given.urn) ? [] : (given.ignoreChanges ?? []);
        const said = describePaths("ignoreChanges", paths, Object.keys(resource.fields));
        if (said !== undefined) context.warn(said);
        return differenceOf(resource, diff(resource, context, id, state, raw), state, visible(news));
      };
      return call(raw, AT_ONCE, work, olds);
    },

    create: (given, news, isPreview) => {
      if (isPreview) return Promise.resolve({ id: "", outs: withUnknowns(visible(news)) });
      return call(named(given, news), PROGRESS_DELAY_MS, async (context) => {
        const { id, outs } = await create(resource, within(context, given), named(given, news));
        warnOfProtection(given, context, {}, outs);
        return { id, outs: kept(given, id, outs) };
      });
    },

    update: (given, id, olds, oldInputs, news, isPreview) => {
      const state = stateWith(resource, olds, oldInputs);
      if (isPreview) {
        const { known: others, isWhole } = previewUpdate(resource, memory, state, news);
        const known = { ...others, [ID_NAMES[kind]]: id };
        // Pulumi: the class takes an output that a state with this record does not have for absent.
        return Promise.resolve({ outs: isWhole ? withManaged(known, inputKeys(news)) : withUnknowns(known) });
      }
      const work = async (context: CallContext): Promise<{ outs: Values }> => {
        const { outs } = await update(resource, within(context, given), id, state, named(given, news));
        warnOfProtection(given, context, state, outs);
        return { outs: kept(given, id, outs) };
      };
      return call(named(given, news), PROGRESS_DELAY_MS, work, olds);
    },

    read: (given, id, props, inputs) => {
      const isRefresh = isRecorded(props);
      const isDeclared = isDeclaredBy(resource, inputs);
      const recorded = isDeclared ? stateWith(resource, props, inputs) : withManaged(props, []);
      const known = isRefresh ? recorded : { ...props, ...inputs };
      const work = async (context: CallContext): ReturnType<Front["read"]> => {
        const locate = async (): Promise<{ id: string; state: Values }> => located(resource, id, known);
        const found = isRefresh ? { id, state: known } : await memory.view.change(context.identity, locate);
        const seen = await read(resource, within(context, given), found.id, named(given, found.state));
        if (seen.props === undefined) return {};
        if (isRefresh) return { ...seen, props: kept(given, found.id, seen.props), ...(isDeclared ? {} : { inputs }) };
        const lost = given.isImport === true ? lostWithAnswer(resource, seen.props) : undefined;
        if (lost !== undefined) context.warn(`${labelOf(resource, seen.props, found.id)}: ${lost}`);
        const imported = importedInputs(resource, seen.props);
        // What only refers to the object manages nothing of it.
        const state = withManaged(seen.props, given.isImport === true ? inputKeys(imported) : []);
        return { id: found.id, props: kept(given, found.id, state), inputs: imported };
      };
      return call(named(given, known), PROGRESS_DELAY_MS, work, props);
    },

    delete: (given, id, props, oldInputs) => {
      const state = named(given, stateWith(resource, props, oldInputs));
      const work = (context: CallContext): Promise<void> => remove(resource, within(context, given), id, state);
      return call(state, PROGRESS_DELAY_MS, work, props);
    },
  };
}

function stateWith(resource: Resource, { __urn, __provider, ...state }: Values, oldInputs: Values): Values {
  return withInputsOf(resource, state, oldInputs);
}

/** What no program has given does not end by being left out: an import must not detach a service. */
function importedInputs(resource: Resource, state: Values): Values {
  const kept = keysWhere(resource, ({ whenDropped }) => whenDropped === undefined);
  return pick(declaredInputs(resource, state), kept);
}

/** An object inside another one is imported as "PARENT/ID". */
function located({ noun, parent: inside }: Resource, given: string, values: Values): { id: string; state: Values } {
  const parentKey = inside?.key;
  if (parentKey === undefined || textOf(values, parentKey) !== undefined) return { id: given, state: values };
  const [parent, ...rest] = given.split("/");
  if (rest.length === 0) {
    const hint = `Give "PARENT/${given}", with its ${parentKey} for PARENT.`;
    throw new InputError(
      "id-needs-parent",
      "id",
      `${noun} ${show(given)} is inside another object, so its id here must name that one too`,
      hint,
    );
  }
  return { id: rest.join("/"), state: { ...values, [parentKey]: parent } };
}

function differenceOf(resource: Resource, found: ReturnType<typeof diff>, state: Values, news: Values): DetailedDiff {
  const { changes, replaces = [], deleteBeforeReplace = false } = found;
  const changed = changes === false ? [] : changedInputs(resource, state, news);
  const paths = [...new Set([...changed, ...replaces])].flatMap((key) =>
    pathsOf(key, pickAsGiven(state[key], news[key]), news[key]).map((path) => ({
      ...path,
      replaces: replaces.includes(key),
    })),
  );
  return { hasChanges: changes === true || paths.length > 0, changes: paths, replaces, deleteBeforeReplace };
}

/** Members that the program does not give are not managed. */
function pickAsGiven(before: unknown, now: unknown): unknown {
  return isPlainObject(before) && isPlainObject(now) ? pick(before, Object.keys(now)) : before;
}

function pathsOf(path: string, before: unknown, now: unknown): Omit<PropertyChange, "replaces">[] {
  if (isPlainObject(before) && isPlainObject(now) && !containsUnknown(now)) {
    return Object.keys(now)
      .filter((key) => !isEqual(before[key], now[key]))
      .flatMap((key) => pathsOf(`${path}.${key}`, before[key], now[key]));
  }
  const kind = before === undefined ? "add" : now === undefined ? "delete" : "update";
  return [{ path, kind }];
}
