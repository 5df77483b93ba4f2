// The figures in docs/internals/performance-figures.md: the results, the machine, and how to repeat the measurement.
import { alignedTable } from "../scripts/docs/block.ts";
import type { Bound, Table } from "./model.ts";

interface Report {
  machine: readonly string[];
  tables: readonly Table[];
  bounds: readonly Bound[];
  notes: readonly string[];
  command: string;
}

export function figuresText({ machine, tables, bounds, notes, command }: Report): string {
  const held = bounds.map(({ what, most, measured, holds }) => [what, most, measured, holds ? "yes" : "**no**"]);
  return [
    ["The machine:"],
    machine.map((line) => `- ${line}`),
    [
      `To repeat it: \`${command}\`; \`--help\` names the options. \`--full\` adds 1,000 services with checkpoints, many minutes of the engine's own saving.`,
    ],
    ...notes.map((note) => [note]),
    ["## Bounds"],
    alignedTable([["bound", "at most", "measured", "holds"], ...held], true),
    ["## Figures"],
    ...tables.map(({ title, head, rows }) => [`### ${title}\n`, ...alignedTable([head, ...rows], true)]),
  ]
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}
