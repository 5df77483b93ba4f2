// What later runs of this user must know, in files beside those of the runs: one for each note. A note that cannot be written
// is lost, and errors say what to do without it.

import { hash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Notes } from "../core/runView";

export function openNotes(folder: string): Notes {
  const fileOf = (key: string): string => path.join(folder, hash("sha256", key, "hex"));
  return {
    read(key) {
      try {
        return readFileSync(fileOf(key), "utf8");
      } catch {
        return undefined;
      }
    },
    write(key, text) {
      try {
        if (text === undefined) return rmSync(fileOf(key), { force: true });
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(fileOf(key), text, { mode: 0o600 });
      } catch {
        // A folder that cannot be written must not keep anybody from a create or a delete.
      }
    },
  };
}
