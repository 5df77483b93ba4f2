// The sum at the end of `npm test` never looks better than the run was.
import { expect, test } from "vitest";
import { countIn, countTests, failuresIn, failuresOf } from "../../scripts/testCount";

const passed = { fullName: "adds", status: "passed" };
const failed = { fullName: "takes away", status: "failed", failureMessages: ["Error: expected 1\n  at sum.ts"] };
const good = { name: "good.test.ts", status: "passed", assertionResults: [passed, passed] };
const bad = { name: "bad.test.ts", status: "failed", assertionResults: [passed, failed] };
const unloadable = { name: "no.test.ts", status: "failed", message: "SyntaxError: 1", assertionResults: [] };

test.each([
  ["all passed", { numPassedTests: 2, numFailedTests: 0, testResults: [good] }, true, { passed: 2, failed: 0 }],
  ["one failed", { numPassedTests: 3, numFailedTests: 1, testResults: [good, bad] }, false, { passed: 3, failed: 1 }],
  [
    "a file that cannot be loaded",
    { numPassedTests: 2, numFailedTests: 0, testResults: [good, unloadable] },
    false,
    { passed: 2, failed: 1 },
  ],
  [
    "an error outside any test",
    { numPassedTests: 2, numFailedTests: 0, testResults: [good] },
    false,
    { passed: 2, failed: 1 },
  ],
  ["vitest did not get to a report", undefined, false, { passed: 0, failed: 1 }],
])("%s", (_title, results, succeeded, expected) => {
  expect(countTests(results, succeeded)).toEqual(expected);
});

test.each([
  ["the last line is the count", "noise\n\n3 passed, 0 failed\n", true, { passed: 3, failed: 0 }],
  ["failures are named", "3 passed, 2 failed\n", false, { passed: 3, failed: 2 }],
  ["a failure that is not named", "3 passed, 0 failed\n", false, { passed: 3, failed: 1 }],
  ["no count, and no failure", "", true, { passed: 0, failed: 1 }],
  ["no count at all", "3 passed, 0 failed\nit crashed\n", false, { passed: 0, failed: 1 }],
])("the count of a command: %s", (_name, output, succeeded, expected) => {
  expect(countIn(output, succeeded)).toEqual(expected);
});

test("each failure is named with the first line of what it says, and found again in the output of a command", () => {
  const report = { numPassedTests: 3, numFailedTests: 1, testResults: [good, bad, unloadable] };
  const lines = ["failed: bad.test.ts > takes away: Error: expected 1", "failed: no.test.ts: SyntaxError: 1"];
  expect(failuresOf(report)).toEqual(lines);
  expect(failuresIn(["noise", ...lines, "", "3 passed, 2 failed", ""].join("\n"))).toEqual(lines);
});
