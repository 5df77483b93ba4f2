// Takes one stack of one subject through its life cycle on the real CLI, and times each operation from outside.
// Everything is temporary: backend, CLI home, and the cloud.

import { mkdtemp, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  LocalWorkspace,
  type LocalWorkspaceOptions,
  PulumiCommand,
  type Stack,
} from "@pulumi/pulumi/automation/index.js";
import { type ControlPlane, openControlPlane } from "./controlPlane.ts";
import type { Durations, Measurement, OperationName, ProbeNotes, Run, Scenario, SubjectName } from "./model.ts";
import { floorPath, programOf } from "./subjects.ts";

const bench = fileURLToPath(new URL(".", import.meta.url));

export interface StackPlan extends Pick<
  Scenario,
  "size" | "checkpoints" | "parallel" | "ready" | "operations" | "runs"
> {
  subject: SubjectName;
  takes?: Durations;
}

/** How often a command that changes nothing is measured, over all runs of a scenario. */
const READ_ONLY_TIMES = 5;

/** Runs the operations; returns for each one wall time, requests by operation, and the probe's record. */
export async function runStack(plan: StackPlan): Promise<Run> {
  const cloud = await openControlPlane(plan.ready, plan.takes?.deleteMs);
  const folder = await mkdtemp(path.join(tmpdir(), "dbcloud-bench-"));
  try {
    const stack = await openStack(plan, cloud, folder);
    const run: Run = {};
    for (const operation of plan.operations) {
      const measured: Measurement[] = [];
      while (measured.length < timesOf(operation, plan)) {
        measured.push(await measure(stack, plan, cloud, folder, operation));
      }
      run[operation] = measured;
    }
    return run;
  } finally {
    await cloud.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function timesOf(operation: OperationName, { runs }: StackPlan): number {
  const changesNothing = operation === "preview" || operation === "refresh";
  return changesNothing ? Math.ceil(READ_ONLY_TIMES / runs) : 1;
}

async function pulumiCommand(): Promise<PulumiCommand> {
  const root = process.env["DBCLOUD_PULUMI_ROOT"];
  return PulumiCommand.get(root === undefined ? {} : { root });
}

export async function pulumiVersion(): Promise<string> {
  return String((await pulumiCommand()).version);
}

async function openStack(
  { subject, size, checkpoints, takes }: StackPlan,
  cloud: ControlPlane,
  folder: string,
): Promise<Stack> {
  const own = {
    ...accountOf(cloud),
    ...(checkpoints ? {} : { PULUMI_SKIP_CHECKPOINTS: "true" }),
    ...(takes !== undefined && {
      DBCLOUD_BENCH_CREATE_MS: String(takes.createMs),
      DBCLOUD_BENCH_DELETE_MS: String(takes.deleteMs),
    }),
  };
  return LocalWorkspace.createOrSelectStack(
    { stackName: "bench", projectName: "bench", program: programOf(subject, size, false) },
    { ...(await optionsOf(folder, own)), projectSettings: { name: "bench", runtime: "nodejs", main: bench } },
  );
}

/** The environment of a stack on this control plane. */
export function accountOf({ baseUrl, apiKey, projectId }: ControlPlane): Record<string, string> {
  return { DBCLOUD_BASE_URL: baseUrl, DBCLOUD_API_KEY: apiKey, DBCLOUD_PROJECT_ID: projectId };
}

/** What every stack runs with: a backend and a home in its folder, and the probe. */
export async function optionsOf(folder: string, environment: Record<string, string>): Promise<LocalWorkspaceOptions> {
  const backend = path.join(folder, "backend");
  await mkdir(backend);
  return {
    workDir: folder,
    pulumiHome: path.join(folder, "home"),
    pulumiCommand: await pulumiCommand(),
    envVars: {
      PULUMI_BACKEND_URL: pathToFileURL(backend).href,
      PULUMI_CONFIG_PASSPHRASE: "bench",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      DBCLOUD_BENCH_FLOOR: floorPath,
      DBCLOUD_BENCH_PROBE: folder,
      NODE_OPTIONS: `--require ${JSON.stringify(path.join(bench, "probe.cjs"))}`,
      ...environment,
    },
  };
}

async function measure(
  stack: Stack,
  plan: StackPlan,
  cloud: ControlPlane,
  folder: string,
  operation: OperationName,
): Promise<Measurement> {
  const { subject, size, parallel } = plan;
  await cloud.takeRequests();
  for (const file of await probeFiles(folder)) await rm(file);
  stack.workspace.program = programOf(subject, size, operation === "update");
  const began = performance.now();
  await stack[operation === "update" ? "up" : operation](parallel === undefined ? {} : { parallel });
  const wallMs = performance.now() - began;
  return {
    wallMs,
    requests: await cloud.takeRequests(),
    ...(await readProbes(folder)),
    ready: await cloud.readyMoments(),
    stateBytes: await stateBytes(folder, size),
  };
}

async function probeFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => /^\d+\.json$/.test(name)).map((name) => path.join(folder, name));
}

/** There is one provider process per command; if there are several, the largest counts. */
export async function readProbes(folder: string): Promise<ProbeNotes> {
  const files = await probeFiles(folder);
  const notes = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, "utf8")) as ProbeNotes));
  const [largest] = notes.toSorted((a, b) => b.peakBytes - a.peakBytes);
  return largest ?? { created: {}, peakBytes: 0, cpuMs: 0 };
}

interface StateFile {
  checkpoint: { latest?: { resources?: { type: string }[] } };
}

/** The bytes that one service takes in the state file. */
export async function stateBytes(folder: string, size: number): Promise<number> {
  const file = path.join(folder, "backend", ".pulumi", "stacks", "bench", "bench.json");
  const text = await readFile(file, "utf8");
  const state = JSON.parse(text) as StateFile;
  const { latest } = state.checkpoint;
  const others = latest?.resources?.filter(({ type }) => !/^pulumi-nodejs:dynamic[/:]/.test(type)) ?? [];
  if (latest?.resources === undefined || others.length === latest.resources.length) return 0;
  latest.resources = others;
  const indent = /^\{\n( +)/.exec(text)?.[1]?.length ?? 0;
  return (text.length - JSON.stringify(state, null, indent).length) / size;
}
