// `npm run invariants`: random programs under random faults; checks that the invariants hold. See `usage`.
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Front } from "../provider/pulumi/stateNames.ts";
import type * as Table from "../test/invariants/table.ts";
import { compile } from "./invariants/compile.ts";
import { detectMutants } from "./invariants/mutants.ts";
import { detectByWalk, printDrawn, walkEngine } from "./invariants/walkEngine.ts";
import { type Outcome, runAll } from "./invariants/workers.ts";
import { readOptions } from "./options.ts";
import { runVitest, type Count } from "./vitest.ts";

const usage = `npm run invariants -- [options]
  --runs N        how many scenarios; default 2000, or without end where --minutes is given
  --minutes N     start no further scenario after so long
  --seed N        default 1; "fresh" picks one and prints it
  --only K        run K alone, with each of its requests: the way to look at a failure again
  --path P        with --only: the shortest scenario that fails like that, by the path that the failure names
  --front F       "dynamic" (default) or "native": the same runs through the plugin's front
  --workers N     processes side by side; default: one per core
  --mutants       instead: switch off one safeguard after the other, and show that it is noticed; --only NAME for one
  --engine        instead: random commands on the real CLI, --commands of them (default 300), of this seed and the next;
                  --only K: scenario K alone; --mutants: the mutants that only the engine shows; see test/engine/walk
  --replay FILE   with --engine: the steps that an earlier run has printed, from the file
  --shrink        with --engine: a sequence that fails is shortened, which takes minutes
  --kill-matrix   instead: kill the real CLI at every request of a create, see test/engine/kill/boundaries.test.ts
  --repeats       instead: the tests of which \`npm test\` does only a part, in full, the kill matrix among them
The exit code is 0 when nothing failed. The last line is \`N passed, N failed\`.`;

const root = fileURLToPath(new URL("..", import.meta.url));
const values = readOptions(
  {
    runs: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string", default: "1" },
    front: { type: "string", default: "dynamic" },
    only: { type: "string" },
    path: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) },
    mutants: { type: "boolean", default: false },
    engine: { type: "boolean", default: false },
    commands: { type: "string", default: "300" },
    replay: { type: "string" },
    shrink: { type: "boolean", default: false },
    "kill-matrix": { type: "boolean", default: false },
    repeats: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
  usage,
);

const DEFAULT_RUNS = 2_000;
/** How many failures are printed in full. */
const FULL_FAILURES = 3;
const PROGRESS_MS = 10_000;
const KILL_MATRIX = "test/engine/kill/boundaries.test.ts";

async function runScenarios(seed: number): Promise<Count> {
  const out = compile({ root, name: "invariants" });
  try {
    return await runCompiled(out, seed);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function runCompiled(out: string, seed: number): Promise<Count> {
  const table = path.join(out, "test/invariants/table.js");
  const { addRun, createTally, tableOf } = createRequire(import.meta.url)(table) as typeof Table;
  const tally = createTally();
  const only = values.only === undefined ? undefined : numberOf("only", values.only);
  const [from, to] = only === undefined ? [0, wantedRuns()] : [only, only + 1];
  const limitMs =
    values.minutes === undefined ? Number.POSITIVE_INFINITY : numberOf("minutes", values.minutes) * 60_000;
  const began = Date.now();
  let failed = 0;
  let lastProgress = began;
  await runAll({
    out,
    from,
    to,
    workers: numberOf("workers", values.workers),
    task: {
      seed,
      isShrunk: only === undefined,
      isDetailed: only !== undefined,
      front: frontOf(values.front),
      path: only === undefined ? undefined : values.path,
    },
    isOver: () => Date.now() - began >= limitMs,
    onRun(outcome) {
      addRun(tally, outcome);
      const isFailed = outcome.violations.length > 0;
      if (isFailed) failed += 1;
      if (only !== undefined || (isFailed && failed <= FULL_FAILURES)) print(fullText(outcome, seed));
      else if (isFailed) print(headOf(outcome, seed));
      if (Date.now() - lastProgress < PROGRESS_MS) return;
      lastProgress = Date.now();
      const of = Number.isFinite(to) ? ` of ${to - from}` : "";
      print(`${tally.runs}${of} runs, ${failed} failed`);
    },
  });
  print(`\n${tableOf(tally, Date.now() - began)}`);
  print(failed === 0 ? `no invariant was violated (seed ${seed})` : `${failed} runs failed (seed ${seed})`);
  return { passed: tally.runs - failed, failed };
}

function wantedRuns(): number {
  if (values.runs !== undefined) return numberOf("runs", values.runs);
  return values.minutes === undefined ? DEFAULT_RUNS : Number.POSITIVE_INFINITY;
}

function headOf({ run, violations }: Outcome, seed: number): string {
  const found = violations.map(({ breach, what }) => `  ${breach}: ${what}`);
  return [`run ${run} failed; again: npm run invariants --${onFront()} --seed ${seed} --only ${run}`, ...found].join(
    "\n",
  );
}

function fullText(outcome: Outcome, seed: number): string {
  const { run, violations, lines, shrunk, path: at } = outcome;
  const head = violations.length > 0 ? [headOf(outcome, seed)] : [`run ${run}`];
  const short = shrunk === undefined ? [] : [`  the shortest scenario that fails like that, --path ${at}:`];
  return [...head, ...short, ...(shrunk?.lines ?? lines).map((line) => `    ${line}`)].join("\n");
}

async function runWalk(seed: number): Promise<Count> {
  const { replay } = values;
  const front = frontOf(values.front);
  const [workers, commands] = [numberOf("workers", values.workers), numberOf("commands", values.commands)];
  if (values.mutants) return detectByWalk({ root, seed, front, commands, workers, name: values.only, print });
  const only = values.only === undefined && replay === undefined ? undefined : numberOf("only", values.only ?? "0");
  const began = Date.now();
  const result = await walkEngine({
    root,
    seed,
    front,
    commands,
    only,
    workers,
    replay,
    isShrunk: values.shrink,
    print,
  });
  const rare = printDrawn(print, result);
  if (rare.length > 0) print(`drawn too rarely: ${rare.join(", ")}`);
  print(`${result.commands} commands in ${Math.round((Date.now() - began) / 1000)} s (seeds ${seed} and ${seed + 1})`);
  return { passed: result.runs - result.failed, failed: result.failed + rare.length };
}

function runTests(args: readonly string[], environment: Record<string, string>): Count {
  return runVitest({ root, reporter: "verbose", args, env: { ...process.env, ...environment } });
}

/** The tests of which `npm test` runs only a part of the repeats. */
function repeating(): string[] {
  const files = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => path.join("test", file))
    .filter((file) => readFileSync(path.join(root, file), "utf8").includes("support/repeats"));
}

function seedOf(text: string): number {
  return text === "fresh" ? randomInt(1, 2 ** 31) : numberOf("seed", text);
}

/** The option of a front that is not the default. */
function onFront(): string {
  return values.front === "dynamic" ? "" : ` --front ${values.front}`;
}

function frontOf(text: string): Front {
  if (text !== "dynamic" && text !== "native")
    throw new Error(`--front takes dynamic or native, not "${text}"\n${usage}`);
  return text;
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number < 0) throw new Error(`--${option} takes a number, not "${text}"\n${usage}`);
  return number;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function main(): Promise<Count> {
  const seed = seedOf(values.seed);
  print(`seed ${seed}`);
  if (values["kill-matrix"]) return runTests([KILL_MATRIX], { REPEATS: "full" });
  if (values.repeats) return runTests(repeating(), { REPEATS: "full" });
  if (values.engine) return runWalk(seed);
  if (!values.mutants) return runScenarios(seed);
  const workers = numberOf("workers", values.workers);
  const numbers = { seed, runs: wantedRuns(), workers, front: frontOf(values.front) };
  return detectMutants({ root, ...numbers, only: values.only, print });
}

if (values.help) {
  print(usage);
} else {
  const { passed, failed } = await main();
  print(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
