// Options of a run: the same stack with and without each, alternating.

import { rm } from "node:fs/promises";
import path from "node:path";
import { openControlPlane } from "../controlPlane.ts";
import type { Table } from "../model.ts";
import { type Environment, medianOf, openProject, readProgram, runPulumi, seconds, spreadOf } from "./measure.ts";

interface Way {
  title: string;
  args: readonly string[];
  more?: (folder: string) => Environment;
  /** Whether the command runs the program at all. */
  hasProgram: boolean;
}

const ways: readonly Way[] = [
  { title: "`preview --refresh`", args: ["preview", "--refresh"], hasProgram: true },
  { title: "`refresh --preview-only`", args: ["refresh", "--preview-only"], hasProgram: false },
  { title: "`preview`", args: ["preview"], hasProgram: true },
  {
    title: "`preview` with `NODE_COMPILE_CACHE`",
    args: ["preview"],
    more: (folder) => ({ NODE_COMPILE_CACHE: path.join(folder, "cache") }),
    hasProgram: true,
  },
];

export async function measureOptions(count: number, rounds: number): Promise<Table> {
  const server = await openControlPlane({ kind: "atOnce" });
  const folder = await openProject("ours", count);
  const { baseUrl, apiKey, projectId } = server;
  const cloud = { DBCLOUD_BASE_URL: baseUrl, DBCLOUD_API_KEY: apiKey, DBCLOUD_PROJECT_ID: projectId };
  const measured = ways.map((way) => ({ way, wallMs: [] as number[], cpuMs: [] as number[] }));
  try {
    await runPulumi(folder, ["up", "--yes", "--skip-preview"], { ...cloud, PULUMI_SKIP_CHECKPOINTS: "true" });
    // The first round fills the cache of compiled code, and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      for (const { way, wallMs, cpuMs } of measured) {
        const began = performance.now();
        await runPulumi(folder, way.args, { ...cloud, ...way.more?.(folder) });
        if (round === 0) continue;
        wallMs.push(performance.now() - began);
        if (way.hasProgram) cpuMs.push((await readProgram(folder)).cpuMs);
      }
    }
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
  const whole = medianOf(measured[0]?.wallMs ?? []);
  const rows = measured.map(({ way, wallMs, cpuMs }) => [
    way.title,
    spreadOf(wallMs, seconds),
    `${(medianOf(wallMs) / whole).toFixed(2)} ×`,
    way.hasProgram ? spreadOf(cpuMs, seconds) : "not run",
  ]);
  const head = ["", "wall time, s", "of `preview --refresh`", "CPU of the program, s"];
  return { title: `What a run can be given: ${count} services without changes`, head, rows };
}
