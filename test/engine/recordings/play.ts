// Plays one case on the real CLI, and gives the calls of its command as text.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { factsOf, isLeaving } from "../../invariants/judge/truth";
import type { Outcome } from "../../support/cliProcess";
import { KEY_URL } from "../../support/cli/keyService";
import { type Project, stateIn } from "../../support/cli/project";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import { type Case, type Program, shown } from "./case";
import { optionsIn } from "./choices";
import { callsIn, type Line, namesOf, type Objects, textOf } from "./calls";
import { servingProgram } from "../../support/serveProgram";

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

const PROJECT = "recorded";
const STACK = "dev";

/** Without a preview it takes two thirds of the time. */
export async function play(
  { programs: [first, next = first], steps, command }: Case,
  { isPreviewed }: { isPreviewed: boolean },
): Promise<Recording> {
  const world = await openEngineWorld();
  try {
    const player = await playerIn(world);
    await player.succeed("up", first);
    for (const step of steps) {
      if (typeof step === "function") step(world);
      else if (typeof step === "string") await player.succeed(step, first);
      else await player.succeed(...step);
    }
    const previewed = isPreviewed ? previewOf(command) : undefined;
    const preview = previewed === undefined ? undefined : await player.record(previewed, next);
    const before = idsInStates(world);
    const recorded = await player.record(command, next);
    const after = idsInStates(world);
    const left = existingIds(world).filter((id) => before.has(id) && !after.has(id));
    return {
      command: shown(command),
      ...written("options", [...player.options].toSorted()),
      ...(preview === undefined || preview.calls === recorded.comparing ? {} : { preview: preview.calls }),
      calls: recorded.calls,
      ...written("left", player.namesOf(left)),
    };
  } finally {
    await world.close();
  }
}

function written(key: "options" | "left", words: readonly string[]): Partial<Recording> {
  return words.length === 0 ? {} : { [key]: words.join(" ") };
}

function existingIds({ emulator }: EngineWorld): string[] {
  const facts = factsOf(emulator.state()).filter((fact) => !isLeaving(fact));
  return facts.map(({ id }) => id);
}

/** In those of all stacks. */
function idsInStates(world: EngineWorld): Set<string | undefined> {
  const folder = stacksIn(world);
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  const resources = files.flatMap((file) => stateIn(path.join(folder, file)).deployment.resources ?? []);
  return new Set(resources.map(({ id }) => id));
}

const stacksIn = (world: EngineWorld): string => path.join(world.folder, "state/.pulumi/stacks", PROJECT);

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

interface Recorded {
  calls: string;
  /** The calls without those that change something. */
  comparing: string;
}

interface Player {
  /** Those that the programs have used. */
  readonly options: ReadonlySet<string>;
  succeed(command: string, program: Program): Promise<void>;
  record(command: string, program: Program): Promise<Recorded>;
  namesOf(ids: readonly string[]): string[];
}

async function playerIn(world: EngineWorld): Promise<Player> {
  const project = await world.project(PROJECT, { "index.js": "" }, STACK);
  const file = path.join(world.folder, "calls");
  const objects: Objects = new Map();
  const options = new Set<string>();

  async function run(command: string, program: Program): Promise<{ lines: Line[]; outcome: Outcome }> {
    rmSync(file, { force: true });
    const noting: Program = () => {
      pulumi.runtime.registerStackTransformation(({ opts }) => {
        for (const option of optionsIn(opts)) options.add(option);
        return undefined;
      });
      return program();
    };
    const outcome = await execute({ project, program: noting, file, world, words: wordsOf(world, command) });
    if (process.env["RECORDINGS"] === "shown") process.stderr.write(`${command}\n${outcome.text}\n`);
    const texts = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    return { outcome, lines: texts.map((text) => JSON.parse(text) as Line) };
  }

  return {
    options,
    async succeed(command, program) {
      const isToFail = command.startsWith("FAILS ");
      const { outcome, lines } = await run(command.replace("FAILS ", ""), program);
      if ((outcome.code !== 0) !== isToFail) throw new Error(`${command}: ${outcome.text}`);
      textOf(callsIn(lines), objects);
    },
    async record(command, program) {
      const { lines, outcome } = await run(command, program);
      const calls = callsIn(lines);
      const told = (some: typeof calls): string =>
        [textOf(some, objects) || "none", ...(outcome.code === 0 ? [] : ["the command fails"])].join("; ");
      return { calls: told(calls), comparing: told(calls.filter(({ method }) => !CHANGING.has(method))) };
    },
    namesOf: (ids) => namesOf(ids, objects),
  };
}

const CHANGING: ReadonlySet<string> = new Set(["create", "update", "delete"]);

interface Execution {
  project: Project;
  program: Program;
  /** Where the calls are written. */
  file: string;
  world: EngineWorld;
  words: readonly string[];
}

function execute({ project, program, file, world, words }: Execution): Promise<Outcome> {
  const settings = words.filter(isSetting).map((word) => word.split("="));
  const args = words.slice(settings.length);
  const environment = {
    NODE_OPTIONS: `${world.environment["NODE_OPTIONS"]} --require ${JSON.stringify(path.join(__dirname, "recorder.cjs"))}`,
    RECORDED_CALLS: file,
    ...(Object.fromEntries(settings) as Record<string, string>),
  };
  const run = (...more: string[]): Promise<Outcome> =>
    project.pulumi([...args, ...usualFlags(args), ...more], environment);
  const needsProgram = args[0] === "up" || args[0] === "preview" || args.includes("--run-program");
  return needsProgram
    ? servingProgram(
        async () => void (await program()),
        (client) => run(client, "--exec-kind=auto.inline"),
      )
    : run();
}

function usualFlags([command = "", ...others]: readonly string[]): string[] {
  if (command === "preview" || others.includes("--preview-only")) return ["--non-interactive"];
  if (command === "stack") return ["--non-interactive", `--secrets-provider=${KEY_URL}`];
  return command === "state" ? ["--yes"] : ["--yes", "--skip-preview"];
}

const isSetting = (word: string): boolean => /^[A-Z_]+=/.test(word);

function wordsOf(world: EngineWorld, command: string): string[] {
  return command.split(" ").map((word) => {
    const [before = "", name] = word.split("@");
    if (name === undefined) return word;
    const file = path.join(stacksIn(world), `${STACK}.json`);
    const found = stateIn(file).deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`));
    if (found === undefined) throw new Error(`${command}: the state has no ${name}`);
    return isSetting(word) ? `${before}${found.id}` : found.urn;
  });
}
