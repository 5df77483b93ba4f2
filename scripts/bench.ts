// Measures this package on the real CLI against the engine's own floor and a naive provider, prints tables, and writes
// docs/performance.md with --write. Started by run.mjs, which has built the package and found the Pulumi CLI.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { documentOf, plainTable } from "../bench/document.ts";
import { boundsOf } from "../bench/bounds.ts";
import { summarize } from "../bench/figures.ts";
import { measureHandlers } from "../bench/handlers.ts";
import type { Handlers, Result, Run, Scenario, Table } from "../bench/model.ts";
import { plot } from "../bench/plot.ts";
import { measurePeers } from "../bench/peers/run.ts";
import { measureOptions } from "../bench/program/options.ts";
import { measureProgram, programBounds, type ProgramFigures, programTable } from "../bench/program/measure.ts";
import { measureState, stateBounds, type StateFigures, stateTable } from "../bench/program/state.ts";
import { tablesOf } from "../bench/report.ts";
import { FULL, type Plan, QUICK, scenariosOf } from "../bench/scenarios.ts";
import { pulumiVersion, runStack } from "../bench/stack.ts";
import { readOptions } from "./options.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const usage = `npm run bench -- [options]
  --sizes N,N…   numbers of services (default ${QUICK.sizes.join(",")})
  --full         ${FULL.sizes.join(", ")} services, repeated where they are few
  --late         and a wait of five minutes, at default settings; part of --full
  --runs N       repeat runs of up to 100 services
  --minutes N    start nothing new after so long
  --peers        and OpenTofu with a generic REST provider, where this machine has them
  --note TEXT    a remark for the document
  --write        write docs/performance.md and docs/performance.svg
  --micro        planner, diff and decoding alone, with vitest`;

/** Previews of each program; the median counts, and the report shows the spread. */
const PROGRAM_ROUNDS = 3;
const OPTIONS_SIZE = 100;

interface Options {
  sizes?: string;
  full?: boolean;
  late?: boolean;
  peers?: boolean;
  runs?: string;
  minutes?: string;
  note?: string[];
  write?: boolean;
  micro?: boolean;
  help?: boolean;
}

const options = {
  sizes: { type: "string" },
  full: { type: "boolean" },
  late: { type: "boolean" },
  peers: { type: "boolean" },
  runs: { type: "string" },
  minutes: { type: "string" },
  note: { type: "string", multiple: true },
  write: { type: "boolean" },
  micro: { type: "boolean" },
  help: { type: "boolean" },
} as const;

async function main(): Promise<void> {
  const values: Options = readOptions(options, usage);
  if (values.help === true) {
    print(usage);
    return;
  }
  if (values.micro === true) {
    runMicro();
    return;
  }
  const plan = planOf(values);
  const handlers = await measureHandlers();
  const command = commandOf(values);
  const programs: ProgramFigures[] = [];
  for (const size of plan.programs) programs.push(await measureProgram(size, PROGRAM_ROUNDS));
  const states = await measureState();
  const ways = await measureOptions(OPTIONS_SIZE, PROGRAM_ROUNDS);
  const { results, left } = await runAll(scenariosOf(plan), plan.minutes);
  const peers = values.peers === true ? await measurePeers(results) : { tables: [], notes: [] };
  const notes = [
    ...(values.note ?? []),
    ...peers.notes,
    ...left.map((title) => `Not run, because the time was up: ${title}.`),
  ];
  await report({
    results,
    handlers,
    programs,
    states,
    others: [ways, ...peers.tables],
    notes,
    command,
    isWritten: values.write === true,
  });
}

function planOf({ sizes, full, late, runs, minutes }: Options): Plan {
  const base = full === true ? FULL : QUICK;
  const given = sizes?.split(",").map(Number);
  if (given?.some((size) => !Number.isInteger(size) || size < 1)) throw new Error(usage);
  return {
    ...base,
    ...(late === true && { late }),
    ...(given !== undefined && { sizes: given }),
    ...(runs !== undefined && { runs: Number(runs) }),
    ...(minutes !== undefined && { minutes: Number(minutes) }),
  };
}

/** The command line as typed, without the notes. */
function commandOf(values: Options): string {
  const words = Object.entries(values).flatMap(([key, value]) => {
    if (key === "note") return [];
    return value === true ? [`--${key}`] : [`--${key} ${value}`];
  });
  return ["npm run bench --", ...words].join(" ");
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
      runs.push(await runStack({ ...scenario, subject }));
      const took = ((performance.now() - began) / 1_000).toFixed(0);
      process.stderr.write(styleText("dim", `  ${scenario.title}: ${subject}, ${took} s\n`));
    }
  }
  return Object.fromEntries(measured.map(({ subject, runs }) => [subject, summarize(runs)]));
}

interface Outcome {
  results: readonly Result[];
  handlers: Handlers;
  programs: readonly ProgramFigures[];
  states: readonly StateFigures[];
  others: readonly Table[];
  notes: readonly string[];
  command: string;
  isWritten: boolean;
}

async function report({
  results,
  handlers,
  programs,
  states,
  others,
  notes,
  command,
  isWritten,
}: Outcome): Promise<void> {
  const machine = await describeMachine();
  const tables = [...programTable(programs), ...tablesOf({ results, handlers }), stateTable(states), ...others];
  const bounds = [...programBounds(programs), ...stateBounds(states), ...boundsOf({ results, handlers })];
  for (const line of machine) print(line);
  for (const table of tables) print(`\n${styleText("bold", table.title)}\n${plainTable(table)}`);
  print(`\n${styleText("bold", "Bounds")}`);
  for (const { what, most, measured, holds } of bounds) {
    print(
      `${holds ? styleText("green", "holds ") : styleText("red", "broken")}  ${what}: ${measured} (at most ${most})`,
    );
  }
  for (const note of notes) print(`\n${note}`);
  if (!isWritten) return;
  const docs = path.join(root, "docs");
  mkdirSync(docs, { recursive: true });
  writeFileSync(path.join(docs, "performance.svg"), plot(results));
  writeFileSync(path.join(docs, "performance.md"), documentOf({ machine, tables, bounds, notes, command }));
  print("\ndocs/performance.md and docs/performance.svg are written");
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

function runMicro(): void {
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "bench", "--run"], { cwd: root, stdio: "inherit" });
  process.exitCode = status ?? 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
