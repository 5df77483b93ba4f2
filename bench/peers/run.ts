// Measures other tools on this machine, in the same run as this package.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openControlPlane } from "../controlPlane.ts";
import { getsOf } from "../figures.ts";
import type { Result, Table } from "../model.ts";
import { findTofu, measureTofu, peersTable, type Tofu } from "./tofu.ts";

/** The numbers of services that this package was measured with in the same run. */
const SIZES = [100, 1_000];
const LEAST = 100;

/** A table for each number of services, or a note about what is missing. */
export async function measurePeers(results: readonly Result[]): Promise<{ tables: Table[]; notes: string[] }> {
  const tofu = await findTofu(process.env);
  if ("missing" in tofu) return { tables: [], notes: [`OpenTofu was not measured: ${tofu.missing}.`] };
  const same = results.filter(
    ({ kind, checkpoints, size }) => kind === "lifecycle" && checkpoints && SIZES.includes(size),
  );
  const sizes = new Set([LEAST, ...same.map(({ size }) => size)]);
  const tables: Table[] = [];
  for (const size of sizes) {
    const ours = same.find((result) => result.size === size);
    tables.push(await measureSize(tofu, size, ours));
  }
  return { tables, notes: [] };
}

async function measureSize(tofu: Tofu, size: number, same: Result | undefined): Promise<Table> {
  const server = await openControlPlane({ kind: "atOnce" });
  const folder = await mkdtemp(path.join(tmpdir(), "dbcloud-bench-tofu-"));
  try {
    const measured = await measureTofu(tofu, server, folder, size);
    return peersTable(size, measured, (operation) => {
      const figures = same?.subjects.ours?.[operation];
      return figures === undefined ? undefined : { wallMs: figures.wallMs, gets: getsOf(figures.requests) };
    });
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
