// `npm run mutation`: each change that Stryker makes to the planner, to the view of the run, to the decision on deletes and to
// deletion protection must fail a test, or is listed here; `-- view` makes those of one part. The last line is
// `N passed, N failed`.
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";

interface Part {
  mutate: string[];
  /** The tests that stand for it. With more of them each mutant would take minutes. */
  tests: readonly string[];
  /** Where texts are held by snapshots and by `test/documents/errors.test.ts`, no mutant changes one. */
  excludedMutations?: string[];
  /** Mutants that no test can notice, by a part of the mutated line, and why; most checks are there for their type alone. */
  equivalent: Readonly<Record<string, string>>;
}

const PARTS: Readonly<Record<string, Part>> = {
  planner: {
    mutate: ["provider/plan/*.ts", "provider/kinds/*/plan.ts", "provider/core/decideDelete.ts"],
    tests: ["test/plan/*.test.ts", "test/core/{decideDelete,oldFirst,runView}.test.ts"],
    equivalent: {
      "label: wanted } = {} })": "this refusal is only made with a claimant",
      '= { by: "Stryker was here!", label } })': "this refusal is only made with a claimant",
      "${owner.label}": "this refusal is only made with an owner",
      '${true ? tag.why : ""}': "this refusal is only made of an unreadable tag",
      'tag.why : "Stryker was here!"}': "this refusal is only made of an unreadable tag",
      '${tag.is === "unreadable"': "this refusal is only made of an unreadable tag",
      '= ["Stryker was here"] }) => [': "this refusal is only made with parts",
      '= "" }) => ["run-not-shared"': "this refusal is only made with this fact",
      'hidden = ["Stryker was here"]': "no property is called so",
    },
  },
  view: {
    mutate: ["provider/core/{runView,runLog,entry}.ts"],
    tests: ["test/core/runView.test.ts"],
    equivalent: {
      "resource.parent.noun": "only a part has an owner",
      'scopeOf(resource, state, "Stryker was here!")': "the project is given beside it",
      'undefined ? ["Stryker was here"]': "no object is called so",
      '#want(resource, ["Stryker was here"])': "no object is called so",
      "return false ? undefined : this.#resources.get": "nothing is called undefined",
      'outcome: ""': "what has not failed again has succeeded",
      '[0] ?? "Stryker was here!"': "a text has a first part",
      '[name = "Stryker was here!"': "a text has a first part",
      "if (true) known.names.add(name)": "nothing is called undefined",
    },
  },
  core: {
    mutate: ["provider/core/protection.ts"],
    tests: [
      "test/core/{runView,endOfProtection,heldObjects,protectionSetting,fixedDrift,oldStates,mistakes}.test.ts",
      "test/core/{replicaSetOwner,lifecycleInputs}.test.ts",
    ],
    excludedMutations: ["StringLiteral"],
    equivalent: {},
  },
};
const TEMPORARY = "node_modules/.cache/stryker";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
// A run that was interrupted leaves its copies of the sources.
rmSync(TEMPORARY, { recursive: true, force: true });
const results: Awaited<ReturnType<Stryker["runMutationTest"]>> = [];
const chosen = Object.entries(PARTS).filter(([name]) => name === (process.argv[2] ?? name));
if (chosen.length === 0) throw new Error(`the parts are ${Object.keys(PARTS).join(" and ")}, not "${process.argv[2]}"`);
for (const [, { mutate, tests, excludedMutations = [] }] of chosen) {
  // The configuration of vitest reads this.
  process.env["MUTATION_TESTS"] = tests.join(" ");
  const part = await new Stryker({
    mutate,
    mutator: { excludedMutations },
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "test/mutation/vitest.config.mts", related: false },
    coverageAnalysis: "perTest",
    // A mutant of a module's constants needs a run of all tests in a new process.
    ignoreStatic: true,
    tempDirName: TEMPORARY,
    reporters: ["progress-append-only"],
  }).runMutationTest();
  results.push(...part);
  if (part.length === 0) throw new Error(`nothing to mutate in ${mutate.join(" ")}`);
}

const tested = results.filter(({ status }) => status !== "Ignored");
const survivors = tested.filter(({ status }) => status !== "Killed" && status !== "Timeout");
const reasons = chosen.flatMap(([, { equivalent }]) => Object.keys(equivalent));
const failures = [
  ...survivors.flatMap((mutant) => {
    const { fileName, location, status } = mutant;
    if (reasons.some((part) => mutated(mutant).includes(part))) return [];
    const where = `${path.relative(root, fileName)}:${location.start.line}:${location.start.column}`;
    return [`${where}: ${status}: ${mutated(mutant)}`];
  }),
  ...reasons
    // A run of all tests may also take too long.
    .filter((part) => !tested.some((one) => one.status !== "Killed" && mutated(one).includes(part)))
    .map((part) => `no mutant survives that is listed as equivalent: ${part}`),
];
for (const failure of failures) print(`failed: ${failure}`);
const killed = tested.length - survivors.length;
print(`score ${((100 * killed) / tested.length).toFixed(1)} %: ${killed} of ${tested.length} mutants noticed`);
print(`${killed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The first line of the mutant as mutated. */
function mutated({ fileName, location: { start, end }, replacement }: (typeof results)[number]): string {
  const line = readFileSync(fileName, "utf8").split("\n")[start.line - 1] ?? "";
  const rest = start.line === end.line ? line.slice(end.column - 1) : "";
  return `${line.slice(0, start.column - 1)}${replacement}${rest}`.trim();
}
