// Tells the judge of the invariants what the real engine did: its events, what it printed, and what it keeps before and
// after a command, in the words of the small engine of the other scenarios.

import type { EngineEvent, ResourcePreEvent } from "@pulumi/pulumi/automation";
import type { Values } from "../../../provider/domain/values/value";
import type { Judge } from "../../invariants/judge/judge";
import type { Entry, Operation, State } from "../../invariants/judge/observer";
import type { Kind } from "../../support/providerProcess";
import type { Program } from "../../invariants/operator/program";

/** A resource as `pulumi stack export --show-secrets` gives it. */
interface Exported {
  urn: string;
  type: string;
  id?: string;
  delete?: boolean;
  inputs?: Values;
  outputs?: Values;
  initErrors?: string[];
  dependencies?: string[];
}

type Step = ResourcePreEvent["metadata"];

const KINDS: Readonly<Record<string, Kind>> = {
  Service: "service",
  Vpc: "vpc",
  Peering: "peering",
  ReadReplicaSet: "readReplicaSet",
};

const OPERATIONS: Readonly<Partial<Record<Step["op"], Operation>>> = {
  create: "create",
  "create-replacement": "create",
  update: "update",
  delete: "delete",
  "delete-replaced": "delete",
  refresh: "read",
};

/** What one command did, as its events say; the judge gets it once the command is over. */
export interface Account {
  begun: Step[];
  done: Step[];
  errors: { urn: string; text: string }[];
  summary: Record<string, number>;
}

export function openAccount(): Account {
  return { begun: [], done: [], errors: [], summary: {} };
}

export function note(account: Account, event: EngineEvent): void {
  const { resourcePreEvent, resOutputsEvent, diagnosticEvent, summaryEvent } = event;
  if (resourcePreEvent !== undefined) account.begun.push(resourcePreEvent.metadata);
  if (resOutputsEvent !== undefined) account.done.push(resOutputsEvent.metadata);
  if (diagnosticEvent?.severity === "error")
    account.errors.push({ urn: diagnosticEvent.urn ?? "", text: diagnosticEvent.message });
  if (summaryEvent !== undefined) account.summary = { ...summaryEvent.resourceChanges };
}

/** What the engine keeps of this package's resources. */
export function stateOf(deployment: { resources?: Exported[] }): State {
  const state: State = { entries: new Map(), replaced: [] };
  for (const resource of deployment.resources ?? []) {
    const kind = kindOf(resource.type);
    if (kind === undefined) continue;
    const { urn, id = "", inputs = {}, outputs = {}, initErrors = [], dependencies = [] } = resource;
    const entry: Entry = {
      logical: nameOf(urn),
      kind,
      id,
      inputs: opened(inputs) as Values,
      outputs: opened(outputs) as Values,
      isHalfMade: initErrors.length > 0,
      isPending: resource.delete === true,
      needs: dependencies.map(nameOf),
    };
    if (resource.delete === true) state.replaced.push(entry);
    else state.entries.set(entry.logical, entry);
  }
  return state;
}

/** One command: what it did, and what the engine kept before and after it. */
export interface Report {
  account: Account;
  before: State;
  after: State;
  program: Program;
  /** The resource that the user replaced by force. */
  forced?: string | undefined;
}

/** Tells the judge of one command, in the order in which the engine does such things. */
export function report(judge: Judge, { account, before, after, program, forced }: Report): void {
  const known = new Map(all(before).map((entry) => [entry.id, entry]));
  const operations = new Map<string, Operation>();
  for (const step of account.begun) {
    const operation = begin(judge, step, { before, program, forced });
    if (operation !== undefined) operations.set(step.urn, operation);
  }
  for (const { urn, text } of account.errors) {
    const kind = kindOf(urn.split("::").at(-2) ?? "") ?? "service";
    judge.failed(operations.get(urn) ?? "update", { logical: nameOf(urn), kind }, failureOf(text));
  }
  for (const entry of all(after)) {
    if (known.get(entry.id)?.logical === entry.logical) continue;
    const args = program.declared.find((one) => one.logical === entry.logical)?.args ?? {};
    judge.created({ ...entry, args }, entry.id);
  }
  for (const step of account.done) {
    const entry = after.entries.get(nameOf(step.urn));
    if (entry === undefined || entry.isHalfMade || kindOf(step.type) === undefined) continue;
    const operation = OPERATIONS[step.op];
    if (operation === "create" || operation === "update") judge.converged(entry);
    if (operations.get(step.urn) === "read") judge.seen(entry);
  }
  const kept = new Set(all(after).map(({ logical, id }) => `${logical} ${id}`));
  for (const entry of all(before)) {
    const isDeleted = account.begun.some((step) => OPERATIONS[step.op] === "delete" && step.old?.id === entry.id);
    if (!kept.has(`${entry.logical} ${entry.id}`)) judge.forgotten(entry, isDeleted ? "delete" : "read");
  }
}

/** Answers which operation began with the step, if one did. */
function begin(
  judge: Judge,
  step: Step,
  { before, program, forced }: Pick<Report, "before" | "program" | "forced">,
): Operation | undefined {
  const kind = kindOf(step.type);
  if (kind === undefined) return undefined;
  const logical = nameOf(step.urn);
  const declared = program.declared.find((one) => one.logical === logical);
  const sameId = all(before).filter(({ id }) => id === step.old?.id);
  const pending = step.op === "delete-replaced" ? sameId.find(({ isPending }) => isPending) : undefined;
  const old = pending ?? sameId.at(-1);
  // What a user forces is asked for.
  const isPlanned = step.op === "replace" && logical !== forced;
  if (isPlanned && declared !== undefined && old !== undefined) judge.replacing(declared, old);
  const operation = OPERATIONS[step.op];
  if (operation === undefined) return undefined;
  judge.operating(operation, { logical, kind });
  if (operation === "create" && declared !== undefined) judge.creating(declared, shown(step));
  if (operation === "delete" && old !== undefined) judge.deleting(old);
  return operation;
}

function all({ entries, replaced }: State): Entry[] {
  return [...entries.values(), ...replaced];
}

function nameOf(urn: string): string {
  return urn.split("::").at(-1) ?? "";
}

function kindOf(type: string): Kind | undefined {
  return KINDS[/dynamic\/dbcloud:(\w+)$/.exec(type)?.[1] ?? ""];
}

/** The inputs that an event shows; secrets are only named there. */
function shown({ new: made }: Step): Values {
  const inputs: Values = { ...(made?.inputs as Values | undefined) };
  delete inputs["password"];
  return inputs;
}

/** What a program of a scenario throws that is to fail. */
export const PROGRAM_FAILS = "the program fails";

/** Only a defect shows where in the code it happened; and of a lost answer the text alone tells. */
function failureOf(text: string): { text: string; code: string | undefined; isPartial: boolean } {
  const isDefect = /^\s+at .+:\d+:\d+/m.test(text) && !text.includes(PROGRAM_FAILS);
  const isUnknown = text.includes("the answer was lost (");
  return { text, code: isDefect ? undefined : isUnknown ? "OUTCOME_UNKNOWN" : "SHOWN", isPartial: false };
}

/** Pulumi: the export wraps secrets, and shows them as JSON inside. */
function opened(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(opened);
  if ("plaintext" in value && typeof value.plaintext === "string") return JSON.parse(value.plaintext);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, opened(one)]));
}
