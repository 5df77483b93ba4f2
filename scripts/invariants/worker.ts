// A worker process: runs the scenarios that it is asked for, one after the other, and shortens those that fail.
import { createRequire } from "node:module";
import path from "node:path";
import type * as Random from "../../test/support/random.ts";
import type * as Shrink from "../../test/invariants/shrink.ts";
import type * as ScenarioModule from "../../test/invariants/scenario.ts";
import type { Outcome, Task } from "./workers.ts";

/** Real time after which a scenario counts as hanging: they take a second or two. */
const LONGEST_MS = 180_000;

const require = createRequire(import.meta.url);
const folder = path.join(process.argv[2] ?? "", "test", "invariants");
const { scenarioOf, runScenario } = require(path.join(folder, "scenario.js")) as typeof ScenarioModule;
const { seedOf } = require(path.join(folder, "..", "support", "random.js")) as typeof Random;
const { shrink } = require(path.join(folder, "shrink.js")) as typeof Shrink;

process.on("message", (task: Task) => {
  void run(task).then((outcome) => process.send?.(outcome));
});

async function run({ seed, run: number, isShrunk, isDetailed }: Task): Promise<Outcome> {
  const scenario = scenarioOf(seedOf(seed, number));
  const outcome = await bounded(scenario, isDetailed);
  const [first] = outcome.violations;
  if (first === undefined || !isShrunk) return { run: number, ...outcome };
  const { result } = await shrink(scenario, first.breach, (shorter) => bounded(shorter, false));
  return { run: number, ...outcome, lines: result.lines, shrunk: result.violations };
}

/** The scenario; one that breaks off or hangs is a violation. */
async function bounded(scenario: ScenarioModule.Scenario, isDetailed: boolean): Promise<ScenarioModule.RunResult> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${LONGEST_MS / 1000} s`)), LONGEST_MS);
  });
  try {
    return await Promise.race([runScenario(scenario, isDetailed), limit]);
  } catch (error) {
    const what = `it broke off: ${error instanceof Error ? error.stack : String(error)}`;
    return { violations: [{ breach: "untrue", what }], lines: [], counts: {} };
  } finally {
    clearTimeout(timer);
  }
}
