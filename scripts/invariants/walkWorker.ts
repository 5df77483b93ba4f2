// A worker process of the walk over the engine: runs the requested scenarios one after the other.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Step } from "../../test/engine/walk/model.ts";
import type * as SequencesModule from "../../test/engine/walk/sequences.ts";
import type * as WalkModule from "../../test/engine/walk/walk.ts";
import type * as RandomModule from "../../test/support/random.ts";
import type { Task } from "./workers.ts";

const require = createRequire(import.meta.url);
const load = (...names: string[]): unknown => require(path.join(process.argv[2] ?? "", "test", ...names));
const { walk } = load("engine", "walk", "walk.js") as typeof WalkModule;
const { SEQUENCES } = load("engine", "walk", "sequences.js") as typeof SequencesModule;
const { seedOf } = load("support", "random.js") as typeof RandomModule;

/** One scenario of the walk, as the parent gets it. */
export interface WalkOutcome extends WalkModule.Walked {
  run: number;
}

// The program of a killed CLI goes on in this process, and finds no engine.
process.on("unhandledRejection", () => undefined);

process.on("message", (task: Task) => {
  void perform(task).then((outcome) => process.send?.({ ...outcome, run: task.run }));
});

const sequences = Object.values(SEQUENCES);

/**
 * First the sequences for the rules, then random ones: even runs are of the seed, odd ones of the next. Or the steps of a
 * file that has the output of an earlier run.
 */
async function perform({ seed, run, isShrunk, front, path: file }: Task): Promise<Omit<WalkOutcome, "run">> {
  const own = seedOf(seed + (run % 2), run >> 1);
  try {
    return await walk(own, { front, steps: file === undefined ? sequences[run] : stepsIn(file), isShrunk });
  } catch (error) {
    const what = `it broke off: ${error instanceof Error ? error.stack : String(error)}`;
    return { breaches: [{ rule: "broke off", what }], steps: [], lines: [], counts: {} };
  }
}

function stepsIn(file: string): Step[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.trim());
  return lines.filter((line) => line.startsWith('{"do":')).map((line) => JSON.parse(line) as Step);
}
