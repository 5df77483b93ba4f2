// The bytes of one service in the state file of a project folder. States of inline programs are longer: they contain
// the program's whole file URL.

import { rm } from "node:fs/promises";
import { openControlPlane } from "../controlPlane.ts";
import { bound, count } from "../format.ts";
import type { Bound, Table } from "../model.ts";
import { accountOf, stateBytes } from "../stack.ts";
import { openProject, USUAL } from "./measure.ts";

const SIZE = 2;
const programs = [
  { inputs: "none", args: {}, most: 2_100 },
  { inputs: "size alone", args: { cpuMillis: 500, memoryGbs: 2 }, most: 2_150 },
  { inputs: "every usual input", args: USUAL },
];

export interface StateFigures {
  inputs: string;
  most?: number;
  bytes: number;
}

export async function measureState(): Promise<StateFigures[]> {
  const figures: StateFigures[] = [];
  for (const { args, ...figure } of programs) figures.push({ ...figure, bytes: await bytesOf(args) });
  return figures;
}

async function bytesOf(args: object): Promise<number> {
  const server = await openControlPlane({ kind: "atOnce" });
  const stack = await openProject("ours", SIZE, args, accountOf(server));
  const { workDir } = stack.workspace;
  try {
    await stack.up();
    return Math.round(await stateBytes(workDir, SIZE));
  } finally {
    await server.close();
    await rm(workDir, { recursive: true, force: true });
  }
}

export function stateBounds(figures: readonly StateFigures[]): Bound[] {
  return figures.flatMap(({ inputs, most, bytes }) => {
    if (most === undefined) return [];
    const what = `state of one service in a project folder, ${inputs}: bytes`;
    return [bound(what, most, bytes, count)];
  });
}

export function stateTable(figures: readonly StateFigures[]): Table {
  const rows = figures.map(({ inputs, bytes }) => [inputs, count(bytes)]);
  return { title: "State of one service in a project folder", head: ["inputs given", "bytes"], rows };
}
