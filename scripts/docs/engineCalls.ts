// Generates the table of the engine's calls in docs/internals/reliability.md from what the tests have recorded.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { alignedTable, withBlock } from "./block.ts";

interface Recording {
  command: string;
  calls: string;
}

export interface EngineCalls {
  version: string;
  recordings: Readonly<Record<string, Recording>>;
}

/** The recordings that users are shown, with what becomes of the object. */
const SHOWN: Readonly<Record<string, string>> = {
  "first made: up": "made",
  "changed in place: up": "changed",
  "taken out of the program: up": "deleted, dependents first",
  "two names with one id, one is taken out of the program: up": "kept: only the entry leaves the state",
  "renamed without an alias, the name is taken: up --continue-on-error": "kept",
  "forced: up --replace db":
    "replaced, the new one first; if its name is taken: an error before anything happens, with the ways on",
  "forced: up --refresh --replace db": "likewise",
  "tainted: up": "likewise",
  "asked for by diff: up": "replaced, the new one first",
  "deleteBeforeReplace: up --replace db": "replaced, the old one first",
  "deleteBeforeReplace, set and copy no longer in the program: up --replace db":
    "replaced; what the program no longer has is deleted, although its `diff` was called",
  "deleteBeforeReplace, asked for by diff: up": "replaced, the old one first",
  "deleteBeforeReplace, after it was cut short: up":
    "created; if the old one is still there (`retainOnDelete`): the name is taken, and an adoption continues with it",
  "deleteBeforeReplace by a foreign diff, which feeds a service: up": "changed",
  "forced, and adopted: DBCLOUD_ADOPT=db=db up --replace db": "adopted; the `delete` keeps it",
  "forced, and adopted: DBCLOUD_ADOPT=db=db up --refresh --replace db": "likewise",
  "forced, and adopted, deleteBeforeReplace: DBCLOUD_ADOPT=db=db up --replace db": "kept: it is not adopted yet",
  "forced, and not to be adopted: DBCLOUD_ADOPT=db=db up --continue-on-error --replace db": "kept",
  "a replacement that is cut short: up --replace db": "the old one stays, to be deleted",
  "a pending deletion: up": "the old one is deleted at the end",
  "a pending deletion: refresh": "both entries stay",
  "a pending deletion: up --target other": "both entries stay",
  "a pending deletion: destroy": "both are deleted",
  "forced, adopted and cut short: DBCLOUD_ADOPT=db=db up --replace db": "adopted; the old entry stays, to be deleted",
  "two entries of one id: up": "kept, with a warning; the second entry leaves the state",
  "two entries of one id: up --refresh": "likewise",
  "two entries of one id, and replaced: up": "replaced: the object is deleted once",
  "two entries of one id, taken out of the program: up": "deleted",
  "two entries of one id: destroy":
    "deleted, unless one of the two is protected: then neither deletes, as far as that is seen",
  "a part of a change: up --target db": "nothing is called for the others",
  "destroyed by a program without the copy: destroy --run-program": "deleted; the program runs, and nothing is checked",
  "destroyed with a copy: destroy --target db --target-dependents": "deleted, although a `diff` was called",
  "two providers: destroy": "deleted, each in its provider's process",
  "from the default provider to an explicit one: up": "kept; from then on the other process has it",
};

/** The versions of the CLI that are recorded, the newest first. */
export function recordedVersions(folder: string): string[] {
  const versions = readdirSync(folder).flatMap((file) => /^(\d+\.\d+)\.json$/.exec(file)?.[1] ?? []);
  return versions.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
}

export function newestCalls(root: string): EngineCalls {
  const folder = path.join(root, "test", "engine", "recordings");
  const [version = ""] = recordedVersions(folder);
  const text = readFileSync(path.join(folder, `${version}.json`), "utf8");
  return { version, recordings: JSON.parse(text) as EngineCalls["recordings"] };
}

/** The document with the table of these recordings. */
export function writeEngineCalls(document: string, { version, recordings }: EngineCalls): string {
  const rows = Object.entries(SHOWN).map(([title, outcome]) => {
    const recording = recordings[title];
    if (recording === undefined) throw new Error(`there is no recording "${title}"`);
    const { command, calls } = recording;
    const situation = title.slice(0, -`: ${command}`.length);
    return [situation, code(command), code(withoutOthers(calls)), outcome];
  });
  const head = ["what", `command (CLI ${version})`, "calls", "what happens to the object"];
  return withBlock(document, "engine calls", alignedTable([head, ...rows]).join("\n"));
}

/** Without the calls for a service that has nothing to do with the others. */
function withoutOthers(calls: string): string {
  const groups = calls.split("; ").map((group) => group.split(" & ").filter((call) => !/^\w+ other\b/.test(call)));
  return groups.flatMap((group) => (group.length === 0 ? [] : [group.join(" & ")])).join("; ");
}

const code = (text: string): string => (text === "" ? "none" : `\`${text}\``);
