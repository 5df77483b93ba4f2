// A small share of `npm run invariants`: some fixed seeds, and a few new ones in each run.

import { expect, test } from "vitest";
import type { Form } from "../../provider/pulumi/stateNames";
import { repeats } from "../support/repeats";
import { perform } from "./scenarios";

const LIMIT_MS = 180_000;

const plain = { isShrunk: false, isDetailed: false, path: undefined };

/** The violation, with the command that repeats it. */
async function complaints(seed: number, run: number, form: Form): Promise<string[]> {
  const { violations } = await perform({ ...plain, seed, run, form });
  const again = `npm run invariants -- --form ${form} --seed ${seed} --only ${run}`;
  return violations.map(({ breach, what }) => `${breach}: ${what} (${again})`);
}

const RUNS = repeats(1, 6);
test.each([
  ["dynamic", 0],
  ["dynamic", 6],
  ["dynamic", 12],
  ["native", 0],
  ["native", 6],
] as const)(
  `with the %s form ${RUNS} runs of seed 1, from %d on, keep the invariants`,
  { timeout: LIMIT_MS },
  async (form, from) => {
    for (let run = from; run < from + RUNS; run += 1) expect(await complaints(1, run, form)).toEqual([]);
  },
);

test.each(repeats<Form[]>(["native"], ["dynamic", "native"]))(
  "with the %s form a seed gives the same run again",
  { timeout: LIMIT_MS },
  async (form) => {
    const task = { ...plain, seed: 1, run: 4, form };
    const [first, second] = [await perform(task), await perform(task)];
    expect(first.counts["requests"]).toBeGreaterThan(50);
    // A message may name the server, which has another port each time.
    const withoutPort = (run: unknown): string => JSON.stringify(run).replaceAll(/127\.0\.0\.1:\d+/g, "server");
    expect(withoutPort(second)).toEqual(withoutPort(first));
  },
);
