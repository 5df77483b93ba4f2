// The shortest scenario that still ends in the same breach: actions are left out as long as the breach remains.

import type { Breach } from "./judge";
import { runScenario, type Scenario, type RunResult } from "./scenario";

export async function shrink(
  scenario: Scenario,
  breach: Breach,
  result: (scenario: Scenario) => Promise<RunResult> = runScenario,
): Promise<{ scenario: Scenario; result: RunResult }> {
  let shortest = { scenario, result: await result(scenario) };
  for (let index = scenario.actions.length - 1; index >= 0; index -= 1) {
    const actions = shortest.scenario.actions.filter((_, at) => at !== index);
    const shorter = { ...scenario, actions };
    const told = await result(shorter);
    if (told.violations.some((violation) => violation.breach === breach))
      shortest = { scenario: shorter, result: told };
  }
  return shortest;
}
