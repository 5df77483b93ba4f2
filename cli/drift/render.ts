// The forms of a report: a table for people, Markdown for a pull request or a job summary, JSON for programs. Pure.

import type { Piece, Style } from "../command";
import type { Category, Report } from "./findings";
import { adviceOf, type Section, sectionsOf, summaryOf } from "./texts";

const styles: Readonly<Partial<Record<Category, Style>>> = { unknown: "red", missing: "red", changed: "yellow" };

export function asTable(report: Report): Piece[] {
  return [
    { text: summaryOf(report), style: report.outcome === "in-sync" ? "green" : "bold" },
    { text: "\n" },
    ...sectionsOf(report).flatMap(tableOf),
    ...adviceOf(report).map((line, index): Piece => ({ text: `${index === 0 ? "\n" : ""}${line}\n`, style: "dim" })),
  ];
}

/** Columns are not padded to longer cells, because one long reason would push everything else off the screen. */
const WIDEST_CELL = 60;

function tableOf({ category, title, columns, rows }: Section): Piece[] {
  const all = [columns, ...rows];
  const widths = columns.map((_, index) =>
    Math.min(WIDEST_CELL, Math.max(...all.map((cells) => widthOf(cells[index] ?? "")))),
  );
  const line = (cells: readonly string[]): string =>
    `  ${cells
      .map((cell, index) => padded(cell, widths[index] ?? 0))
      .join("  ")
      .trimEnd()}\n`;
  return [
    { text: "\n" },
    { text: title, style: styles[category] ?? "bold" },
    { text: "\n" },
    { text: line(columns), style: "dim" },
    ...rows.map((cells) => ({ text: line(cells) })),
  ];
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

export function asMarkdown(report: Report): string {
  const sections = sectionsOf(report).map(
    ({ title, columns, rows }) =>
      `### ${title}\n\n${markdownRow(columns)}\n${markdownRow(columns.map(() => "---"))}\n${rows
        .map((cells) => markdownRow(cells.map(escaped)))
        .join("\n")}\n`,
  );
  const advice = adviceOf(report).map((line) => `${line}\n`);
  return [`## Drift\n\n${escaped(summaryOf(report))}\n`, ...sections, ...advice].join("\n");
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Escapes a name, so that it forms no column, link, tag or mention. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]|~#!]/g, String.raw`\$&`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")
    .replaceAll("\n", " ");
}

export function asJson(report: Report): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
