// The forms of a report for people: a table with one part for each category, and the same in Markdown for a pull request or
// a job summary. JSON is for programs. Pure.

import { oneLine } from "../../provider/domain/values/printable";
import { inWords } from "../../provider/domain/values/value";
import type { Category, Finding, Report } from "./findings";
import { aboutOf, toldOf } from "./told";

const TITLES: Readonly<Record<Category, string>> = {
  unknown: "Could not tell",
  changed: "Changed outside Pulumi, and what `pulumi up --refresh` in the stack does about it",
  moved: "Addresses that changed",
  missing: "Gone, and what `pulumi up --refresh` in the stack does about it",
  unprotected: "Not protected as recorded",
  attention: "Needs attention",
  ignored: "Ignored by the program (ignoreChanges)",
  owed: "Still to do after an interrupted run",
  shared: "Managed by several resources",
  unmanaged: "Managed by none of these stacks",
};

/** What is said of a finding, by the heads of columns. */
function cellsOf(finding: Finding): Readonly<Record<string, string | undefined>> {
  const { title, program, live, next, keep, command, details } = toldOf(finding);
  return {
    stack: "urn" in finding ? finding.stack : undefined,
    object: "urn" in finding ? `${finding.type} ${finding.id}`.trim() : aboutOf(finding),
    what: title,
    program: program === undefined ? undefined : inWords(program),
    live: live === undefined ? undefined : inWords(live),
    next,
    otherwise: keep,
    command,
    details,
  };
}

interface Section {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Only those that have something to say, in the order of the findings, and of each the columns that do. */
function sectionsOf({ findings }: Pick<Report, "findings">): Section[] {
  return [...Map.groupBy(findings, ({ category }) => category)].map(([category, own]) => {
    const all = own.map(cellsOf);
    const columns = Object.keys(all[0] ?? {}).filter((column) => all.some((cells) => cells[column] !== undefined));
    // Names and values are foreign texts: a cell stays one line.
    const rows = all.map((cells) => columns.map((column) => oneLine(cells[column] ?? "")));
    return { title: TITLES[category], columns, rows };
  });
}

/** What the report is about, and what came of it. */
export function summaryOf({ stacks, projects, findings, outcome }: Report): string {
  const resources = stacks.reduce((sum, stack) => sum + stack.resources, 0);
  const states =
    stacks.length === 0 ? "no stack" : `${count(stacks.length, "stack")} (${count(resources, "resource")})`;
  const where = `${projects.length === 1 ? "project" : "projects"} ${projects.map(oneLine).join(", ") || "unknown"}`;
  const scope = `compared ${states} with ${where}.`;
  if (findings.length === 0) return `No drift: ${scope}`;
  const found = `${count(findings.length, "finding")}${outcome === "in-sync" ? ", no drift" : ""}`;
  return `${outcome === "unknown" ? "This report is incomplete" : found}: ${scope}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

export function asTable(report: Report): string {
  return [`${summaryOf(report)}\n`, ...sectionsOf(report).map(tableOf)].join("\n");
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
    const cells = rows.map((row) =>
      row.map((cell, at) => (SENTENCES.has(columns[at] ?? "") ? asProse(cell) : asCode(cell))),
    );
    const lines = [columns, columns.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`);
    return `### ${title}\n\n${lines.join("\n")}\n`;
  });
  return [`## Drift\n\n${asProse(summaryOf(report))}\n`, ...sections].join("\n");
}

/** The columns of sentences. The others hold names and values. */
const SENTENCES: ReadonlySet<string> = new Set(["what", "next", "otherwise", "details"]);

/** As it is if it can become nothing but text, beside code of its own. Foreign texts can be part of a sentence. */
function asProse(text: string): string {
  const words = text.replaceAll(/`[^`|]+`/g, "");
  const isText = /^[\p{L}\p{N} .,;:()'"%+=-]*$/u.test(words) && !/\bwww\.|\bGH-\d/i.test(words);
  return isText && text.length <= LONGEST_CELL ? text : asCode(text);
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
