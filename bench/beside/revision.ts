// Another revision of this repository beside the one that is here: its figures are measured in turn with ours, by the same
// benchmark, so that a busy minute of the machine affects both.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { cacheFolder } from "../../scripts/setup/paths.mjs";
import { median } from "../figures.ts";
import type { Table } from "../model.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

type Figures = Readonly<Record<string, number>>;

/** Each figure of both revisions: the median, the least and the most of the rounds. */
export function compareWith(revision: string, rounds: number, sizes: string): Table {
  const other = checkOut(revision);
  const measured: Record<"before" | "now", Figures[]> = { before: [], now: [] };
  for (let round = 0; round < rounds; round += 1) {
    measured.before.push(measureIn(other, sizes));
    measured.now.push(measureIn(root, sizes));
    process.stderr.write(styleText("dim", `  round ${round + 1}\n`));
  }
  const names = Object.keys(measured.now[0] ?? {});
  const rows = names.map((name) => [name, ...[measured.before, measured.now].map((all) => spreadOf(all, name))]);
  return { title: `Beside ${revision}, ${rounds} rounds in turn`, head: ["", revision, "here"], rows };
}

/** In a folder that is kept, with its packages, built, and with the benchmark of this revision. */
function checkOut(revision: string): string {
  const git = (...words: string[]): Buffer => execFileSync("git", words, { cwd: root, maxBuffer: 2 ** 30 });
  const folder = path.join(
    cacheFolder(process.env),
    "beside",
    git("rev-parse", `${revision}^{commit}`).toString().trim(),
  );
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-x", "-C", folder], { input: git("archive", "--format=tar", revision) });
  // Its own script, because it installs and builds what that revision needs.
  execFileSync(process.execPath, [path.join(folder, "scripts/run.mjs"), "build"], { cwd: folder, stdio: "inherit" });
  rmSync(path.join(folder, "bench"), { recursive: true });
  cpSync(path.join(root, "bench"), path.join(folder, "bench"), { recursive: true });
  return folder;
}

function measureIn(folder: string, sizes: string): Figures {
  const script = path.join(folder, "bench/beside/round.ts");
  const text = execFileSync(process.execPath, [script, sizes], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(text.toString()) as Figures;
}

function spreadOf(rounds: readonly Figures[], name: string): string {
  const values = rounds.map((figures) => figures[name] ?? Number.NaN).toSorted((a, b) => a - b);
  const [least, middle, most] = [values[0], median(values), values.at(-1)].map((value = 0) => format(value));
  return least === most ? String(middle) : `${middle} (${least}–${most})`;
}

function format(value: number): string {
  return value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString("en-US");
}
