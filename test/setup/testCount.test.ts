// The sum at the end of `npm test` never looks better than the run was.
import { expect, test } from "vitest";
import { countIn, countTests } from "../../scripts/testCount";

const good = { status: "passed", assertionResults: [{ status: "passed" }, { status: "passed" }] };
const bad = { status: "failed", assertionResults: [{ status: "passed" }, { status: "failed" }] };
const unloadable = { status: "failed", assertionResults: [] };

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
