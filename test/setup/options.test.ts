// An option that a script does not have: one line and the usage, and no stack of Node's.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const scripts = path.join(__dirname, "../../scripts");

function run(...argv: string[]): { status: number | null; out: string; error: string } {
  const program = `
    import { readOptions } from ${JSON.stringify(pathToFileURL(path.join(scripts, "options.ts")).href)};
    console.log(JSON.stringify(readOptions({ keep: { type: "boolean" }, runs: { type: "string" } }, "npm start -- [options]")));
  `;
  const args = ["--input-type=module", "--eval", program, "--", ...argv];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, out: stdout, error: stderr };
}

test("valid options are read", () => {
  expect(run("--keep", "--runs", "3")).toEqual({ status: 0, out: '{"keep":true,"runs":"3"}\n', error: "" });
});

test.each([
  [["--kep"], "Unknown option '--kep'"],
  [["keep"], "Unexpected argument 'keep'"],
  [["--runs"], "Option '--runs <value>' argument missing"],
])("%j is one line and the usage", (argv, line) => {
  expect(run(...argv)).toEqual({ status: 2, out: "", error: `${line}\n\nnpm start -- [options]\n` });
});

test("no script reads its options in another way", () => {
  const files = readdirSync(scripts, { recursive: true, encoding: "utf8" }).filter((file) => /\.m?ts$/.test(file));
  const readers = files.filter((file) => readFileSync(path.join(scripts, file), "utf8").includes("parseArgs("));
  expect(readers).toEqual(["options.ts"]);
});
