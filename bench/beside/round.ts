// One round of the figures that two revisions are compared by, as JSON on standard output. A process of its own, because the
// classes of a revision are loaded once.

import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { openControlPlane } from "../controlPlane.ts";
import { getsOf, quantile, summarize } from "../figures.ts";
import type { Figures, Measurement, SubjectName, Summary } from "../model.ts";
import { openProject, USUAL } from "../program/measure.ts";
import { measureState } from "../program/state.ts";
import { accountOf, runStack } from "../stack.ts";

const FEW = 10;
const SIZES = (process.argv[2] ?? "").split(",").map(Number);
const MANY = Math.max(...SIZES);

type Operation = "preview" | "up";

/** A program in a project folder, under `pulumi`. */
async function programFigures(): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const operation of ["preview", "up"] as const) {
    const [few, many] = [await runProgram(FEW, operation), await runProgram(MANY, operation)];
    figures[`${operation} of ${MANY}: program CPU per service, ms`] = (many.cpuMs - few.cpuMs) / (MANY - FEW);
    figures[`${operation} of ${MANY}: memory of all processes, MB`] = many.treeBytes / 1e6;
  }
  return figures;
}

async function runProgram(count: number, operation: Operation): Promise<{ cpuMs: number; treeBytes: number }> {
  const server = await openControlPlane({ kind: "atOnce" });
  const account = { ...accountOf(server), PULUMI_SKIP_CHECKPOINTS: "true" };
  const stack = await openProject("ours", count, USUAL, account);
  const { workDir } = stack.workspace;
  let treeBytes = 0;
  const look = async (): Promise<void> => {
    treeBytes = Math.max(treeBytes, await memoryOfPulumi());
  };
  const watch = setInterval(() => void look(), 200);
  try {
    await stack[operation]();
    const text = await readFile(path.join(workDir, "program.json"), "utf8");
    return { ...(JSON.parse(text) as { cpuMs: number }), treeBytes };
  } finally {
    clearInterval(watch);
    await server.close();
    await rm(workDir, { recursive: true, force: true });
  }
}

/** The resident memory of the CLI that this process runs, and of all that it started. */
async function memoryOfPulumi(): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,rss=,comm="]);
  const processes = stdout.split("\n").map((line) => line.trim().split(/\s+/));
  const within = (parent: string, isRoot: (name: string) => boolean): number =>
    processes
      .filter(([, ppid, , name = ""]) => ppid === parent && isRoot(name))
      .reduce((sum, [pid = "", , rss]) => sum + Number(rss) * 1024 + within(pid, () => true), 0);
  return within(String(process.pid), (name) => /(?:^|\/)pulumi$/.test(name));
}

const LIFECYCLE = { checkpoints: false, ready: { kind: "atOnce" }, operations: ["up", "destroy"], runs: 1 } as const;

/** What the handlers cost beside those that do nothing. */
async function lifecycleFigures(size: number): Promise<Record<string, number>> {
  const runs = {
    floor: await runStack({ ...LIFECYCLE, size, subject: "floor" }),
    ours: await runStack({ ...LIFECYCLE, size, subject: "ours" }),
  };
  const of = (subject: SubjectName, name: "up" | "destroy"): Measurement => {
    const [measured] = runs[subject][name] ?? [];
    if (measured === undefined) throw new Error(`${subject} did not run ${name}`);
    return measured;
  };
  const figures: Record<string, number> = {};
  for (const name of ["up", "destroy"] as const) {
    const [floor, ours] = [of("floor", name), of("ours", name)];
    figures[`${name} of ${size}: wall, s`] = ours.wallMs / 1_000;
    figures[`${name} of ${size}: times the floor`] = ours.wallMs / floor.wallMs;
    figures[`${name} of ${size}: provider CPU above the floor, per service, ms`] = (ours.cpuMs - floor.cpuMs) / size;
  }
  figures[`up of ${size}: lists`] = of("ours", "up").requests["listServices"] ?? 0;
  return figures;
}

/** Services that become ready over 2 to 20 s, all awaited at once. */
async function waitFigures(size: number): Promise<Record<string, number>> {
  const run = await runStack({
    subject: "ours",
    size,
    checkpoints: false,
    parallel: 1_000,
    ready: { kind: "spread", fromMs: 2_000, toMs: 20_000, of: size },
    operations: ["up"],
    runs: 1,
  });
  const { lateMs, requests } = (summarize([run]) as Summary & { up: Figures }).up;
  const what = `${size} ready over 2 to 20 s`;
  return {
    [`${what}: ready to done, median, s`]: quantile(lateMs, 0.5) / 1_000,
    [`${what}: ready to done, 99 %, s`]: quantile(lateMs, 0.99) / 1_000,
    [`${what}: GETs`]: getsOf(requests),
    [`${what}: lists`]: requests["listServices"] ?? 0,
  };
}

async function stateFigures(): Promise<Record<string, number>> {
  const states = await measureState();
  return Object.fromEntries(states.map(({ inputs, bytes }) => [`state of a service, ${inputs}: bytes`, bytes]));
}

const figures: Record<string, number> = { ...(await programFigures()) };
for (const size of SIZES) Object.assign(figures, await lifecycleFigures(size));
for (const size of [100, MANY]) Object.assign(figures, await waitFigures(size));
Object.assign(figures, await stateFigures());
process.stdout.write(JSON.stringify(figures));
