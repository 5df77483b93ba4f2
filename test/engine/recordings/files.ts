// The recordings as files, one for each version of the CLI.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Recording } from "./play";

/** By the title of the case. */
export type Recordings = Record<string, Recording>;

export function readRecordings(version: string): Recordings {
  return JSON.parse(readFileSync(fileOf(version), "utf8")) as Recordings;
}

export function writeRecordings(version: string, recordings: Recordings): void {
  writeFileSync(fileOf(version), `${JSON.stringify(recordings, null, 2)}\n`);
}

function fileOf(version: string): string {
  return path.join(__dirname, `${version}.json`);
}
