// What is said of a finding, in a row and on the page. What lost protection means is said in compare.ts. Pure.

import { formatDuration } from "../../provider/domain/values/duration";
import { shellWord } from "../../provider/domain/values/printable";
import { pick, show } from "../../provider/domain/values/value";
import { IMPORT_FORMS } from "../../provider/pulumi/stateNames";
import type { Category, Finding, Ignored, NextUp, Shared, Unknown, Unmanaged } from "./findings";
import { resources } from "./state";

export interface Told {
  title: string;
  property?: string;
  /** The value that the program gives, or that was recorded, and the live one. */
  program?: unknown;
  live?: unknown;
  /** What the next `pulumi up --refresh` does about it, or somebody must do. */
  next?: string | undefined;
  /** How to keep what is there. */
  keep?: string;
  /** A command to copy. */
  command?: string;
  /** What a table tells of an object, and a page shows at the object itself. */
  details?: string;
}

const forms: { readonly [C in Category]: (finding: Extract<Finding, { category: C }>) => Told } = {
  unknown: ({ reason, remedy }) => ({ title: reason, next: remedy }),
  changed: ({ next, ...finding }) => ({
    ...differing(finding),
    next: nextOf(next),
    ...(finding.live !== null &&
      finding.property !== "status" && { keep: `to keep it: \`${finding.property}: ${show(finding.live)}\`` }),
  }),
  ignored: (finding) => ({ ...differing(finding), next: "nothing: the program ignores it" }),
  moved: ({ recorded: program, ...finding }) => ({
    ...differing({ ...finding, program }),
    next: "`pulumi refresh` saves the new address",
  }),
  missing: ({ name, status = "gone", next }) => ({ title: `${name} is ${status}`, next: nextOf(next) }),
  unprotected: ({ name, lost, meaning, next }) => ({
    title: `${name}: ${lost === "tag" ? "its tag PROD" : "its protection"}`,
    next: next === undefined ? meaning : `${meaning}; the next up ${nextOf(next)}`,
    keep: "to keep the protection: `deletionProtection: true`",
  }),
  attention: ({ name, status, meaning }) => ({ title: `${name} is ${status}`, next: meaning }),
  owed: ({ name, steps, isPendingCreate }) => ({
    title: `${name} owes ${steps.join(", ")}`,
    next: isPendingCreate ? "`pulumi refresh --clear-pending-creates` removes the record" : "`pulumi up` does the rest",
  }),
  shared: (finding) => ({
    title: `${objectOf(finding)} is managed by ${placesOf(finding.holders)}`,
    next: "keep it in one stack, and remove it from the others: `pulumi state delete URN`",
  }),
  unmanaged: (finding) => ({
    title: `${objectOf(finding)} is in no stack`,
    next:
      finding.pendingCreates === undefined
        ? "leaves it alone"
        : `adopt it by \`adoptId\`: possibly created by the interrupted create of ${placesOf(finding.pendingCreates)}`,
    command: `npx pulumi-dbcloud import ${shellWord(importName(finding))}`,
    details: detailsOf(finding),
  }),
};

export function toldOf(finding: Finding): Told {
  // The category of a finding names its own form.
  return (forms[finding.category] as (finding: Finding) => Told)(finding);
}

function differing({ name, property, program, live }: Pick<Ignored, "name" | "property" | "program" | "live">): Told {
  return { title: `${name}: ${property}`, property, program, live };
}

/** The action of the next up, its effects, and its reason. */
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

function objectOf({ type, id, objectName }: Shared | Unmanaged): string {
  return objectName === undefined ? `${type} ${id}` : `${type} ${objectName} (${id})`;
}

function placesOf(places: Shared["holders"]): string {
  return places.map(({ stack, name }) => `${name} of ${stack}`).join(", ");
}

/** As `import` names it. */
function importName({ type, id, parentId = "" }: Unmanaged): string {
  const form = IMPORT_FORMS[resources[type].kind];
  return form.replace(/[A-Z]+\//, () => `${parentId}/`).replace(/ID$/, () => id);
}

const MOST_NAMED = 5;

/** What could not be read or compared. The title of a finding about an object without a place names that object. */
export function aboutOf(finding: Unknown | Shared | Unmanaged): string | undefined {
  if (finding.category !== "unknown") return undefined;
  const { about, projectId, stack } = finding;
  if (stack !== undefined) return `stack ${stack}`;
  if (about.length === 0) return projectId === undefined ? "which project it is" : `project ${projectId}`;
  const others = about.length > MOST_NAMED ? `, ${about.length - MOST_NAMED} more` : "";
  return placesOf(about.slice(0, MOST_NAMED)) + others;
}

const DETAILS = ["cpuMillis", "memoryGbs", "vpcId", "parentId", "cidr", "status", "environment", "regionCode"];

/** What is known of an object that no stack manages. */
function detailsOf({ ageMs, ...known }: Unmanaged): string {
  const age = ageMs === undefined ? [] : [`age ${formatDuration(ageMs)}`];
  const details = Object.entries(pick({ ...known }, [...DETAILS, "readReplicaSets", "projectId"]));
  return [...age, ...details.map(([name, value]) => `${name} ${String(value)}`)].join(", ");
}
