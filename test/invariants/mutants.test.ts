// The edits that switch safeguards off must match the sources, or `npm run invariants -- --mutants` proves nothing.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { mutants, mutate } from "../../scripts/invariants/mutants";

const root = path.resolve(__dirname, "../..");

test.each(mutants)("$name can be switched off", (mutant) => {
  const text = readFileSync(path.join(root, mutant.file), "utf8");
  expect(mutate(mutant, text, mutant.file)).not.toBe(text);
  expect(mutate(mutant, text, "provider/host.ts")).toBe(text);
});

test("an edit that does not fit exactly once is refused", () => {
  const mutant = { file: "a.ts", find: "twice", replace: "" };
  expect(() => mutate(mutant, "twice twice", "a.ts")).toThrow("exactly one");
  expect(() => mutate(mutant, "never", "a.ts")).toThrow("exactly one");
});
