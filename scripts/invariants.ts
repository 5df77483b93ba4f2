// `npm run invariants`: random programs under random faults; checks that the invariants hold. See `usage`.
import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { check, type Checking } from "./invariants/check.ts";
import { failingTest } from "./invariants/unitTests.ts";
import { mutantsFor, mutantsOfTests } from "./invariants/mutants.ts";
import { drawnTable, FULL_COMMANDS, LEAST_DRAWN, MUST_HAPPEN, tableOf } from "./invariants/table.ts";
import { print, readOptions } from "./options.ts";
import type { Count } from "./vitest.ts";

const usage = `npm run invariants -- [options]
  --runs N        how many scenarios; default 2000, or without end where --minutes is given
  --minutes N     start no further scenario after so long
  --seed N        default 1; "fresh" picks one and prints it
  --only K        run K alone, with each of its requests: the way to look at a failure again
  --path P        with --only: the shortest scenario that fails like that, by the path that the failure names
  --form F       "dynamic" (default) or "native": the same runs through the plugin's form
  --workers N     processes side by side; default: one per core
  --mutants       instead: switch off one safeguard after the other, and show that it is noticed; --only TEXT: those
                  whose words have it
  --engine        instead: random commands on the real CLI, --commands of them (default 300), of this seed and the next;
                  --only K: scenario K alone, and with --path FILE the steps that an earlier run has printed;
                  --mutants: the mutants that only the engine shows; see test/engine/walk
The exit code is 0 when nothing failed. The last line is \`N passed, N failed\`.`;

const root = fileURLToPath(new URL("..", import.meta.url));
const values = readOptions(
  {
    runs: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string", default: "1" },
    form: { type: "string", default: "dynamic" },
    only: { type: "string" },
    path: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) },
    mutants: { type: "boolean", default: false },
    engine: { type: "boolean", default: false },
    commands: { type: "string", default: "300" },
  },
  usage,
);

const DEFAULT_RUNS = 2_000;

/** What is checked, how long, and by what. */
function checking(): Checking {
  const seed = values.seed === "fresh" ? randomInt(1, 2 ** 31) : numberOf("seed", values.seed);
  print(`seed ${seed}`);
  const detector = values.engine ? "walk" : "runs";
  const only = values.mutants || values.only === undefined ? undefined : numberOf("only", values.only);
  const commands = values.engine ? numberOf("commands", values.commands) : Number.POSITIVE_INFINITY;
  const limitMs = Date.now() + numberOf("minutes", values.minutes ?? "Infinity") * 60_000;
  return {
    root,
    detector,
    seed,
    form: formOf(values.form),
    workers: numberOf("workers", values.workers),
    from: only ?? 0,
    to: only === undefined ? wantedRuns() : only + 1,
    isOver: ({ counts }) => (counts["commands"] ?? 0) >= commands || Date.now() >= limitMs,
    isShrunk: only === undefined,
    path: only === undefined ? undefined : values.path,
    print,
  };
}

function wantedRuns(): number {
  const isEndless = values.engine || values.minutes !== undefined;
  return numberOf("runs", values.runs ?? String(isEndless ? Infinity : DEFAULT_RUNS));
}

async function runChecks(): Promise<Count> {
  const began = Date.now();
  const all = checking();
  const { detector, seed } = all;
  const tally = await check(all);
  const { runs, failed, counts } = tally;
  print(`\n${detector === "walk" ? drawnTable(tally) : tableOf(tally, Date.now() - began)}`);
  const isFull = detector === "walk" ? (counts["commands"] ?? 0) >= FULL_COMMANDS : runs >= DEFAULT_RUNS;
  const rare = isFull ? MUST_HAPPEN[detector].filter((name) => (counts[name] ?? 0) < LEAST_DRAWN) : [];
  if (rare.length > 0) print(`drawn too rarely: ${rare.join(", ")}`);
  print(failed === 0 ? `no invariant was violated (seed ${seed})` : `${failed} runs failed (seed ${seed})`);
  return { passed: runs - failed, failed: failed + rare.length };
}

/** Prints after how much each mutant is noticed; one that is not noticed is a failure. */
async function detectMutants(): Promise<Count> {
  const all = checking();
  const ofTests = all.detector === "walk" ? [] : mutantsOfTests(values.only);
  const chosen = mutantsFor(all.detector, values.only);
  if (chosen.length + ofTests.length === 0) throw new Error(`no mutant has the words "${values.only}"`);
  const missed: string[] = [];
  print("| switched off | noticed after | as |\n|---|---|---|");
  for (const mutant of chosen) {
    const { runs, counts, breaches } = await check({
      ...all,
      mutant,
      form: mutant.form ?? all.form,
      isOver: (tally) => tally.failed > 0 || all.isOver(tally),
      isShrunk: false,
      print: () => undefined,
    });
    const [breach] = Object.keys(breaches);
    if (breach === undefined) missed.push(mutant.what);
    const after = `${breach === undefined ? "not within " : ""}${runs} runs, ${counts["commands"] ?? 0} commands`;
    print(`| ${mutant.what} | ${after} | ${breach ?? ""} |`);
  }
  for (const mutant of ofTests) {
    const test = await failingTest(root, mutant);
    if (test === undefined) missed.push(mutant.what);
    print(`| ${mutant.what} | ${test === undefined ? "not " : ""}in ${mutant.test} | ${test ?? ""} |`);
  }
  for (const what of missed) print(`failed: mutant not noticed: ${what}`);
  return { passed: chosen.length + ofTests.length - missed.length, failed: missed.length };
}

function formOf(text: string): Checking["form"] {
  if (text !== "dynamic" && text !== "native")
    throw new Error(`--form takes dynamic or native, not "${text}"\n${usage}`);
  return text;
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (Number.isNaN(number) || number < 0) throw new Error(`--${option} takes a number, not "${text}"\n${usage}`);
  return number;
}

const { passed, failed } = await (values.mutants ? detectMutants() : runChecks());
print(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
