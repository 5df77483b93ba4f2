// `npm test`: all checks of this repository: format, build, then lint, types, unused code and the package in parallel,
// then all tests. The tests do not run if a static check fails, and the last line is always `N passed, N failed`.
// Arguments go to vitest. Started by run.mjs, which has put the programs on PATH.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { ensureBuilt } from "./setup/build.mjs";
import { SetupError } from "./setup/step.mjs";
import { runVitest, type Count } from "./vitest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

// The tests start hundreds of Node processes that load the same packages. With Node's compile cache each of them takes
// some 40 % less CPU time to load Pulumi and this package.
const env = {
  NODE_COMPILE_CACHE: path.join(root, "node_modules", ".cache", "node-compile"),
  ...process.env,
};

/** Types are checked again only after a change of a file that they depend on. */
const types = ["--incremental", "--tsBuildInfoFile", path.join(root, "node_modules", ".cache", "types.tsbuildinfo")];

type Check = readonly [title: string, program: string, ...args: string[]];

/** These need the build: the examples import the package by its name. */
const checks: readonly Check[] = [
  ["Lint", "oxlint"],
  ["Types", "tsc", "--noEmit", "-p", "tsconfig.json", ...types],
  ["Types of the page", "tsc", "--noEmit", "-p", "page"],
  ["Types of its tests", "tsc", "--noEmit", "-p", "test/browser"],
  ["Unused code", "knip"],
  ["Package", "publint"],
  ["Types of the package", "attw", "--pack", ".", "--profile", "node16", "--quiet"],
];

async function main(args: readonly string[]): Promise<Count> {
  if (!(await passes(["Format", "oxfmt", "--check"]))) return didNotRun("Format");
  heading("Build");
  if (!(await build())) return didNotRun("Build");
  const passed = await Promise.all(checks.map(passes));
  const failed = checks.filter((_, index) => passed[index] !== true);
  if (failed.length > 0) return didNotRun(failed.map(([title]) => title).join(", "));
  heading(
    args.length === 0 && process.env["REPEATS"] !== "full"
      ? "Tests: about 5 minutes on 2 cores, the first time some more"
      : "Tests",
  );
  return runVitest({ root, args, env });
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

/** Runs a check, maybe in parallel with others; prints its output when it has ended. */
async function passes([title, program, ...args]: Check): Promise<boolean> {
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => void (output += piece));
  }
  const [code] = (await once(child, "close")) as [number | null];
  heading(title);
  process.stdout.write(output);
  return code === 0;
}

function heading(title: string): void {
  process.stdout.write(`\n${styleText("bold", title)}\n`);
}

const { passed, failed } = await main(process.argv.slice(2));
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
