// Plays one case on the real CLI, and gives the calls of its command as text.

import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Outcome } from "../../support/cliProcess";
import { KEY_URL } from "../../support/cli/keyService";
import { type Project, stateIn } from "../../support/cli/project";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import type { Case, Program } from "./case";
import { type Line, type Objects, textOf } from "./calls";
import { servingProgram } from "./serveProgram";

export interface Recording {
  command: string;
  preview?: string;
  calls: string;
}

const PROJECT = "recorded";
const STACK = "dev";

export async function play({ programs: [first, next = first], steps, command }: Case): Promise<Recording> {
  const world = await openEngineWorld();
  try {
    const player = await playerIn(world);
    await player.succeed("up", first);
    for (const step of steps) {
      if (typeof step === "function") step(world);
      else if (typeof step === "string") await player.succeed(step, first);
      else await player.succeed(...step);
    }
    const previewed = previewOf(command);
    const preview = previewed === undefined ? undefined : await player.record(previewed, next);
    const calls = await player.record(command, next);
    return {
      command: command.replaceAll("@", ""),
      ...(preview === undefined ? {} : { preview }),
      calls,
    };
  } finally {
    await world.close();
  }
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

interface Player {
  succeed(command: string, program: Program): Promise<void>;
  /** The calls of the command, and whether it has failed. */
  record(command: string, program: Program): Promise<string>;
}

async function playerIn(world: EngineWorld): Promise<Player> {
  const project = await world.project(PROJECT, { "index.js": "" }, STACK);
  const file = path.join(world.folder, "calls");
  const objects: Objects = new Map();

  async function run(command: string, program: Program): Promise<{ text: string; outcome: Outcome }> {
    rmSync(file, { force: true });
    const outcome = await execute({ project, program, file, world, words: wordsOf(world, command) });
    if (process.env["RECORDINGS"] === "shown") process.stderr.write(`${command}\n${outcome.text}\n`);
    const texts = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    const lines = texts.map((text) => JSON.parse(text) as Line);
    return { outcome, text: textOf(lines, objects) };
  }

  return {
    async succeed(command, program) {
      const isToFail = command.startsWith("FAILS ");
      const { outcome } = await run(command.replace("FAILS ", ""), program);
      if ((outcome.code !== 0) !== isToFail) throw new Error(`${command}: ${outcome.text}`);
    },
    async record(command, program) {
      const { text, outcome } = await run(command, program);
      return [text === "" ? "none" : text, ...(outcome.code === 0 ? [] : ["the command fails"])].join("; ");
    },
  };
}

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
    const file = path.join(world.folder, "state/.pulumi/stacks", PROJECT, `${STACK}.json`);
    const found = stateIn(file).deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`));
    if (found === undefined) throw new Error(`${command}: the state has no ${name}`);
    return isSetting(word) ? `${before}${found.id}` : found.urn;
  });
}
