// The other tools of this machine, in the same run as this package.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openControlPlane } from "../controlPlane.ts";
import { getsOf } from "../figures.ts";
import type { Result, Table } from "../model.ts";
import { findTofu, measureTofu, peersTable } from "./tofu.ts";

const COUNT = 100;

/** A table, or a remark on what is missing. */
export async function measurePeers(results: readonly Result[]): Promise<{ tables: Table[]; notes: string[] }> {
  const tofu = await findTofu(process.env);
  if ("missing" in tofu) return { tables: [], notes: [`OpenTofu was not measured: ${tofu.missing}.`] };
  const server = await openControlPlane({ kind: "atOnce" });
  const folder = await mkdtemp(path.join(tmpdir(), "dbcloud-bench-tofu-"));
  try {
    const measured = await measureTofu(tofu, server, folder, COUNT);
    const same = results.find(({ kind, size, checkpoints }) => kind === "lifecycle" && size === COUNT && checkpoints);
    const table = peersTable(COUNT, measured, (operation) => {
      const figures = same?.subjects.ours?.[operation];
      return figures === undefined ? undefined : { wallMs: figures.wallMs, gets: getsOf(figures.requests) };
    });
    return { tables: [table], notes: [] };
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
