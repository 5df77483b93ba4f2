// Runs vitest in this process's terminal, and counts the tests from its JSON report.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The part of vitest's JSON report that this file reads. */
export interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: readonly FileResult[];
}

interface FileResult {
  name: string;
  status: string;
  message?: string;
  assertionResults: readonly TestResult[];
}

interface TestResult {
  fullName: string;
  status: string;
  failureMessages?: readonly string[];
}

export interface Count {
  passed: number;
  failed: number;
}

/**
 * Passed and failed tests. A file that could not be loaded has no tests, and errors outside tests belong to none: both
 * count as failures, so that the sum never looks better than the run.
 */
export function countTests(report: Report | undefined, succeeded: boolean): Count {
  const passed = report?.numPassedTests ?? 0;
  const broken = report?.testResults.filter(isBroken).length ?? 0;
  const failed = (report?.numFailedTests ?? 0) + broken;
  return { passed, failed: succeeded ? failed : Math.max(failed, 1) };
}

/** One line for each failed test, and for each file that could not be loaded: its name and what it says. */
export function failuresOf(report: Report | undefined): string[] {
  return (report?.testResults ?? []).flatMap((file) => {
    const failed = file.assertionResults.filter((test) => test.status === "failed");
    if (isBroken(file)) return [failureLine(file.name, file.message)];
    return failed.map((test) => failureLine(`${file.name} > ${test.fullName}`, test.failureMessages?.[0]));
  });
}

/** The lines that {@link failuresOf} has written to a command's output. */
export function failuresIn(output: string): string[] {
  return output.split("\n").filter((line) => line.startsWith(FAILED));
}

const FAILED = "failed: ";

function failureLine(name: string, message = ""): string {
  return `${FAILED}${name}: ${message.split("\n")[0] ?? ""}`;
}

function isBroken({ status, assertionResults }: FileResult): boolean {
  return status === "failed" && !assertionResults.some((test) => test.status === "failed");
}

/**
 * The count in a command's last line. A failed command without a failure in its count, or without a count, counts as
 * one.
 */
export function countIn(output: string, succeeded: boolean): Count {
  const found = /^(\d+) passed, (\d+) failed$/.exec(output.trimEnd().split("\n").at(-1) ?? "");
  if (found === null) return { passed: 0, failed: 1 };
  const [passed, failed] = [Number(found[1]), Number(found[2])];
  return { passed, failed: succeeded ? failed : Math.max(failed, 1) };
}

export function addCounts(a: Count, b: Count): Count {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

interface VitestRun {
  root: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
}

export function runVitest({ root, args, env }: VitestRun): Count {
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-test-"));
  const file = path.join(folder, "results.json");
  try {
    const reporters = ["default", "json", "./scripts/progress.ts"].map((name) => `--reporter=${name}`);
    const status = startVitest(root, ["run", ...reporters, `--outputFile.json=${file}`, ...args], env);
    const report = readReport(file);
    for (const line of failuresOf(report)) process.stdout.write(`${line.replace(`${root}${path.sep}`, "")}\n`);
    return countTests(report, status === 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Its exit code; null if a signal has ended it. */
export function startVitest(root: string, args: readonly string[], env = process.env): number | null {
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
  return spawnSync(process.execPath, [vitest, ...args], { cwd: root, env, stdio: "inherit" }).status;
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return undefined; // vitest ended before it wrote the report; it has said why
  }
}
