// A worker process: runs the requested scenarios one after the other, and shortens those that fail.
import { createRequire } from "node:module";
import path from "node:path";
import type * as ScenarioModule from "../../test/invariants/scenario.ts";
import type * as Scenarios from "../../test/invariants/scenarios.ts";
import type { Outcome, Task } from "./workers.ts";

/** Real time after which a scenario counts as hanging: normal ones take a second or two. */
const LONGEST_MS = 180_000;

const require = createRequire(import.meta.url);
const folder = path.join(process.argv[2] ?? "", "test", "invariants");
const { runScenario } = require(path.join(folder, "scenario.js")) as typeof ScenarioModule;
const { checkRun } = require(path.join(folder, "scenarios.js")) as typeof Scenarios;

process.on("message", (task: Task) => {
  void run(task).then((outcome) => process.send?.(outcome));
});

async function run({ seed, run: number, isShrunk, isDetailed = false, front, path: at }: Task): Promise<Outcome> {
  const runOne = (scenario: ScenarioModule.Scenario): Promise<ScenarioModule.RunResult> =>
    bounded(scenario, front, isDetailed);
  return { run: number, ...(await checkRun(seed, number, { isShrunk, path: at, runOne })) };
}

/** Runs the scenario; a crash or a hang is a violation. */
async function bounded(
  scenario: ScenarioModule.Scenario,
  front: Task["front"],
  isDetailed: boolean,
): Promise<ScenarioModule.RunResult> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${LONGEST_MS / 1000} s`)), LONGEST_MS);
  });
  try {
    return await Promise.race([runScenario(scenario, front, isDetailed), limit]);
  } catch (error) {
    const what = `it broke off: ${error instanceof Error ? error.stack : String(error)}`;
    return { violations: [{ breach: "untrue", what }], lines: [], counts: {} };
  } finally {
    clearTimeout(timer);
  }
}
