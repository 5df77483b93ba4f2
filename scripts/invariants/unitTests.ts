// Runs the unit tests that must notice a mutant. The mutated file is replaced as vitest loads it, never on the disk.
import path from "node:path";
import { type Reporter, startVitest } from "vitest/node";
import type { Plugin } from "vitest/config";
import { mutate, type Mutant } from "./mutants.ts";

/** A test that hangs is noticed as well. */
const TIMEOUT_MS = 120_000;

/** The name of a test that fails with the safeguard switched off; undefined if all pass. */
export async function failingTest(root: string, mutant: Mutant): Promise<string | undefined> {
  const { file } = mutant;
  const patch: Plugin = {
    name: "mutant",
    enforce: "pre",
    transform: (text, id) => mutate(mutant, text, path.relative(root, id).split(path.sep).join("/")),
    // What vitest keeps on the disk of another mutant, or of the file as it is, is not this one.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id }) => id.endsWith(file) && JSON.stringify(mutant));
    },
  };
  let failed: string | undefined;
  let run = 0;
  const reporter: Reporter = {
    onTestCaseResult(test) {
      run += 1;
      if (test.result().state === "failed") failed ??= test.fullName;
    },
  };
  const options = {
    root,
    config: false as const,
    watch: false,
    include: [mutant.test ?? ""],
    bail: 1,
    hookTimeout: TIMEOUT_MS,
    testTimeout: TIMEOUT_MS,
    reporters: [reporter],
  };
  const vitest = await startVitest("test", [], options, { plugins: [patch] });
  await vitest.close();
  // vitest sets it for the tests that fail, as they must.
  process.exitCode = 0;
  if (run === 0) throw new Error(`${mutant.what}: ${mutant.test} does not load with it`);
  return failed;
}
