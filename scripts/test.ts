// `npm test`: all checks of this repository: format, build, then lint, types, unused code and the package in parallel,
// then all tests. The tests do not run if a static check fails, and the last line is always `N passed, N failed`.
// Arguments go to vitest. Started by run.mjs, which has put the programs on PATH.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { ensureBuilt } from "./setup/build.mjs";
import { SetupError } from "./setup/step.mjs";
import type { Count } from "./testCount.ts";
import { runVitest } from "./vitest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

// The tests start hundreds of Node processes that load the same packages. With Node's compile cache each of them takes
// some 40 % less CPU time to load Pulumi and this package.
const env = {
  NODE_COMPILE_CACHE: path.join(root, "node_modules", ".cache", "node-compile"),
  ...process.env,
};

/** Types are checked again only after a change of a file that they depend on. */
const types = ["--incremental", "--tsBuildInfoFile", path.join(root, "node_modules", ".cache", "types.tsbuildinfo")];

interface Check {
  title: string;
  packageName: string;
  program: string;
  args: readonly string[];
}

const format: Check = { title: "Format", packageName: "oxfmt", program: "oxfmt", args: ["--check"] };

/** These need the build: the examples import the package by its name. */
const checks: readonly Check[] = [
  { title: "Lint", packageName: "oxlint", program: "oxlint", args: [] },
  { title: "Types", packageName: "typescript", program: "tsc", args: ["--noEmit", "-p", "tsconfig.json", ...types] },
  { title: "Unused code", packageName: "knip", program: "knip", args: [] },
  { title: "Package", packageName: "publint", program: "publint", args: [] },
  {
    title: "Types of the package",
    packageName: "@arethetypeswrong/cli",
    program: "attw",
    args: ["--pack", ".", "--profile", "node16", "--quiet"],
  },
];

async function main(args: readonly string[]): Promise<Count> {
  heading(format.title);
  if (!run(format)) return didNotRun(format.title);
  heading("Build");
  if (!(await build())) return didNotRun("Build");
  const results = await Promise.all(checks.map(captured));
  const failed: string[] = [];
  for (const [index, { title }] of checks.entries()) {
    const { isFine, output } = results[index] ?? { isFine: false, output: "" };
    heading(title);
    process.stdout.write(output);
    if (!isFine) failed.push(title);
  }
  if (failed.length > 0) return didNotRun(failed.join(", "));
  heading("Tests");
  return runVitest({ root, reporter: "default", args, env });
}

function didNotRun(title: string): Count {
  process.stdout.write(`${title.toLowerCase()} failed; the tests did not run\n`);
  return { passed: 0, failed: 1 };
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

function run({ packageName, program, args }: Omit<Check, "title">): boolean {
  const { status } = spawnSync(process.execPath, [scriptOf(packageName, program), ...args], {
    cwd: root,
    env,
    stdio: "inherit",
  });
  return status === 0;
}

/** Runs a check in parallel with others; prints its output when it has ended. */
function captured({ packageName, program, args }: Check): Promise<{ isFine: boolean; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [scriptOf(packageName, program), ...args], {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (piece: string): void => void (output += piece);
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    child.on("error", reject);
    child.on("close", (code) => resolve({ isFine: code === 0, output }));
  });
}

function scriptOf(packageName: string, program: string): string {
  const folder = path.join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    bin: Record<string, string>;
  };
  const script = bin[program];
  if (script === undefined) throw new Error(`${packageName} has no program ${program}`);
  return path.join(folder, script);
}

function heading(title: string): void {
  process.stdout.write(`\n${styleText("bold", title)}\n`);
}

const { passed, failed } = await main(process.argv.slice(2));
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
