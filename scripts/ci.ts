// The command of the build server: every check and test, with all repeats of tests, the detection of every mutant, the
// mutation testing of the view of the run, then random scenarios of a fixed seed for a few minutes. All parts run even if the first one
// fails. The last lines name each failed test and give the sum of the counts, `N passed, N failed`. The mutation testing of
// the planner is run by hand (CONTRIBUTING.md).
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { addCounts, countIn, failuresIn, type Count } from "./vitest.ts";

/** The same scenarios each time; a person looks for rare failures with other seeds. */
const INVARIANTS = ["--runs", "700", "--minutes", "5"];

const root = fileURLToPath(new URL("..", import.meta.url));

const commands: readonly (readonly string[])[] = [
  ["test"],
  ["invariants", "--mutants"],
  ["mutation", "view"],
  ...["dynamic", "native"].map((form) => ["invariants", "--form", form, ...INVARIANTS, "--seed", "1"]),
];

interface Outcome {
  count: Count;
  failures: readonly string[];
}

/** Runs a command of this repository, shows its output, and returns what its tests came to. */
async function run(args: readonly string[]): Promise<Outcome> {
  process.stdout.write(`+ node scripts/run.mjs ${args.join(" ")}\n`);
  const child = spawn(process.execPath, [path.join(root, "scripts", "run.mjs"), ...args], {
    cwd: root,
    // A user's machine may skip tests for lack of a PostgreSQL; the build server may not.
    env: { ...process.env, CI: process.env["CI"] ?? "true", REPEATS: "full" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    process.stdout.write(chunk);
    output += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { count: countIn(output, code === 0), failures: failuresIn(output) };
}

let total: Count = { passed: 0, failed: 0 };
const failures: string[] = [];
for (const args of commands) {
  const outcome = await run(args);
  total = addCounts(total, outcome.count);
  failures.push(...outcome.failures);
}
process.stdout.write(
  `\n${failures.map((line) => `${line}\n`).join("")}\n${total.passed} passed, ${total.failed} failed\n`,
);
process.exitCode = total.failed === 0 ? 0 : 1;
