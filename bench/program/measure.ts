// The cost of a program under `pulumi`, which runs it in a separate process and maps every stack trace to its source: a
// preview of many new services in a project folder, compared with a plain class of as many properties.

import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation/index.js";
import { median } from "../figures.ts";
import { bound, megabytes, seconds, times } from "../format.ts";
import type { Bound, SubjectName, Table } from "../model.ts";
import { optionsOf } from "../stack.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const classes: Readonly<Record<SubjectName, string>> = {
  floor: fileURLToPath(new URL("plain.cjs", import.meta.url)),
  ours: "pulumi-dbcloud",
};

interface Measured {
  wallMs: number;
  cpuMs: number;
  peakBytes: number;
}

export interface ProgramFigures {
  count: number;
  floor: readonly Measured[];
  ours: readonly Measured[];
}

/** Several previews of each, alternating. */
export async function measureProgram(count: number, rounds: number): Promise<ProgramFigures> {
  const stacks = { floor: await openProject("floor", count), ours: await openProject("ours", count) };
  const figures = { floor: [] as Measured[], ours: [] as Measured[] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const subject of ["floor", "ours"] as const) figures[subject].push(await preview(stacks[subject]));
    }
    return { count, ...figures };
  } finally {
    for (const { workspace } of Object.values(stacks)) await rm(workspace.workDir, { recursive: true, force: true });
  }
}

/** The inputs that most programs give. */
export const USUAL = {
  regionCode: "us-east-1",
  addons: ["time-series"],
  environment: "DEV",
  cpuMillis: 500,
  memoryGbs: 2,
};

/** A preview sends no request; whatever else needs the account of a control plane. */
export async function openProject(
  subject: SubjectName,
  count: number,
  args: object = USUAL,
  account: Record<string, string> = { DBCLOUD_API_KEY: "key:secret", DBCLOUD_PROJECT_ID: "proj000001" },
): Promise<Stack> {
  const folder = await mkdtemp(path.join(tmpdir(), `dbcloud-bench-${subject}-`));
  const packages = path.join(folder, "node_modules");
  await mkdir(path.join(packages, "@pulumi"), { recursive: true });
  await symlink(path.join(root, "node_modules/@pulumi/pulumi"), path.join(packages, "@pulumi/pulumi"), "junction");
  await symlink(root, path.join(packages, "pulumi-dbcloud"), "junction");
  const program = [
    `const { Service } = require(${JSON.stringify(classes[subject])});`,
    `for (let i = 0; i < ${count}; i += 1) new Service("service" + i, ${JSON.stringify(args)});`,
  ];
  const files = {
    "index.js": program.join("\n"),
    "package.json": "{}",
    "Pulumi.yaml": "name: bench\nruntime: nodejs\n",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const options = await optionsOf(folder, account);
  return LocalWorkspace.createOrSelectStack({ stackName: "bench", workDir: folder }, options);
}

async function preview(stack: Stack): Promise<Measured> {
  const began = performance.now();
  await stack.preview();
  const wallMs = performance.now() - began;
  const text = await readFile(path.join(stack.workspace.workDir, "program.json"), "utf8");
  return { wallMs, ...(JSON.parse(text) as Pick<Measured, "cpuMs" | "peakBytes">) };
}

/** The median, the minimum and the maximum. */
function spreadOf(values: readonly number[], format: (value: number) => string): string {
  const sorted = values.toSorted((a, b) => a - b);
  return `${format(median(values))} (${format(sorted[0] ?? 0)}–${format(sorted.at(-1) ?? 0)})`;
}

/** Relative to a plain class. */
const MOST_CPU = 0.7;

export function programBounds(all: readonly ProgramFigures[]): Bound[] {
  return all.map(({ count, floor, ours }) => {
    const ratio = median(ours.map(({ cpuMs }) => cpuMs)) / median(floor.map(({ cpuMs }) => cpuMs));
    const what = `program under \`pulumi\`, preview of ${count} new services: CPU, times a plain class`;
    return bound(what, MOST_CPU, ratio, times);
  });
}

export function programTable(all: readonly ProgramFigures[]): Table[] {
  if (all.length === 0) return [];
  const row = (title: string, { floor, ours }: ProgramFigures, key: keyof Measured): string[] => {
    const format = key.endsWith("Ms") ? seconds : megabytes;
    const [a, b] = [floor.map((one) => one[key]), ours.map((one) => one[key])];
    return [title, spreadOf(a, format), spreadOf(b, format), times(median(b) / median(a))];
  };
  const rows = all.flatMap((figures) => [
    row(`${figures.count}: CPU of the program`, figures, "cpuMs"),
    row(`${figures.count}: wall time of the preview`, figures, "wallMs"),
    row(`${figures.count}: peak memory of the program`, figures, "peakBytes"),
  ]);
  const title =
    "Program under `pulumi`: a preview of new services in a folder, beside a plain class of as many properties";
  return [{ title, head: ["services", "plain class", "ours", "ratio"], rows }];
}
