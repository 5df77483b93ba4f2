// The sum at the end of `npm test` never looks better than the run was.
import { expect, test } from "vitest";
import { countIn, countTests, failuresIn, failuresOf } from "../../scripts/vitest";

const passed = { fullName: "adds", status: "passed" };
const failed = { fullName: "takes away", status: "failed", failureMessages: ["Error: expected 1\n  at sum.ts"] };
const good = { name: "good.test.ts", status: "passed", assertionResults: [passed, passed] };
const bad = { name: "bad.test.ts", status: "failed", assertionResults: [passed, failed] };
const unloadable = { name: "no.test.ts", status: "failed", message: "SyntaxError: 1", assertionResults: [] };
const allPassed = { numPassedTests: 2, numFailedTests: 0, testResults: [good] };
const report = { numPassedTests: 3, numFailedTests: 1, testResults: [good, bad, unloadable] };

test("a failed run counts at least one failure, also where no test or no report names it", () => {
  expect(countTests(allPassed, true)).toEqual({ passed: 2, failed: 0 });
  expect(countTests(allPassed, false)).toEqual({ passed: 2, failed: 1 });
  expect(countTests(report, false)).toEqual({ passed: 3, failed: 2 });
  expect(countTests(undefined, false)).toEqual({ passed: 0, failed: 1 });
  expect(countIn("noise\n\n3 passed, 0 failed\n", true)).toEqual({ passed: 3, failed: 0 });
  expect(countIn("3 passed, 0 failed\n", false)).toEqual({ passed: 3, failed: 1 });
  expect(countIn("3 passed, 0 failed\nit crashed\n", false)).toEqual({ passed: 0, failed: 1 });
});

test("each failure is named with the first line of its message, and found again in the output of a command", () => {
  const lines = ["failed: bad.test.ts > takes away: Error: expected 1", "failed: no.test.ts: SyntaxError: 1"];
  expect(failuresOf(report)).toEqual(lines);
  expect(failuresIn(["noise", ...lines, "", "3 passed, 2 failed", ""].join("\n"))).toEqual(lines);
});
