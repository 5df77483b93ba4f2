// What is new in a report, and what is over, since the one before. Pure.

import type { Finding, Report } from "./findings";
import { rowOf, titleOf } from "./texts";

export interface ReportChanges {
  new: Finding[];
  over: Finding[];
}

export function changesBetween(before: Pick<Report, "findings">, now: Pick<Report, "findings">): ReportChanges {
  const [earlier, later] = [new Set(before.findings.map(keyOf)), new Set(now.findings.map(keyOf))];
  return {
    new: now.findings.filter((finding) => !earlier.has(keyOf(finding))),
    over: before.findings.filter((finding) => !later.has(keyOf(finding))),
  };
}

/** Everything that it says, but for what is different in every report: an age, the id of a request. */
function keyOf(finding: Finding): string {
  return JSON.stringify(finding, (key, value: unknown) => {
    if (key === "ageMs") return undefined;
    return key === "reason" && typeof value === "string" ? value.replaceAll(/request id \S+/gi, "") : value;
  });
}

export function describeChanges(at: string, changes: ReportChanges): string {
  const line = (mark: string, finding: Finding): string =>
    `${at} ${mark} ${titleOf(finding.category)}: ${rowOf(finding)
      .filter((cell) => cell !== "")
      .join("  ")}\n`;
  return [...changes.over.map((one) => line("-", one)), ...changes.new.map((one) => line("+", one))].join("");
}
