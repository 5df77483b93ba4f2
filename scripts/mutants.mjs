// `npm run invariants -- --mutants`: switches off one safeguard of the provider after the other, in a copy, and shows
// after how many runs the invariant machine notices. One that it does not notice within `--runs` is a failure.
import { rmSync } from "node:fs";
import path from "node:path";
import { compile } from "./invariants/compile.mjs";
import { tellAll } from "./invariants/crew.mjs";
import { mutants, mutate } from "./invariants/mutants.mjs";

export async function hunt({ root, seed, runs, workers, only, say }) {
  const out = path.join(root, "node_modules", ".cache", `dbcloud-mutants-${process.pid}`);
  const chosen = mutants.filter(({ name }) => only === undefined || name === only);
  let missed = 0;
  say("| switched off | noticed after | as |");
  say("|---|---|---|");
  for (const mutant of chosen) {
    compile({ root, out, patch: (text, name) => mutate(mutant, text, name) });
    const found = await firstBreach({ out, seed, runs, workers });
    if (found === undefined) missed += 1;
    say(
      `| ${mutant.name}: ${mutant.what} | ${found === undefined ? `not within ${runs} runs` : count(found.runs)} | ${found?.breach ?? ""} |`,
    );
  }
  rmSync(out, { recursive: true, force: true });
  return missed;
}

async function firstBreach({ out, seed, runs, workers }) {
  let told = 0;
  const breaches = [];
  await tellAll({
    out,
    seed,
    from: 0,
    to: runs,
    workers,
    isShrunk: false,
    onRun({ violations }) {
      told += 1;
      if (violations.length === 0) return false;
      breaches.push({ runs: told, breach: violations[0].breach });
      return true;
    },
  });
  return breaches[0];
}

function count(runs) {
  return runs === 1 ? "1 run" : `${runs} runs`;
}
