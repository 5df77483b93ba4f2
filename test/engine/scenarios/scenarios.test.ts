// A part of the invariant tests on the real engine: one scenario, half a minute long; `ENGINE_SCENARIOS` and
// `ENGINE_SEED` run as many others as wished (`npm run invariants -- --engine`).

import { expect, test } from "vitest";
import { runOnEngine } from "./randomScenarios";

const LIMIT_MS = 5 * 60_000;

const count = process.env["ENGINE_SCENARIOS"];
const first = Number(process.env["ENGINE_SEED"] ?? 1);
const seeds = count === undefined ? [1] : Array.from({ length: Number(count) }, (_, index) => first + index);

test.each(seeds)("a random scenario on the real engine, seed %d", { timeout: LIMIT_MS }, async (seed) => {
  const { violations, lines } = await runOnEngine(seed);
  const found = violations.map(({ breach, what }) => `${breach}: ${what}`);
  if (found.length > 0 || count === "1") process.stdout.write(`${[`seed ${seed}:`, ...lines].join("\n  ")}\n`);
  const again = `npm run invariants -- --engine --runs 1 --seed ${seed}`;
  expect(found.map((what) => `${what} (${again})`)).toEqual([]);
});
