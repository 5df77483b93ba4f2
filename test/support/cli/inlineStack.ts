// An inline program on the real engine; each run is recorded: its steps, and the operations that it called.

import { existsSync, readFileSync } from "node:fs";
import type { EngineEvent, PulumiFn, Stack } from "@pulumi/pulumi/automation";
import type { Emulator } from "../../../emulator/index";
import { classIn } from "../../../provider/pulumi/stateNames";
import { logicalNameOf, ownResources, type State, stateIn } from "./project";

/** An inline program. Unlike one of Pulumi's own type, it may give its outputs at once. */
export type Program = () => Outputs | void | Promise<Outputs | void>;
type Outputs = Record<string, unknown>;

export const pulumiFnOf =
  (program: Program): PulumiFn =>
  async () =>
    program();

/** The record of one run of the engine, without values, so that no secret gets here. */
export interface Run {
  /** `update orders` for every step that changes something, in the engine's own words. */
  steps: string[];
  /** The properties that each step's row names. */
  diffs: Record<string, string[]>;
  summary: Record<string, number>;
  text: string;
  /** Operations that were called, except GETs. */
  calls: string[];
  /** All requests. */
  requests: number;
}

export type InlineStack = ReturnType<typeof inlineStackOf>;

type Options = Record<string, unknown>;

interface Place {
  workDir: string;
  stateFile: string;
  emulator: Emulator;
}

interface Hooks {
  onOutput: (text: string) => void;
  onEvent: (event: EngineEvent) => void;
}

export function inlineStackOf(stack: Stack, { workDir, stateFile, emulator }: Place) {
  const record = async (work: (hooks: Hooks) => Promise<unknown>): Promise<Run> => {
    const run: Run = { steps: [], diffs: {}, summary: {}, text: "", calls: [], requests: 0 };
    const before = emulator.requests().length;
    await work({ onOutput: (text) => (run.text += text), onEvent: (event) => note(run, event) });
    const requests = emulator.requests().slice(before);
    run.requests = requests.length;
    run.calls = requests.filter(({ method }) => method !== "GET").map(({ operation }) => operation ?? "none");
    return run;
  };
  // For its runs, each of which is one call of the CLI.
  const runner = runnerOf(stack);
  return {
    stack,
    workDir,
    program(program: Program): void {
      stack.workspace.program = pulumiFnOf(program);
    },
    /** `adopt`: DBCLOUD_ADOPT of this run. */
    up({ adopt, ...options }: Options & { adopt?: string } = {}): Promise<Run> {
      const { envVars } = stack.workspace;
      delete envVars["DBCLOUD_ADOPT"];
      if (adopt !== undefined) envVars["DBCLOUD_ADOPT"] = adopt;
      return record((hooks) => runner.up({ ...options, ...hooks }));
    },
    preview: (options?: Options) => record((hooks) => runner.preview({ ...options, ...hooks })),
    refresh: (options?: Options) => record((hooks) => runner.refresh({ ...options, ...hooks })),
    destroy: (options?: Options) => record((hooks) => runner.destroy({ ...options, ...hooks })),
    /** Resources of this package, by logical name. */
    resources: () => Promise.resolve(ownResources(stateIn(stateFile))),
    /** The state as the backend stores it: secrets are encrypted. A stack that was removed has none. */
    state: (): State => (existsSync(stateFile) ? stateIn(stateFile) : { deployment: {} }),
    text: () => (existsSync(stateFile) ? readFileSync(stateFile, "utf8") : ""),
  };
}

/**
 * Pulumi: after a run the Automation API calls the CLI three times more, for outputs and a history that the tests do
 * not use.
 */
function runnerOf(stack: Stack): Stack {
  const nothing = { value: () => Promise.resolve({}) };
  return Object.create(stack, { outputs: nothing, info: nothing }) as Stack;
}

function note(run: Run, { resourcePreEvent, summaryEvent }: EngineEvent): void {
  if (summaryEvent !== undefined) run.summary = { ...summaryEvent.resourceChanges };
  const metadata = resourcePreEvent?.metadata;
  if (metadata === undefined || metadata.op === "same" || classIn(metadata.type) === undefined) return;
  run.diffs[logicalNameOf(metadata.urn)] = [...(metadata.diffs ?? [])];
  if (metadata.op !== "refresh") run.steps.push(`${metadata.op} ${logicalNameOf(metadata.urn)}`);
}
