// `npm test`: every check of this repository, cheap ones first: format, build, lint, types, unused code, the package, then
// all tests. It stops at the first static check that fails, and its last line is always `N passed, N failed`. Arguments go
// to vitest. Started by run.mjs, which has put the programs on PATH.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { ensureBuilt } from "./setup/build.mjs";
import { SetupError } from "./setup/step.mjs";
import { countTests, type Count, type Report } from "./testCount.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

// The tests start hundreds of Node processes that load the same packages. With Node's compile cache each of them takes
// some 40 % less CPU time to load Pulumi and this package.
const env = {
  NODE_COMPILE_CACHE: path.join(root, "node_modules", ".cache", "node-compile"),
  ...process.env,
};

interface Check {
  title: string;
  run: () => boolean | Promise<boolean>;
}

const checks: readonly Check[] = [
  { title: "Format", run: () => tool("oxfmt", "oxfmt", ["--check"]) },
  // The examples import the package by its name, which is the build.
  { title: "Build", run: build },
  { title: "Lint", run: () => tool("oxlint", "oxlint", []) },
  { title: "Types", run: () => tool("typescript", "tsc", ["--noEmit", "-p", "tsconfig.json"]) },
  { title: "Unused code", run: () => tool("knip", "knip", []) },
  { title: "Package", run: () => tool("publint", "publint", []) },
  {
    title: "Types of the package",
    run: () => tool("@arethetypeswrong/cli", "attw", ["--pack", ".", "--profile", "node16", "--quiet"]),
  },
];

async function main(args: readonly string[]): Promise<Count> {
  for (const { title, run } of checks) {
    heading(title);
    if (!(await run())) {
      process.stdout.write(`${title.toLowerCase()} failed; the tests did not run\n`);
      return { passed: 0, failed: 1 };
    }
  }
  heading("Tests");
  return runTests(args);
}

async function build(): Promise<boolean> {
  try {
    await ensureBuilt({ root, env: process.env, node: process.execPath });
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

function runTests(args: readonly string[]): Count {
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-test-"));
  const file = path.join(folder, "results.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const succeeded = tool("vitest", "vitest", ["run", ...reporters, ...args]);
    return countTests(readReport(file), succeeded);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return undefined; // vitest did not get that far; it has said why
  }
}

function tool(packageName: string, program: string, args: readonly string[]): boolean {
  const folder = path.join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    bin: Record<string, string>;
  };
  const script = bin[program];
  if (script === undefined) throw new Error(`${packageName} has no program ${program}`);
  const { status } = spawnSync(process.execPath, [path.join(folder, script), ...args], {
    cwd: root,
    env,
    stdio: "inherit",
  });
  return status === 0;
}

function heading(title: string): void {
  process.stdout.write(`\n${styleText("bold", title)}\n`);
}

const { passed, failed } = await main(process.argv.slice(2));
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
