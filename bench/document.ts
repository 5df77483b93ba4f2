// The figures in docs/performance-figures.md: the results, the machine, and how to repeat the measurement.
import type { Bound, Table } from "./model.ts";

export interface Report {
  machine: readonly string[];
  tables: readonly Table[];
  bounds: readonly Bound[];
  notes: readonly string[];
  command: string;
}

export function figuresText({ machine, tables, bounds, notes, command }: Report): string {
  const rows = bounds.map(({ what, most, measured, holds }) => [what, most, measured, holds ? "yes" : "**no**"]);
  return [
    ["The machine:"],
    machine.map((line) => `- ${line}`),
    [
      `To repeat it: \`${command}\`; \`--help\` names the options. \`--full\` adds 1,000 services with checkpoints, many minutes of the engine's own saving.`,
    ],
    ...notes.map((note) => [note]),
    ["## Bounds"],
    [markdownTable({ head: ["bound", "at most", "measured", "holds"], rows })],
    ["## Figures"],
    ...tables.map((table) => [`### ${table.title}\n`, markdownTable(table)]),
  ]
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function markdownTable({ head, rows }: Omit<Table, "title">): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

/** The same for the terminal: columns as wide as their widest cell, numbers right-aligned. */
export function plainTable({ head, rows }: Omit<Table, "title">): string {
  const widths = head.map((cell, index) => Math.max(cell.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(head), ...rows.map(line)].join("\n");
}
