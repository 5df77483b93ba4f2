// The result of one run: steps and changes by property from the engine's events, announcements, and calls.

import type { EngineEvent, OutputMap, StepEventMetadata } from "@pulumi/pulumi/automation";
import type { OperationName, RequestRecord } from "../emulator/index";
import { TestStackError } from "./error";
import { nameInUrn } from "../provider/domain/values/urn";
import { findNamed, holdsSecret, isStackOrProvider, shortType, visible } from "./state";

/** By property: the value before and after. A secret is the text "[secret]", and what a preview does not know "[unknown]". */
export type Changes = Record<string, [before: unknown, after: unknown]>;

/** One resource in one run. */
export interface Step {
  readonly name: string;
  readonly type: string;
  readonly urn: string;
  /** The engine's own word: `create`, `update`, `delete`, `same`, `refresh` … */
  readonly op: string;
}

export interface RunResult {
  /** Every resource of the run in its order, unchanged ones included. */
  readonly steps: readonly Step[];
  /** The number of resources for each kind of step. */
  readonly summary: Readonly<Record<string, number>>;
  /** All requests to the control plane, in their order. */
  readonly requests: readonly RequestRecord[];
  /** What Pulumi printed. */
  readonly output: string;
  /** What the step of this resource changes, by property: empty if it is unchanged. */
  changes(name: string): Changes;
  /** Messages on the resource's row: effects that its users will notice, and warnings. */
  effects(name: string): string[];
  /**
   * Operations that change something, in order; with a name, those of one resource. Of a run: as the server saw them,
   * refused and repeated ones included. Of a preview: the calls that the planner would send to change a resource in
   * place; it throws if the preview has a create, a replacement or a delete (of that resource, if a name is given),
   * because their calls depend on the answers.
   */
  calls(name?: string): OperationName[];
}

export interface UpResult extends RunResult {
  /** The stack's outputs. */
  readonly outputs: OutputMap;
}

/** Records what happens in a run. */
export interface Recorder {
  readonly onEvent: (event: EngineEvent) => void;
  readonly onOutput: (text: string) => void;
  readonly onRequest: (request: RequestRecord) => void;
  readonly result: (createdBy: CreatedBy) => RunResult;
}

/** The id of the request that made each object, by the object's id. */
export type CreatedBy = ReadonlyMap<string, string>;

interface Seen {
  metadata: StepEventMetadata;
  /** The final event: with the id of a new object. */
  ended?: StepEventMetadata;
}

export function createRecorder(isPreview: boolean): Recorder {
  const seen: Seen[] = [];
  const lines = new Map<string, string[]>();
  const planned = new Map<string, OperationName[]>();
  const requests: RequestRecord[] = [];
  let output = "";
  let summary: Record<string, number> = {};
  const note = ({ urn = "", message, severity }: { urn?: string; message: string; severity: string }): void => {
    const text = message.replaceAll(/<\{%[^%]*%\}>/g, "").trim();
    if (severity !== "warning" && CALLS_LINE.test(text)) planned.set(urn, operationsIn(text));
    if (severity === "warning") lines.set(urn, [...(lines.get(urn) ?? []), text.replace(/^warning: /, "")]);
  };
  return {
    onOutput: (text) => void (output += text),
    onRequest: (request) => void requests.push(request),
    onEvent({ resourcePreEvent, resOutputsEvent, diagnosticEvent, summaryEvent }) {
      if (diagnosticEvent) note(diagnosticEvent);
      if (summaryEvent) summary = { ...summaryEvent.resourceChanges };
      const begun = resourcePreEvent?.metadata;
      if (begun && !isStackOrProvider(begun.type)) seen.push({ metadata: begun });
      const ended = resOutputsEvent?.metadata;
      if (!ended) return;
      const entry = seen.findLast(({ metadata }) => metadata.urn === ended.urn);
      if (entry) entry.ended = ended;
    },
    result: (createdBy) => resultOf({ isPreview, seen, lines, planned, requests, output, summary }, createdBy),
  };
}

/** The record of one run. */
interface Recorded {
  isPreview: boolean;
  seen: readonly Seen[];
  /** The warnings on each row. */
  lines: ReadonlyMap<string, readonly string[]>;
  planned: ReadonlyMap<string, OperationName[]>;
  requests: RequestRecord[];
  output: string;
  summary: Record<string, number>;
}

function resultOf(recorded: Recorded, createdBy: CreatedBy): RunResult {
  const { isPreview, seen, lines, planned, requests, output, summary } = recorded;
  const steps = stepsOf(seen);
  const entryOf = (name: string): Seen => deciding(seen, findNamed(steps, name).urn);
  return {
    steps,
    summary,
    requests,
    output,
    changes: (name) => changesOf(entryOf(name)),
    effects: (name) => [...new Set(lines.get(findNamed(steps, name).urn) ?? [])],
    calls(name) {
      if (isPreview) return plannedCalls(steps, planned, name);
      const wanted = name === undefined ? undefined : idsOf(seen, findNamed(steps, name).urn);
      return requests
        .filter(({ method }) => method !== "GET")
        .filter((request) => wanted === undefined || concerns(request, wanted, createdBy))
        .flatMap(({ operation }) => operation ?? []);
    },
  };
}

/** In the provider's format: `service orders (ID): calls: rename, resize`. */
const CALLS_LINE = /: calls: (\w+(?:, \w+)*)$/;

const operationsIn = (text: string): OperationName[] =>
  (CALLS_LINE.exec(text)?.[1]?.split(", ") ?? []) as OperationName[];

function plannedCalls(
  steps: readonly Step[],
  planned: ReadonlyMap<string, OperationName[]>,
  name: string | undefined,
): OperationName[] {
  const asked = name === undefined ? steps : [findNamed(steps, name)];
  return asked.flatMap(({ urn, op, name: own }) => {
    if (op === "same" || op === "refresh" || op === "read") return [];
    if (op === "update") return planned.get(urn) ?? [];
    throw new TestStackError(
      `a preview knows the calls of changes in place; "${own}" will get: ${op}. \`up()\` says what was called`,
    );
  });
}

/** One entry for each resource: the step of the program, or its refresh if there is no other. */
function stepsOf(seen: readonly Seen[]): Step[] {
  const urns = [...new Set(seen.map(({ metadata }) => metadata.urn))];
  return urns.map((urn) => {
    const { metadata, ended } = deciding(seen, urn);
    const op = metadata.op === "refresh" ? (ended?.op ?? "refresh") : metadata.op;
    return { name: nameInUrn(urn), type: shortType(metadata.type), urn, op };
  });
}

/** Pulumi: a replacement has one step for the whole, one for the new object and one for the old one. */
function deciding(seen: readonly Seen[], urn: string): Seen {
  const own = seen.filter(({ metadata }) => metadata.urn === urn);
  const [first] = own;
  const decides =
    own.find(({ metadata }) => metadata.op === "replace") ??
    own.findLast(({ metadata }) => metadata.op !== "refresh") ??
    first;
  if (decides === undefined) throw new TestStackError(`the run did not reach ${urn}`);
  return decides;
}

function changesOf({ metadata, ended }: Seen): Changes {
  const { op, old, new: now, diffs } = metadata.op === "refresh" ? (ended ?? metadata) : metadata;
  if (op === "same" || op === "read") return {};
  const [before, after] = [visible(old?.inputs), visible(now?.inputs)];
  const keys = named(diffs) ?? [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const pairs = keys.map((key): [string, [unknown, unknown]] => [key, [before[key], after[key]]]);
  return Object.fromEntries(
    pairs.filter(([, [one, other]]) => (op !== "delete" ? !isSame(one, other) || holdsSecret(one) : true)),
  );
}

/** Pulumi: the event names no property if the whole resource is created or deleted. */
function named(diffs: readonly string[] | undefined): string[] | undefined {
  if (diffs === undefined || diffs.length === 0) return undefined;
  return [...new Set(diffs.map((one) => one.split(/[.[]/)[0] ?? one))].filter((key) => !key.startsWith("__"));
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
function idsOf(seen: readonly Seen[], urn: string): ReadonlySet<string> {
  const own = seen.filter(({ metadata }) => metadata.urn === urn);
  const ids = own.flatMap(({ metadata, ended }) => [
    metadata.old?.id,
    metadata.new?.id,
    ended?.old?.id,
    ended?.new?.id,
  ]);
  return new Set(ids.flatMap((id) => (id === undefined || id === "" ? [] : id)));
}

/** A create concerns the object it made; every other request the innermost object of its path. */
function concerns({ id, params }: RequestRecord, wanted: ReadonlySet<string>, createdBy: CreatedBy): boolean {
  const made = [...createdBy].filter(([, requestId]) => requestId === id).map(([object]) => object);
  if (made.length > 0) return made.some((object) => wanted.has(object));
  return wanted.has(Object.values(params).at(-1) ?? "");
}
