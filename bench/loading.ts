// How long the handlers take to load. Each figure comes from a process of its own, in which nothing is warm that would not be
// warm in use.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LoadTimes } from "./model.ts";

const run = promisify(execFile);
const folder = fileURLToPath(new URL(".", import.meta.url));
const entries = { floor: "./floor/handlers.cjs", ours: "pulumi-dbcloud/provider" };

/** The provider process has loaded these before any handlers. */
const LOADED_ANYWAY = ["@pulumi/pulumi/runtime", "@pulumi/pulumi/proto/provider_grpc_pb", "@grpc/grpc-js"];

/** The best of several tries. */
export async function measureLoading(tries = 5): Promise<LoadTimes> {
  const best = { floor: Infinity, ours: Infinity };
  for (let attempt = 0; attempt < tries; attempt += 1) {
    for (const subject of ["floor", "ours"] as const) {
      best[subject] = Math.min(best[subject], await loadMs(entries[subject]));
    }
  }
  return best;
}

async function loadMs(entry: string): Promise<number> {
  const program = `
    for (const name of ${JSON.stringify(LOADED_ANYWAY)}) require(name);
    const began = performance.now();
    require(${JSON.stringify(entry)}).provider("service");
    console.log(performance.now() - began);`;
  const { stdout } = await run(process.execPath, ["--eval", program], { cwd: folder });
  return Number(stdout);
}
