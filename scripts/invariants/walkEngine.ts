// `npm run invariants -- --engine`: the walk over the real engine. Prints each failing sequence in full, and how often
// each option and flag was drawn.
import { createRequire } from "node:module";
import { rmSync } from "node:fs";
import path from "node:path";
import type { Front } from "../../provider/pulumi/stateNames.ts";
import type * as Model from "../../test/engine/walk/model.ts";
import type { Count } from "../vitest.ts";
import { compileMutant, detect, type Mutant, mutantsFor } from "./mutants.ts";
import type { WalkOutcome } from "./walkWorker.ts";
import { runAll } from "./workers.ts";

export interface WalkOptions {
  root: string;
  /** Even scenarios are of this seed, odd ones of the next. */
  seed: number;
  front: Front;
  /** No scenario starts after so many commands of the CLI. */
  commands: number;
  /** The only scenario to run. */
  only?: number | undefined;
  /** The file with the steps of that scenario. */
  replay?: string | undefined;
  workers: number;
  isShrunk: boolean;
  /** Ends at the first breach. */
  isFirst?: boolean;
  mutant?: Mutant;
  print: (line: string) => void;
}

export interface WalkResult {
  runs: number;
  failed: number;
  commands: number;
  /** How often each option and flag was drawn. */
  counts: Record<string, number>;
  first?: string | undefined;
}

/** From so many commands on, an option that was drawn too rarely is a failure. */
const FULL_COMMANDS = 1_500;
const LEAST_DRAWN = 20;

export async function walkEngine(options: WalkOptions): Promise<WalkResult> {
  const { root, seed, front, commands, only, mutant, print } = options;
  const out = compileMutant(root, mutant);
  try {
    const model = path.join(out, "test", "engine", "walk", "model.js");
    const { DRAWN } = createRequire(import.meta.url)(model) as typeof Model;
    const counts = Object.fromEntries(DRAWN.map((name) => [name, 0]));
    const result: WalkResult = { runs: 0, failed: 0, commands: 0, counts };
    await runAll<WalkOutcome>({
      worker: "walkWorker.ts",
      out,
      workers: options.workers,
      task: { seed, front, isShrunk: options.isShrunk, path: options.replay },
      from: only ?? 0,
      to: only === undefined ? Number.POSITIVE_INFINITY : only + 1,
      isOver: () => result.commands >= commands || (options.isFirst === true && result.failed > 0),
      onRun(outcome) {
        add(result, outcome);
        if (outcome.breaches.length > 0 || only !== undefined) print(textOf(outcome, seed, front));
        else if (result.runs % 10 === 0)
          print(`${result.commands} commands, ${result.failed} of ${result.runs} failed`);
      },
    });
    return result;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function add(result: WalkResult, { breaches, counts }: WalkOutcome): void {
  result.runs += 1;
  if (breaches.length > 0) result.failed += 1;
  result.first ??= breaches[0]?.rule;
  const { commands = 0, ...drawn } = counts;
  result.commands += commands;
  for (const [what, times] of Object.entries(drawn)) result.counts[what] = (result.counts[what] ?? 0) + times;
}

function textOf({ run, breaches, lines }: WalkOutcome, seed: number, front: Front): string {
  const again = `npm run invariants -- --engine --front ${front} --seed ${seed} --only ${run}`;
  const head = breaches.length === 0 ? `scenario ${run}` : `scenario ${run} failed; again: ${again}`;
  const what = breaches.map((breach) => `  ${breach.rule}: ${breach.what}`);
  return [head, ...what, ...lines.map((line) => line.replace(/^/gm, "    "))].join("\n");
}

/** After how many commands the walk notices each of the mutants that it must notice. */
export function detectByWalk(
  options: Omit<WalkOptions, "only" | "isShrunk"> & { name: string | undefined },
): Promise<Count> {
  return detect(mutantsFor("walk", options.name), options.print, async (mutant) => {
    const quiet = { ...options, mutant, isFirst: true, isShrunk: false, print: () => undefined };
    const { first: breach, commands } = await walkEngine(quiet);
    return { after: `${breach === undefined ? "not within " : ""}${commands} commands`, breach };
  });
}

/** The table of what was drawn; returns what was drawn too rarely. */
export function printDrawn(print: WalkOptions["print"], { counts, commands }: WalkResult): string[] {
  const wide = Math.max(...Object.keys(counts).map((name) => name.length));
  for (const [name, times] of Object.entries(counts)) print(`${name.padEnd(wide)} ${times}`);
  return commands < FULL_COMMANDS ? [] : Object.keys(counts).filter((name) => (counts[name] ?? 0) < LEAST_DRAWN);
}
