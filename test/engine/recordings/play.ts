// Plays one case on the machine of the walk, and gives the calls of its command as text.

import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { callCli } from "../walk/cli";
import { idsOf } from "../walk/report";
import { lookAt, type Machine, openMachine, resourceOf } from "../walk/machine";
import { type Case, type Program, shown } from "./case";
import { optionsIn } from "./choices";
import { forced } from "./programs";
import { type Call, callsIn, type Line, namesOf, type Objects, textOf } from "./calls";

export interface Recording {
  command: string;
  /** The resource options of the programs. */
  options?: string;
  /** The calls of the preview, where they are not those of the command without `create`, `update` and `delete`. */
  preview?: string;
  calls: string;
  /** What has left the state, and still exists. */
  left?: string;
}

/** What cases have in common that differ in the command alone: the first `up` and the steps are done. */
interface Situation {
  programs: Case["programs"];
  steps: Case["steps"];
  machine: Machine;
  objects: Objects;
  options: ReadonlySet<string>;
  /** Puts everything back to here. */
  back: () => void;
}

let current: Situation | undefined;

/** Without a preview it takes two thirds of the time. */
export async function play(one: Case, { isPreviewed }: { isPreviewed: boolean }): Promise<Recording> {
  const [first, next = first] = one.programs;
  const { machine, objects: known, options: had } = await situationOf(one);
  const objects: Objects = new Map([...known].map(([name, ids]) => [name, [...ids]]));
  const options = new Set(had);
  /** All calls, and those that only compare. */
  const record = async (words: string): Promise<{ all: string; comparing: string }> => {
    const { isFailed, calls } = await execute(machine, words, noting(next, options));
    const told = (some: readonly Call[]): string =>
      [textOf(some, objects) || "none", ...(isFailed ? ["the command fails"] : [])].join("; ");
    return { all: told(calls), comparing: told(calls.filter(({ method }) => !CHANGING.has(method))) };
  };
  const previewed = isPreviewed ? previewOf(one.command) : undefined;
  const preview = previewed === undefined ? undefined : await record(previewed);
  const before = idsOf(lookAt(machine).entries);
  const recorded = await record(one.command);
  const after = lookAt(machine);
  const named = idsOf(after.entries);
  const left = [...after.objects.keys()].filter((id) => before.has(id) && !named.has(id));
  return {
    command: shown(one.command),
    ...written("options", [...options].toSorted()),
    ...(preview === undefined || preview.all === recorded.comparing ? {} : { preview: preview.all }),
    calls: recorded.all,
    ...written("left", namesOf(left, objects)),
  };
}

async function situationOf({ programs, steps }: Case): Promise<Situation> {
  if (current?.programs === programs && current.steps === steps) {
    current.back();
    return current;
  }
  await endPlay();
  forced.clear();
  const machine = await openMachine(1, "dynamic");
  const objects: Objects = new Map();
  const options = new Set<string>();
  const { folder, emulator } = machine.world;
  const copy = `${folder}-before`;
  const back = (): void => {
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true, verbatimSymlinks: true });
    emulator.restore(snapshot);
    forced.clear();
    for (const [name, times] of replacements) forced.set(name, times);
  };
  let replacements = new Map<string, number>();
  let snapshot = emulator.snapshot();
  // Before the first step, so that whatever fails is closed.
  current = { programs, steps, machine, objects, options, back };
  try {
    for (const step of ["up", ...steps]) {
      if (typeof step === "function") {
        step(machine.world);
        continue;
      }
      const [command, program] = typeof step === "string" ? [step, programs[0]] : step;
      const { isFailed, text, calls } = await execute(machine, command.replace("FAILS ", ""), noting(program, options));
      if (isFailed !== command.startsWith("FAILS ")) throw new Error(`${command}: ${text}`);
      textOf(calls, objects);
    }
  } catch (error) {
    await endPlay();
    throw error;
  }
  snapshot = emulator.snapshot();
  replacements = new Map(forced);
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  return current;
}

/** After the last case. */
export async function endPlay(): Promise<void> {
  if (current === undefined) return;
  const { world } = current.machine;
  current = undefined;
  await world.close();
  rmSync(`${world.folder}-before`, { recursive: true, force: true });
}

/** The program, and what it says of its resources. */
const noting = (program: Program, options: Set<string>) => async (): Promise<void> => {
  pulumi.runtime.registerStackTransformation(({ opts }) => {
    for (const option of optionsIn(opts)) options.add(option);
    return undefined;
  });
  await program();
};

const CHANGING: ReadonlySet<string> = new Set(["create", "update", "delete"]);

function written(key: "options" | "left", words: readonly string[]): Partial<Recording> {
  return words.length === 0 ? {} : { [key]: words.join(" ") };
}

/** `pulumi preview` knows fewer flags than `up`. */
function previewOf(command: string): string | undefined {
  if (/^([A-Z_]+=\S+ )*up\b/.test(command)) {
    return command
      .replace(/\bup\b/, "preview")
      .replace(" --continue-on-error", "")
      .replace("--plan", "--save-plan");
  }
  if (command.includes("--remove")) return undefined;
  return `${command} --preview-only`;
}

interface Ran {
  isFailed: boolean;
  text: string;
  calls: Call[];
}

async function execute(machine: Machine, command: string, program: () => Promise<void>): Promise<Ran> {
  const { environment, folder } = machine.world;
  const file = path.join(folder, "calls");
  rmSync(file, { force: true });
  const words = wordsOf(machine, command);
  // A plan has the name of its preview.
  if (!/DBCLOUD_ADOPT|--plan/.test(command)) {
    for (const [, name = ""] of command.matchAll(/(?:replace|\btaint) @(\w+)/g)) {
      forced.set(name, (forced.get(name) ?? 1) + 1);
    }
  }
  if (command.includes("untaint")) forced.clear();
  const settings = words.filter(isSetting).map((word) => word.split(/=(.*)/));
  const args = words.slice(settings.length);
  const at = machine.world.at(machine.stacks[command.includes("--stack other") ? "other" : "dev"].workDir);
  const all = {
    NODE_OPTIONS: `${environment["NODE_OPTIONS"]} --require ${JSON.stringify(path.join(__dirname, "recorder.cjs"))}`,
    RECORDED_CALLS: file,
    ...(Object.fromEntries(settings) as Record<string, string>),
  };
  const { code, text } =
    args[0] === "state"
      ? await at.pulumi([...args, "--yes"])
      : await callCli({ at, args: [...args, ...usualFlags(args)], program, environment: all });
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  if (process.env["RECORDINGS"] === "shown") process.stderr.write(`${command}\n${text}\n`);
  return { isFailed: code !== 0, text, calls: callsIn(lines.map((line) => JSON.parse(line) as Line)) };
}

function usualFlags(args: readonly string[]): string[] {
  return args[0] === "preview" || args.includes("--preview-only") ? [] : ["--yes", "--skip-preview"];
}

const isSetting = (word: string): boolean => /^[A-Z_]+=/.test(word);

function wordsOf(machine: Machine, command: string): string[] {
  return command.split(" ").map((word) => {
    const [before = "", name] = word.split("@");
    if (name === undefined) return word;
    const found = resourceOf(machine, "dev", name);
    const theirs = machine.world.emulator.state().services.find((service) => service.name === name);
    if (isSetting(word)) return `${before}${(found ?? theirs)?.id}`;
    if (found === undefined) throw new Error(`${command}: the state has no ${name}`);
    return found.urn;
  });
}
