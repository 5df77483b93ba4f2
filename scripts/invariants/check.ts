// One check: the random runs in worker processes, or the walk over the real engine, from the compiled sources, in which a
// safeguard may be switched off. Prints what fails, and sums up.
import { rmSync } from "node:fs";
import path from "node:path";
import type { Form } from "../../provider/pulumi/stateNames.ts";
import { compile } from "./compile.ts";
import { type Detector, mutate, type Mutant } from "./mutants.ts";
import { type Outcome, runAll } from "./workers.ts";

/** The module of each check that performs a run. */
const MODULES: Readonly<Record<Detector, string>> = { runs: "invariants/scenarios.js", walk: "engine/walk/walk.js" };

export interface Checking {
  root: string;
  detector: Detector;
  /** Of the walk, even runs are of this seed and odd ones of the next. */
  seed: number;
  form: Form;
  workers: number;
  /** From here, and up to there or without end. */
  from: number;
  to: number;
  /** Whether no further run may start. */
  isOver: (tally: Tally) => boolean;
  /** Whether a scenario that fails is shortened. */
  isShrunk?: boolean;
  /** The path of a scenario that was shortened, or the file with the steps of a walk. */
  path?: string | undefined;
  mutant?: Mutant;
  print: (text: string) => void;
}

/** What the runs came to. */
export interface Tally {
  runs: number;
  failed: number;
  counts: Record<string, number>;
  breaches: Record<string, number>;
}

/** How many failures are printed in full. */
const FULL_FAILURES = 3;
const PROGRESS_MS = 10_000;

export async function check(checking: Checking): Promise<Tally> {
  const { root, detector, from, to, workers, mutant, print } = checking;
  const patch = (text: string, file: string): string => (mutant === undefined ? text : mutate(mutant, text, file));
  const out = compile({ root, name: `${detector}-${mutant?.file ?? ""}`, patch });
  const tally: Tally = { runs: 0, failed: 0, counts: {}, breaches: {} };
  const isSingle = to - from === 1;
  const { seed, form, isShrunk = false, path: at } = checking;
  let lastProgress = Date.now();
  try {
    await runAll({
      module: path.join(out, "test", MODULES[detector]),
      from,
      to,
      workers,
      task: { seed, form, isShrunk, isDetailed: isSingle, path: at },
      isOver: () => checking.isOver(tally),
      onRun(outcome) {
        add(tally, outcome);
        const isFailed = outcome.violations.length > 0;
        if (isSingle || (isFailed && tally.failed <= FULL_FAILURES)) print(fullText(outcome, checking));
        else if (isFailed) print(headOf(outcome, checking));
        if (Date.now() - lastProgress < PROGRESS_MS) return;
        lastProgress = Date.now();
        print(`${tally.runs} runs, ${tally.counts["commands"] ?? 0} commands, ${tally.failed} failed`);
      },
    });
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  return tally;
}

function add(tally: Tally, { counts, violations }: Outcome): void {
  tally.runs += 1;
  if (violations.length > 0) tally.failed += 1;
  for (const [what, times] of Object.entries(counts)) tally.counts[what] = (tally.counts[what] ?? 0) + times;
  for (const { breach } of violations) tally.breaches[breach] = (tally.breaches[breach] ?? 0) + 1;
}

function headOf({ run, violations }: Outcome, { detector, form, seed }: Checking): string {
  const found = violations.map(({ breach, what }) => `  ${breach}: ${what}`);
  const options = `${detector === "walk" ? "--engine " : ""}--form ${form} --seed ${seed} --only ${run}`;
  return [`run ${run} failed; again: npm run invariants -- ${options}`, ...found].join("\n");
}

function fullText(outcome: Outcome, checking: Checking): string {
  const { run, violations, lines, shrunk, path: at } = outcome;
  const head = violations.length > 0 ? [headOf(outcome, checking)] : [`run ${run}`];
  const short = shrunk === undefined ? [] : [`  the shortest scenario that fails like that, --path ${at}:`];
  return [...head, ...short, ...(shrunk?.lines ?? lines).map((line) => line.replace(/^/gm, "    "))].join("\n");
}
