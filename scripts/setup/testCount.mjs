// What a run of vitest comes to, from its JSON report. Built-ins only.

/**
 * Passed and failed tests. A file that could not be loaded has no tests to fail, and errors outside tests belong to
 * none: both count as failures, so that the sum never looks better than the run.
 */
export function countTests(results, succeeded) {
  const passed = results?.numPassedTests ?? 0;
  const broken = results?.testResults.filter(isBroken).length ?? 0;
  const failed = (results?.numFailedTests ?? 0) + broken;
  return { passed, failed: succeeded ? failed : Math.max(failed, 1) };
}

function isBroken({ status, assertionResults }) {
  return status === "failed" && !assertionResults.some((test) => test.status === "failed");
}
