// A small share of `npm run invariants`: some seeds that are always the same, and a few that nobody has tried before.

import { expect, test } from "vitest";
import { seedOf } from "../support/random";
import { shrink } from "./shrink";
import { scenarioOf, runScenario, type Scenario, type RunResult } from "./scenario";
import { addRun, createTally, tableOf } from "./table";

const LIMIT_MS = 180_000;

/** What went wrong, with the way to see it again. */
async function complaints(seed: number, run: number): Promise<string[]> {
  const { violations } = await runScenario(scenarioOf(seedOf(seed, run)));
  const again = `npm run invariants -- --seed ${seed} --only ${run}`;
  return violations.map(({ breach, what }) => `${breach}: ${what} (${again})`);
}

test.each([0, 6, 12])("six runs of seed 1, from %d on", { timeout: LIMIT_MS }, async (from) => {
  for (let run = from; run < from + 6; run += 1) expect(await complaints(1, run)).toEqual([]);
});

test("a few fresh runs", { timeout: LIMIT_MS }, async () => {
  const seed = Date.now() % 1_000_000;
  for (let run = 0; run < 3; run += 1) expect(await complaints(seed, run)).toEqual([]);
});

test("a seed gives the same run again", { timeout: LIMIT_MS }, async () => {
  const scenario = scenarioOf(seedOf(1, 8));
  const [first, second] = [await runScenario(scenario), await runScenario(scenario)];
  expect(first.counts["requests"]).toBeGreaterThan(50);
  expect(second).toEqual(first);
});

test("a failing scenario is shortened to the actions that it takes", async () => {
  const actions = (["up", "drift", "edit", "refresh", "destroy"] as const).map((does, seed) => ({ does, seed }));
  const failing = (scenario: Scenario): Promise<RunResult> => {
    const does = scenario.actions.map((action) => action.does);
    const isBad = does.includes("drift") && does.includes("destroy");
    const violations = isBad ? [{ breach: "orphan" as const, what: "left behind" }] : [];
    return Promise.resolve({ violations, lines: does, counts: {} });
  };
  const { result } = await shrink({ seed: 1, actions }, "orphan", failing);
  expect(result.lines).toEqual(["drift", "destroy"]);
});

test("the table sums up what happened, breach by breach", () => {
  const tally = createTally();
  const counts = { commands: 3, requests: 1234, "operation create": 2, "fault html": 1, "fault lostAfter": 5 };
  addRun(tally, { counts, violations: [] });
  addRun(tally, { counts, violations: [{ breach: "leak", what: "a key" }] });
  expect(tableOf(tally, 61_000)).toMatchInlineSnapshot(`
    "runs             2
    commands         6
    operations       create 4
    requests         2,468
    faults           lostAfter 10, html 2
    duplicates       0
    orphans          0
    unasked deletes  0
    lost ids         0
    leaks            1
    overlaps         0
    untruths         0
    held up          0
    time             61 s"
  `);
});
