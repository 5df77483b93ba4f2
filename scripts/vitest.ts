// Runs vitest in this process's terminal, and counts the tests from its JSON report.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { countTests, failuresOf, type Count, type Report } from "./testCount.ts";

interface VitestRun {
  root: string;
  reporter: "default" | "verbose";
  args: readonly string[];
  env: NodeJS.ProcessEnv;
}

export function runVitest({ root, reporter, args, env }: VitestRun): Count {
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-test-"));
  const file = path.join(folder, "results.json");
  try {
    const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
    const reporters = [`--reporter=${reporter}`, "--reporter=json", `--outputFile.json=${file}`];
    const { status } = spawnSync(process.execPath, [vitest, "run", ...reporters, ...args], {
      cwd: root,
      env,
      stdio: "inherit",
    });
    const report = readReport(file);
    for (const line of failuresOf(report)) process.stdout.write(`${line.replace(`${root}${path.sep}`, "")}\n`);
    return countTests(report, status === 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return undefined; // vitest ended before it wrote the report; it has said why
  }
}
