interface Results {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

export function countTests(results: Results | undefined, succeeded: boolean): { passed: number; failed: number };
