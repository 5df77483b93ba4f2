// The texts of a report for people: one table for each category. Pure. render.ts gives them their form; what lost
// protection means is said in compare.ts.

import { formatDuration } from "../../provider/domain/values/duration";
import { oneLine } from "../../provider/domain/values/printable";
import { isEqual } from "../../provider/domain/values/value";
import { inWords } from "../../provider/domain/values/words";
import type { Category, Finding, NextUp, Place, Report, Shared, Unknown, Unmanaged } from "./findings";

export interface Section {
  category: Category;
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

interface Form<F extends Finding> {
  title: string;
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
    columns: ["stack", "resource", "property", "program", "live", "the next up"],
    row: (finding, before) => [
      ...placeOf(finding),
      finding.property,
      inWords(finding.program),
      inWords(finding.live),
      before?.urn === finding.urn && isEqual(before.next, finding.next) ? "as above" : nextOf(finding.next),
    ],
  },
  moved: {
    title: "Addresses that moved",
    columns: ["stack", "resource", "output", "recorded", "live"],
    row: (finding) => [...placeOf(finding), finding.property, inWords(finding.recorded), inWords(finding.live)],
  },
  missing: {
    title: "Gone",
    columns: ["stack", "resource", "status", "the next up"],
    row: (finding) => [...placeOf(finding), finding.status ?? "not there", nextOf(finding.next)],
  },
  unprotected: {
    title: "Not protected as recorded",
    columns: ["stack", "resource", "what", "meaning"],
    row: (finding) => [...placeOf(finding), finding.lost, [finding.meaning, ...repairOf(finding.next)].join("; ")],
  },
  attention: {
    title: "Needs attention",
    columns: ["stack", "resource", "what"],
    row: (finding) => [...placeOf(finding), finding.meaning],
  },
  owed: {
    title: "Left to do by an interrupted run",
    columns: ["stack", "resource", "steps"],
    row: (finding) => [...placeOf(finding), finding.steps.join(", ")],
  },
  shared: {
    title: "Held by several resources",
    columns: ["object", "resources"],
    row: (finding) => [objectOf(finding), placesOf(finding.holders)],
  },
  unmanaged: {
    title: "Managed by none of these stacks",
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
export function sectionsOf({ findings }: Pick<Report, "findings">): Section[] {
  const categories = [...new Set(findings.map(({ category }) => category))];
  return categories.map((category) => {
    // The category of a finding names its own form.
    const form = forms[category] as Form<Finding>;
    const own = findings.filter((finding) => finding.category === category);
    // Names and values are foreign texts: a cell stays one line.
    const rows = own.map((finding, index) => form.row(finding, own[index - 1]).map(oneLine));
    return { category, title: form.title, columns: form.columns, rows };
  });
}

/** What the report is about, and what came of it. */
export function summaryOf({ stacks, projects, findings, outcome }: Report): string {
  const resources = stacks.reduce((sum, stack) => sum + stack.resources, 0);
  const scope = `${count(stacks.length, "stack")}, ${count(resources, "resource")}, ${
    projects.length === 1 ? "project" : "projects"
  } ${projects.map(oneLine).join(", ") || "unknown"}`;
  if (findings.length === 0) return `No drift: ${scope}.`;
  const verdict = outcome === "unknown" ? "This report is not complete" : count(findings.length, "finding");
  return `${verdict}: ${scope}.`;
}

/** What to do about what could not be read. One cause has one remedy, however much could not be read because of it. */
export function remediesOf({ findings }: Pick<Report, "findings">): string[] {
  const remedies = findings.flatMap((one) => (one.category === "unknown" ? (one.remedy ?? []) : []));
  return [...new Set(remedies.map(oneLine))];
}

/** What to do next: each line where a finding calls for it. */
const advice: readonly [(finding: Finding) => boolean, string][] = [
  [
    isRepaired,
    "`pulumi preview --refresh` shows the same in a stack, and `pulumi up --refresh` does it; without `--refresh` an `up` sees only its own state.",
  ],
  [
    (one) => one.category === "unprotected" && one.live !== true && one.next === undefined,
    "Where the tag PROD is gone, `deletionProtection: true` in the program and `pulumi up` keep the protection; `false` ends it.",
  ],
  [isRefused, "Where the next up stops, so does `pulumi up --refresh`: its error has the remedy."],
  [
    isMaybeMade,
    "To adopt what an interrupted create has made, run `DBCLOUD_ADOPT=<id>,<id> pulumi up` in its stack, or set `adoptId` in the program. An `up` without that stops, because the name is taken.",
  ],
  [
    (one) => "isPendingCreate" in one,
    "`pulumi refresh --clear-pending-creates` in a stack removes the note of an interrupted create.",
  ],
  [
    (one) => one.category === "unmanaged" && !isMaybeMade(one),
    "`pulumi-dbcloud import --all --all-stacks` takes what is unmanaged into a stack; --ignore PATTERN leaves out the objects of others.",
  ],
  [
    (one) => one.category === "shared",
    "Where several resources hold one object, remove all but one from their states: `pulumi state delete URN`.",
  ],
];

export function adviceOf({ findings }: Pick<Report, "findings">): string[] {
  return advice.filter(([applies]) => findings.some(applies)).map(([, line]) => line);
}

function isRefused(one: Finding): boolean {
  return "next" in one && one.next.action === "refused";
}

function isMaybeMade(one: Finding): boolean {
  return "pendingCreates" in one;
}

function isRepaired(one: Finding): boolean {
  if (isRefused(one) || "isPendingCreate" in one) return false;
  return (
    ["changed", "moved", "missing", "owed"].includes(one.category) ||
    (one.category === "unprotected" && (one.live === true || one.next !== undefined))
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function placeOf({ stack, name, type, id }: Place): [string, string] {
  return [stack, `${name} (${id === "" ? type : `${type} ${id}`})`];
}

function objectOf({ type, id, objectName }: Shared | Unmanaged): string {
  return objectName === undefined ? `${type} ${id}` : `${type} ${objectName} (${id})`;
}

const MOST_NAMED = 5;

function aboutOf({ about, projectId }: Unknown): string {
  if (about.length === 0) return projectId === undefined ? "which project it is" : `project ${projectId}`;
  const named = about.slice(0, MOST_NAMED).map(({ stack, name }) => `${name} of ${stack}`);
  const others = about.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(", ");
}

function placesOf(places: Shared["holders"]): string {
  return places.map(({ stack, name }) => `${name} of ${stack}`).join(", ");
}

function nextOf({ action, calls, effects, reason }: NextUp): string {
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

function repairOf(next: NextUp | undefined): string[] {
  return next === undefined ? [] : [`the next up ${nextOf(next)}`];
}

function sizeOf({ cpuMillis, memoryGbs }: Unmanaged): string {
  if (cpuMillis === undefined || memoryGbs === undefined) return "";
  return cpuMillis === "shared" ? "shared" : `${cpuMillis} millicores, ${memoryGbs} GB`;
}

function moreOf(finding: Unmanaged): string {
  const { type, parentId, cidr, status, environment, regionCode, readReplicaSets, projectId, pendingCreates } = finding;
  const words = [
    pendingCreates === undefined ? undefined : `maybe made by the interrupted create of ${placesOf(pendingCreates)}`,
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
