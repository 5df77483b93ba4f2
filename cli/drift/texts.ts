// The texts of a report and its forms: a table for people, with one part for each category, Markdown for a pull request or a
// job summary, JSON for programs. What lost protection means is said in compare.ts. Pure.

import { formatDuration } from "../../provider/domain/values/duration";
import { oneLine } from "../../provider/domain/values/printable";
import { inWords, isEqual } from "../../provider/domain/values/value";
import type { Category, Finding, NextUp, Place, Report, Shared, Unknown, Unmanaged } from "./findings";

interface Section {
  title: string;
  repair: string | undefined;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

interface Form<F extends Finding> {
  title: string;
  /** What to do about it, where the rows do not say it. */
  repair?: string;
  columns: readonly string[];
  /** `before` is the finding of the row above. */
  row(finding: F, before?: F): readonly string[];
}

type Forms = { readonly [C in Category]: Form<Extract<Finding, { category: C }>> };

const forms: Forms = {
  unknown: {
    title: "Could not tell",
    columns: ["about", "why"],
    row: (finding) => [aboutOf(finding), finding.reason],
  },
  changed: {
    title: "Changed outside Pulumi",
    repair: "`pulumi up --refresh` in the stack does what the row says; an up without `--refresh` sees only its state.",
    columns: ["stack", "resource", "property", "program", "live", "the next up"],
    row: (finding, before) => [
      ...placeOf(finding),
      finding.property,
      inWords(finding.program),
      inWords(finding.live),
      before?.urn === finding.urn && isEqual(before.next, finding.next) ? "as above" : nextOf(finding.next),
    ],
  },
  ignored: {
    title: "Ignored by the program (ignoreChanges)",
    repair: "`pulumi refresh` and `pulumi up --refresh` save the live value in the state, and change nothing else.",
    columns: ["stack", "resource", "property", "program", "live"],
    row: (finding) => [...placeOf(finding), finding.property, inWords(finding.program), inWords(finding.live)],
  },
  moved: {
    title: "Addresses that changed",
    repair: "`pulumi refresh` in the stack saves what is live.",
    columns: ["stack", "resource", "output", "recorded", "live"],
    row: (finding) => [...placeOf(finding), finding.property, inWords(finding.recorded), inWords(finding.live)],
  },
  missing: {
    title: "Gone",
    repair:
      "`pulumi up --refresh` in the stack does what the row says. What it creates again is EMPTY: restore the data first if you need it.",
    columns: ["stack", "resource", "status", "the next up"],
    row: (finding) => [...placeOf(finding), finding.status ?? "not there", nextOf(finding.next)],
  },
  unprotected: {
    title: "Not protected as recorded",
    repair:
      "To keep the protection, set `deletionProtection: true` in the program and run `pulumi up`; to end it, set `false`.",
    columns: ["stack", "resource", "what", "meaning"],
    row: (finding) => [...placeOf(finding), finding.lost, [finding.meaning, ...repairOf(finding.next)].join("; ")],
  },
  attention: {
    title: "Needs attention",
    columns: ["stack", "resource", "what"],
    row: (finding) => [...placeOf(finding), finding.meaning],
  },
  owed: {
    title: "Still to do after an interrupted run",
    repair:
      "`pulumi up` in the stack does the rest; `pulumi refresh --clear-pending-creates` removes the record of a create whose outcome is not known.",
    columns: ["stack", "resource", "steps"],
    row: (finding) => [...placeOf(finding), finding.steps.join(", ")],
  },
  shared: {
    title: "Managed by several resources",
    repair: "Keep the object in one stack, and remove it from the others: `pulumi state delete URN`.",
    columns: ["object", "resources"],
    row: (finding) => [objectOf(finding), placesOf(finding.holders)],
  },
  unmanaged: {
    title: "Managed by none of these stacks",
    repair:
      "`npx pulumi-dbcloud import --all --all-stacks` brings them into a stack. If an interrupted create may have made one of them, adopt it instead: set `adoptId`, or DBCLOUD_ADOPT for one run.",
    columns: ["object", "age", "size", "VPC", "more"],
    row: (finding) => [
      objectOf(finding),
      finding.ageMs === undefined ? "" : formatDuration(finding.ageMs),
      sizeOf(finding),
      finding.vpcId ?? (finding.type === "Peering" ? (finding.parentId ?? "") : ""),
      moreOf(finding),
    ],
  },
};

/** Only those that have something to say, in the order of the findings. */
function sectionsOf({ findings }: Pick<Report, "findings">): Section[] {
  const categories = [...new Set(findings.map(({ category }) => category))];
  return categories.map((category) => {
    // The category of a finding names its own form.
    const form = forms[category] as Form<Finding>;
    const own = findings.filter((finding) => finding.category === category);
    // Names and values are foreign texts: a cell stays one line.
    const rows = own.map((finding, index) => form.row(finding, own[index - 1]).map(oneLine));
    return { title: form.title, repair: form.repair, columns: form.columns, rows };
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

/** What to do about what could not be read, once for one cause. */
function adviceOf({ findings }: Report): string[] {
  return [...new Set(findings.flatMap((one) => (one.category === "unknown" ? (one.remedy ?? []) : [])).map(oneLine))];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function placeOf({ stack, name, type, id }: Place): [string, string] {
  return [stack, `${name} (${id === "" ? type : `${type} ${id}`})`];
}

export function objectOf({ type, id, objectName }: Shared | Unmanaged): string {
  return objectName === undefined ? `${type} ${id}` : `${type} ${objectName} (${id})`;
}

const MOST_NAMED = 5;

function aboutOf({ about, projectId, stack: unread }: Unknown): string {
  if (unread !== undefined) return `stack ${unread}`;
  if (about.length === 0) return projectId === undefined ? "which project it is" : `project ${projectId}`;
  const named = about.slice(0, MOST_NAMED).map(({ stack, name }) => `${name} of ${stack}`);
  const others = about.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(", ");
}

export function placesOf(places: Shared["holders"]): string {
  return places.map(({ stack, name }) => `${name} of ${stack}`).join(", ");
}

export function nextOf({ action, calls, effects, reason }: NextUp): string {
  const words: Readonly<Record<NextUp["action"], string>> = {
    update: `repairs it: ${calls.join(", ")}`,
    replace: "replaces it",
    create: "creates it again",
    delete: "deletes it",
    refused: "stops",
    nothing: "does nothing about it",
  };
  return [words[action], ...effects, ...(reason === undefined ? [] : [reason])].join("; ");
}

export function repairOf(next: NextUp | undefined): string[] {
  return next === undefined ? [] : [`the next up ${nextOf(next)}`];
}

function sizeOf({ cpuMillis, memoryGbs }: Unmanaged): string {
  if (cpuMillis === undefined || memoryGbs === undefined) return "";
  return cpuMillis === "shared" ? "shared" : `${cpuMillis} millicores, ${memoryGbs} GB`;
}

function moreOf(finding: Unmanaged): string {
  const { type, parentId, cidr, status, environment, regionCode, readReplicaSets, projectId, pendingCreates } = finding;
  const words = [
    pendingCreates === undefined
      ? undefined
      : `possibly created by the interrupted create of ${placesOf(pendingCreates)}`,
    type === "ReadReplicaSet" ? `of service ${parentId}` : undefined,
    cidr,
    status,
    environment,
    regionCode,
    readReplicaSets === undefined ? undefined : count(readReplicaSets, "read replica set"),
    `project ${projectId}`,
  ];
  return words.filter((word) => word !== undefined).join(", ");
}

export function asTable(report: Report): string {
  const advice = adviceOf(report).map((line) => `${line}\n`);
  const tables = sectionsOf(report).map(tableOf);
  return [`${summaryOf(report)}\n`, ...tables, ...(advice.length === 0 ? [] : [advice.join("")])].join("\n");
}

/** Columns are not padded to longer cells, because one long reason would push everything else off the screen. */
const WIDEST_CELL = 60;

function tableOf({ title, repair, columns, rows }: Section): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, index) =>
    Math.min(WIDEST_CELL, Math.max(...all.map((cells) => widthOf(cells[index] ?? "")))),
  );
  const line = (cells: readonly string[]): string =>
    `  ${cells
      .map((cell, index) => cell + " ".repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell))))
      .join("  ")
      .trimEnd()}\n`;
  return `${title}\n${all.map(line).join("")}${repair === undefined ? "" : `  ${repair}\n`}`;
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

export function asMarkdown(report: Report): string {
  const sections = sectionsOf(report).map(({ title, repair, columns, rows }) => {
    const cells = rows.map((row) =>
      row.map((cell, at) => (PROSE.has(columns[at] ?? "") ? asProse(cell) : asCode(cell))),
    );
    const lines = [columns, columns.map(() => "---"), ...cells].map(markdownRow);
    return `### ${title}\n\n${lines.join("\n")}\n${repair === undefined ? "" : `\n${repair}\n`}`;
  });
  const advice = adviceOf(report).map((line) => `${asProse(line)}\n`);
  return [`## Drift\n\n${asProse(summaryOf(report))}\n`, ...sections, ...advice].join("\n");
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** The columns of sentences. The others hold names and values. */
const PROSE: ReadonlySet<string> = new Set(["why", "the next up", "what", "meaning", "age"]);

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
