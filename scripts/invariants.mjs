// `npm run invariants -- --runs 2000 --seed 1`: random programs in random weather, checked for what must never happen.
//   --only K        one run, with its whole story and each request; the way to look at a failure again
//   --workers N     processes side by side; default: one per core
//   --mutants       instead: switch off one safeguard after the other, and show that it is noticed; --only NAME for one
//   --engine        instead: --runs stories on the real CLI, seeds from --seed on, see test/engine/randomStories.ts
//   --kill-matrix   instead: kill the real CLI at every request of a create, see test/engine/kill.test.ts
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compile } from "./invariants/compile.mjs";
import { tellAll } from "./invariants/crew.mjs";
import { hunt } from "./mutants.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    runs: { type: "string" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) },
    mutants: { type: "boolean", default: false },
    engine: { type: "boolean", default: false },
    "kill-matrix": { type: "boolean", default: false },
  },
});

/** A story takes a fraction of a second, on the real engine half a minute. */
const runs = values.runs ?? (values.engine ? "10" : "2000");
/** How many failures are told in full. */
const STORIES = 3;
const NEWS_MS = 10_000;

async function main() {
  const out = compile({ root, out: path.join(root, "node_modules", ".cache", `dbcloud-invariants-${process.pid}`) });
  try {
    return await tellStories(out);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function tellStories(out) {
  const { addRun, createTally, tableOf } = createRequire(import.meta.url)(path.join(out, "test/invariants/table.js"));
  const tally = createTally();
  const only = values.only === undefined ? undefined : Number(values.only);
  const [from, to] = only === undefined ? [0, Number(runs)] : [only, only + 1];
  const seed = Number(values.seed);
  const began = Date.now();
  let failed = 0;
  let news = began;
  await tellAll({
    out,
    seed,
    from,
    to,
    workers: Number(values.workers),
    isShrunk: only === undefined,
    isDetailed: only !== undefined,
    onRun(outcome) {
      addRun(tally, outcome);
      const isBad = outcome.violations.length > 0;
      if (isBad) failed += 1;
      if (only !== undefined || (isBad && failed <= STORIES)) say(story(outcome, seed));
      else if (isBad) say(headOf(outcome, seed));
      if (Date.now() - news < NEWS_MS) return;
      news = Date.now();
      say(`${tally.runs} of ${to - from} runs, ${failed} failed`);
    },
  });
  say(
    `\n${tableOf(tally, Date.now() - began)}\n${failed === 0 ? "nothing happened that must not" : `${failed} runs failed`}`,
  );
  return failed === 0 ? 0 : 1;
}

function headOf({ run, violations }, seed) {
  const found = violations.map(({ breach, what }) => `  ${breach}: ${what}`);
  return [`run ${run} failed; again: npm run invariants -- --seed ${seed} --only ${run}`, ...found].join("\n");
}

function story(outcome, seed) {
  const { run, violations, lines, shrunk } = outcome;
  const head = violations.length > 0 ? [headOf(outcome, seed)] : [`run ${run}`];
  const short = shrunk === undefined ? [] : ["  the shortest story that ends like that:"];
  return [...head, ...short, ...lines.map((line) => `    ${line}`)].join("\n");
}

function onEngine(test, environment) {
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--project", "engine", "--reporter=verbose", `test/engine/${test}`];
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env }).status ?? 1;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

async function huntMutants() {
  const numbers = { seed: Number(values.seed), runs: Number(runs), workers: Number(values.workers) };
  return (await hunt({ root, ...numbers, only: values.only, say })) === 0 ? 0 : 1;
}

async function choose() {
  if (values["kill-matrix"]) return onEngine("kill.test.ts", { KILL_MATRIX: "full" });
  if (values.engine) return onEngine("invariants.test.ts", { ENGINE_STORIES: runs, ENGINE_SEED: values.seed });
  return values.mutants ? huntMutants() : main();
}

process.exitCode = await choose();
