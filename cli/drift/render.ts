// The forms of a report: a table for people, Markdown for a pull request or a job summary, JSON for programs. Pure.

import type { Report } from "./findings";
import { adviceOf, remediesOf, type Section, sectionsOf, summaryOf } from "./texts";

export function asTable(report: Report): string {
  const advice = [...remediesOf(report), ...adviceOf(report)].map((line) => `${line}\n`);
  const tables = sectionsOf(report).map(tableOf);
  return [`${summaryOf(report)}\n`, ...tables, ...(advice.length === 0 ? [] : [advice.join("")])].join("\n");
}

/** Columns are not padded to longer cells, because one long reason would push everything else off the screen. */
const WIDEST_CELL = 60;

function tableOf({ title, columns, rows }: Section): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, index) =>
    Math.min(WIDEST_CELL, Math.max(...all.map((cells) => widthOf(cells[index] ?? "")))),
  );
  const line = (cells: readonly string[]): string =>
    `  ${cells
      .map((cell, index) => cell + " ".repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell))))
      .join("  ")
      .trimEnd()}\n`;
  return `${title}\n${all.map(line).join("")}`;
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

export function asMarkdown(report: Report): string {
  const sections = sectionsOf(report).map(({ title, columns, rows }) => {
    const lines = [columns, columns.map(() => "---"), ...rows.map((cells) => cells.map(asCode))].map(markdownRow);
    return `### ${title}\n\n${lines.join("\n")}\n`;
  });
  const advice = [...remediesOf(report).map(asCode), ...adviceOf(report)].map((line) => `${line}\n`);
  return [`## Drift\n\n${asCode(summaryOf(report))}\n`, ...sections, ...advice].join("\n");
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** GitHub takes no comment of more than 65,536 characters, whatever a server calls its objects. */
const LONGEST_CELL = 500;

/**
 * Code, in which nothing becomes a link, a tag, an image or a mention. A pipe would end the cell even there, and is shown as
 * another character.
 */
function asCode(text: string): string {
  const letters = Array.from(text.replaceAll("|", "¦"));
  const shown = letters.length > LONGEST_CELL ? `${letters.slice(0, LONGEST_CELL - 1).join("")}…` : letters.join("");
  if (shown.trim() === "") return "";
  const longest = Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}

export function asJson(report: Report): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
