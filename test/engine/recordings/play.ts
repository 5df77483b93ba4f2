// Plays one case on the machine of the walk, and gives the calls of its command as text.

import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { callCli } from "../walk/cli";
import { idsOf } from "../walk/judge";
import { lookAt, type Machine, openMachine, resourceOf } from "../walk/machine";
import { type Case, type Program, shown } from "./case";
import { optionsIn } from "./choices";
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

/** Without a preview it takes two thirds of the time. */
export async function play(
  { programs: [first, next = first], steps, command }: Case,
  { isPreviewed }: { isPreviewed: boolean },
): Promise<Recording> {
  const machine = await openMachine(1, "dynamic");
  const objects: Objects = new Map();
  const options = new Set<string>();
  const run = async (words: string, program: Program): Promise<Ran> => {
    const noting = async (): Promise<void> => {
      pulumi.runtime.registerStackTransformation(({ opts }) => {
        for (const option of optionsIn(opts)) options.add(option);
        return undefined;
      });
      await program();
    };
    const ran = await execute(machine, words, noting);
    if (process.env["RECORDINGS"] === "shown") process.stderr.write(`${words}\n${ran.text}\n`);
    return ran;
  };
  const succeed = async (words: string, program: Program): Promise<void> => {
    const { isFailed, text, calls } = await run(words.replace("FAILS ", ""), program);
    if (isFailed !== words.startsWith("FAILS ")) throw new Error(`${words}: ${text}`);
    textOf(calls, objects);
  };
  /** All calls, and those that only compare. */
  const record = async (words: string, program: Program): Promise<{ all: string; comparing: string }> => {
    const { isFailed, calls } = await run(words, program);
    const told = (some: readonly Call[]): string =>
      [textOf(some, objects) || "none", ...(isFailed ? ["the command fails"] : [])].join("; ");
    return { all: told(calls), comparing: told(calls.filter(({ method }) => !CHANGING.has(method))) };
  };
  try {
    await succeed("up", first);
    for (const step of steps) {
      if (typeof step === "function") step(machine.world);
      else if (typeof step === "string") await succeed(step, first);
      else await succeed(...step);
    }
    const previewed = isPreviewed ? previewOf(command) : undefined;
    const preview = previewed === undefined ? undefined : await record(previewed, next);
    const before = idsOf(lookAt(machine).entries);
    const recorded = await record(command, next);
    const after = lookAt(machine);
    const named = idsOf(after.entries);
    const left = [...after.objects.keys()].filter((id) => before.has(id) && !named.has(id));
    return {
      command: shown(command),
      ...written("options", [...options].toSorted()),
      ...(preview === undefined || preview.all === recorded.comparing ? {} : { preview: preview.all }),
      calls: recorded.all,
      ...written("left", namesOf(left, objects)),
    };
  } finally {
    await machine.world.close();
  }
}

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
  const settings = words.filter(isSetting).map((word) => word.split("="));
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
    if (found === undefined) throw new Error(`${command}: the state has no ${name}`);
    return isSetting(word) ? `${before}${found.id}` : found.urn;
  });
}
