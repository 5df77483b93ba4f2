// The edits that switch safeguards off must match the sources, or `npm run invariants -- --mutants` proves nothing.

import { expect, test } from "vitest";
import { mutants, mutate } from "../../scripts/invariants/mutants";
import { textOf } from "../support/repository";

test.each(mutants)("the sources can be edited so that $what", (mutant) => {
  const text = textOf(mutant.file);
  expect(mutate(mutant, text, mutant.file)).not.toBe(text);
  expect(mutate(mutant, text, "provider/host.ts")).toBe(text);
});

test("an edit that does not fit exactly once is refused", () => {
  const mutant = { file: "a.ts", find: "twice", replace: "" };
  expect(() => mutate(mutant, "twice twice", "a.ts")).toThrow("exactly one");
  expect(() => mutate(mutant, "never", "a.ts")).toThrow("exactly one");
});
