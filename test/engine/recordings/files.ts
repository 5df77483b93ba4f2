// The recordings as files, one for each version of the CLI.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Recording } from "./play";

/** By the title of the case. */
export type Recordings = Record<string, Recording>;

export function readRecordings(version: string): Recordings {
  const file = fileOf(version);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Recordings) : {};
}

export function writeRecordings(version: string, recordings: Recordings): void {
  writeFileSync(fileOf(version), `${JSON.stringify(recordings, null, 2)}\n`);
}

/** The recorded version that is the least far away. */
export function nearestVersion(version: string): string {
  const distance = (other: string): number => Math.abs(numberOf(other) - numberOf(version));
  const versions = readdirSync(__dirname).flatMap((file) => /^(\d+\.\d+)\.json$/.exec(file)?.[1] ?? []);
  return versions.toSorted((a, b) => distance(a) - distance(b))[0] ?? version;
}

function numberOf(version: string): number {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major * 10_000 + minor;
}

function fileOf(version: string): string {
  return path.join(__dirname, `${version}.json`);
}
