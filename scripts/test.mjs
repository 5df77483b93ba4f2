// Every check of this repository in one go, cheap ones first: format, lint, types, unused code, the package, then all tests. Stops at the
// first of the static checks that fails, and always ends with a line `N passed, N failed`. Arguments go to vitest.
// Started by run.mjs, which has put the programs on PATH.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { ensureBuilt } from "./setup/build.mjs";
import { SetupError } from "./setup/step.mjs";
import { countTests } from "./setup/testCount.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const checks = [
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

async function main(args) {
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

async function build() {
  try {
    await ensureBuilt({ root, env: process.env, node: process.execPath });
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

function runTests(args) {
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-test-"));
  const file = path.join(folder, "results.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const succeeded = tool("vitest", "vitest", ["run", ...reporters, ...args]);
    return countTests(readResults(file), succeeded);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined; // vitest did not get that far; it has said why
  }
}

function tool(packageName, program, args) {
  const folder = path.join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const { status } = spawnSync(process.execPath, [path.join(folder, bin[program]), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  return status === 0;
}

function heading(title) {
  process.stdout.write(`\n${styleText("bold", title)}\n`);
}

const { passed, failed } = await main(process.argv.slice(2));
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
