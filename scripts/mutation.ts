// `npm run mutation`: each change that Stryker makes to the planner and to the decision on deletes must fail a test. See `usage`.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";
import { readOptions } from "./options.ts";

const usage = `npm run mutation -- [options]
  --view   instead: the view of the run, with the tests of handlers that stand for it; some 25 minutes, and only a score
The exit code is 0 when every mutant that the tests do not notice is listed in this file. The last line is \`N passed, N failed\`.`;

/** Mutants that no test can notice: in the line of the source, the reason. */
const EQUIVALENT: Readonly<Record<string, string>> = {
  "row === undefined || asked === undefined": "for the type alone: each key has a row",
  '= { by: "", label } })': "for the type alone: this refusal is only made with a wanter",
  "owner?.label": "for the type alone: this refusal is only made with an owner",
  'tag.is === "unreadable" ? tag.why': "for the type alone: this refusal is only made of an unreadable tag",
};

const root = fileURLToPath(new URL("..", import.meta.url));
const { view } = readOptions({ view: { type: "boolean", default: false } }, usage);

process.chdir(root);
process.env["MUTATION_OF"] = view ? "view" : "decisions";
const results = await new Stryker({
  mutate: view
    ? ["provider/lifecycle/view/{runView,deleteFacts,entry}.ts"]
    : ["provider/plan/*.ts", "provider/lifecycle/view/decideDelete.ts"],
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "test/mutation/vitest.config.mts", related: false },
  coverageAnalysis: "perTest",
  // A mutant of a module's constants needs a run of all tests in a new process.
  ignoreStatic: true,
  tempDirName: "node_modules/.cache/stryker",
  reporters: ["progress-append-only"],
}).runMutationTest();

const killed = results.filter(({ status }) => status === "Killed" || status === "Timeout");
const survivors = results.filter(({ status }) => status === "Survived" || status === "NoCoverage");
const unexplained = survivors.filter(
  (mutant) => !Object.keys(EQUIVALENT).some((text) => lineOf(mutant).includes(text)),
);

for (const mutant of unexplained) {
  const { fileName, location, mutatorName, replacement } = mutant;
  const where = `${path.relative(root, fileName)}:${location.start.line}:${location.start.column}`;
  print(`failed: ${where}: ${mutatorName}: no test notices \`${replacement}\` in \`${lineOf(mutant)}\``);
}
const score = (100 * killed.length) / (killed.length + survivors.length);
print(`score ${score.toFixed(1)} %: ${killed.length} of ${killed.length + survivors.length} mutants noticed`);
print(`${killed.length} passed, ${unexplained.length} failed`);
process.exitCode = unexplained.length === 0 ? 0 : 1;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function lineOf({ fileName, location }: (typeof results)[number]): string {
  return (readFileSync(fileName, "utf8").split("\n")[location.start.line - 1] ?? "").trim();
}
