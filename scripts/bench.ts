// Measures this package on the real CLI against the engine's own floor, prints tables, and writes docs/internals/performance-figures.md
// with --write. Started by run.mjs, which has built the package and found the Pulumi CLI.
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { compareWith } from "../bench/beside/revision.ts";
import { figuresText } from "../bench/document.ts";
import { boundsOf } from "../bench/bounds.ts";
import { summarize } from "../bench/figures.ts";
import { measureLoading } from "../bench/loading.ts";
import type { Result, Run, Scenario } from "../bench/model.ts";
import { measureProgram, programBounds, type ProgramFigures, programTable } from "../bench/program/measure.ts";
import { measureState, stateBounds, stateTable } from "../bench/program/state.ts";
import { tablesOf } from "../bench/report.ts";
import { FULL, type Plan, QUICK, scenariosOf, stackOf } from "../bench/scenarios.ts";
import { pulumiVersion, runStack } from "../bench/stack.ts";
import { alignedTable, withBlock } from "./docs/block.ts";
import { print, readOptions } from "./options.ts";
import { startVitest } from "./vitest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const usage = `npm run bench -- [options]
  --sizes N,N…   numbers of services (default ${QUICK.sizes.join(",")})
  --full         ${FULL.sizes.join(", ")} services, repeated where they are few, and a wait of five minutes
  --runs N       repeat runs of up to 100 services
  --minutes N    start nothing new after so long
  --note TEXT    a remark for the document
  --write        write the figures of docs/internals/performance-figures.md
  --beside REV   what a change of the core may not make worse, in turn with another revision
  --micro        planner, diff and decoding alone, with vitest`;

/** Previews of each program; the median counts, and the report shows the spread. */
const PROGRAM_ROUNDS = 3;

const options = {
  sizes: { type: "string" },
  full: { type: "boolean" },
  runs: { type: "string" },
  minutes: { type: "string" },
  note: { type: "string", multiple: true },
  write: { type: "boolean" },
  beside: { type: "string" },
  micro: { type: "boolean" },
} as const;

type Options = ReturnType<typeof readOptions<typeof options>>;

async function main(): Promise<void> {
  const values = readOptions(options, usage);
  if (values.micro === true) {
    process.exitCode = startVitest(root, ["bench", "--run"]) ?? 1;
    return;
  }
  if (values.beside !== undefined) {
    const { title, head, rows } = compareWith(values.beside, Number(values.runs ?? 3), values.sizes ?? "300,1000");
    print([title, "", ...alignedTable([head, ...rows], true)].join("\n"));
    return;
  }
  const plan = planOf(values);
  const loading = await measureLoading();
  const programs: ProgramFigures[] = [];
  for (const size of plan.programs) programs.push(await measureProgram(size, PROGRAM_ROUNDS));
  const states = await measureState();
  const { results, left } = await runAll(scenariosOf(plan), Number(values.minutes ?? Infinity));
  const text = figuresText({
    machine: await describeMachine(),
    tables: [...programTable(programs), ...tablesOf({ results, loading }), stateTable(states)],
    bounds: [...programBounds(programs), ...stateBounds(states), ...boundsOf({ results, loading })],
    notes: [...(values.note ?? []), ...left.map((title) => `Not run, because the time was up: ${title}.`)],
    command: commandOf(process.argv.slice(2)),
  });
  print(text);
  if (values.write !== true) return;
  const file = path.join(root, "docs", "internals", "performance-figures.md");
  const document = readFileSync(file, "utf8");
  writeFileSync(file, withBlock(document, "figures", text));
  print("\ndocs/internals/performance-figures.md is written");
}

function planOf({ sizes, full, runs }: Options): Plan {
  const base = full === true ? FULL : QUICK;
  const given = sizes?.split(",").map(Number);
  if (given?.some((size) => !Number.isInteger(size) || size < 1)) throw new Error(usage);
  return {
    ...base,
    ...(given !== undefined && { sizes: given }),
    ...(runs !== undefined && { runs: Number(runs) }),
  };
}

/** The command line as typed, without the notes. */
function commandOf(words: readonly string[]): string {
  const others = words.filter((word, at) => !/^--note(?:=|$)/.test(word) && words[at - 1] !== "--note");
  return ["npm run bench --", ...others].join(" ");
}

async function runAll(scenarios: readonly Scenario[], minutes: number): Promise<{ results: Result[]; left: string[] }> {
  const began = performance.now();
  const results: Result[] = [];
  const left: string[] = [];
  for (const scenario of scenarios) {
    if (performance.now() - began > minutes * 60_000) left.push(scenario.title);
    else results.push({ ...scenario, subjects: await runScenario(scenario) });
  }
  return { results, left };
}

/** Every subject's summary. Repeated runs alternate between the subjects. */
async function runScenario(scenario: Scenario): Promise<Result["subjects"]> {
  const measured = scenario.subjects.map((subject) => ({ subject, runs: [] as Run[] }));
  for (let run = 0; run < scenario.runs; run++) {
    for (const { subject, runs } of measured) {
      const began = performance.now();
      runs.push(await runStack(stackOf(scenario, subject, run)));
      const took = ((performance.now() - began) / 1_000).toFixed(0);
      process.stderr.write(styleText("dim", `  ${scenario.title}: ${subject}, ${took} s\n`));
    }
  }
  return Object.fromEntries(measured.map(({ subject, runs }) => [subject, summarize(runs)]));
}

async function describeMachine(): Promise<string[]> {
  const own = manifestIn(root);
  const sdk = manifestIn(path.join(root, "node_modules/@pulumi/pulumi"));
  return [
    `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB of memory, ${process.platform}-${process.arch}`,
    `Node ${process.versions.node}, Pulumi CLI ${await pulumiVersion()}, @pulumi/pulumi ${sdk.version}, ${own.name} ${own.version}`,
    `measured on ${new Date().toISOString().slice(0, 10)}`,
  ];
}

function manifestIn(folder: string): { name: string; version: string } {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as { name: string; version: string };
}

await main();
