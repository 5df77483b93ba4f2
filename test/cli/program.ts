// The command line within a test: the same code as the installed command, with its own environment, folder and ends.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
import type { Io } from "../../cli/command";
import { runProgram } from "../../cli/program";
import { temporaryFolder } from "../support/folder";

export interface Ended {
  code: number;
  out: string;
  error: string;
}

export interface CommandLine {
  readonly emulator: Emulator;
  readonly folder: string;
  run(args: readonly string[], changes?: Changes): Promise<Ended>;
  /** A file of the folder. */
  read(file: string): string;
}

export interface Changes {
  environment?: Record<string, string>;
  signal?: AbortSignal;
  onOut?: (text: string) => void;
  parts?: Io["clientParts"];
}

/** Runs commands in a folder, against an emulator. `parts`: a clock and a transport for the client. */
export const commandLineIn =
  (emulator: Emulator, folder: string, usual: Record<string, string> = {}): CommandLine["run"] =>
  async (args, { environment = {}, signal, onOut, parts } = {}) => {
    const ended: Ended = { code: 0, out: "", error: "" };
    ended.code = await runProgram(args, {
      out: (text) => {
        ended.out += text;
        onOut?.(text);
      },
      error: (text) => {
        ended.error += text;
      },
      cwd: folder,
      environment: {
        DBCLOUD_BASE_URL: emulator.baseUrl,
        DBCLOUD_API_KEY: emulator.apiKey,
        DBCLOUD_MAX_REQUESTS_PER_SECOND: "100000",
        ...usual,
        ...environment,
      },
      ...(parts && { clientParts: parts }),
      ...(signal && { signal }),
    });
    return ended;
  };

export let line: CommandLine;

/** Opens a command line, with a project and a folder of its own, before each test. */
export function useCommandLine(options: EmulatorOptions = {}, prepare: () => void = () => undefined): void {
  beforeEach(async () => {
    const folder = temporaryFolder();
    const emulator = await createEmulator({ seed: 1, ...options });
    onTestFinished(() => emulator.close());
    const run = commandLineIn(emulator, folder, { DBCLOUD_PROJECT_ID: emulator.projectId });
    const read = (file: string): string => readFileSync(path.join(folder, file), "utf8");
    line = { emulator, folder, run, read };
    prepare();
  });
}

export interface PulumiCall {
  args: string[];
  environment: Record<string, string>;
}

/**
 * A user's own `pulumi` in this folder, with these stacks and this configuration of the selected one. Without stacks it has
 * no backend. Answers a function for the calls so far.
 */
export function writePulumi(
  folder: string,
  stacks?: Readonly<Record<string, object>>,
  config: Readonly<Record<string, string>> = {},
): () => PulumiCall[] {
  const calls = path.join(folder, "calls");
  const settings = Object.entries(config).map(([name, value]) => [`dbcloud:${name}`, { value, secret: false }]);
  const script = `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const stacks = ${JSON.stringify(stacks ?? {})};
const args = process.argv.slice(2);
const fail = (why) => { console.error("error: " + why); process.exit(1); };
appendFileSync(${JSON.stringify(calls)}, JSON.stringify({ args, environment: process.env }) + "\\n");
if (args[0] === "version") console.log("v3.259.0");
else if (${String(stacks === undefined)}) fail("no backend");
else if (args[0] === "config") console.log(${JSON.stringify(JSON.stringify(Object.fromEntries(settings)))});
else if (args[1] === "ls") console.log(JSON.stringify(Object.keys(stacks).map((name) => ({ name }))));
else {
  const name = args.includes("--stack") ? args[args.indexOf("--stack") + 1] : Object.keys(stacks)[0];
  if (stacks[name] === undefined) fail("no stack named '" + name + "' found");
  console.log(JSON.stringify(stacks[name]));
}
`;
  writeFileSync(path.join(folder, "pulumi"), script, { mode: 0o755 });
  const callIn = (text: string): PulumiCall => JSON.parse(text) as PulumiCall;
  return () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n").map(callIn) : []);
}
