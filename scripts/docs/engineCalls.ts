// Generates the table of the engine's calls in docs/reliability-details.md from what the tests have recorded.
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
  created: "made",
  "changed in place": "changed",
  "taken out of the program": "deleted, dependents first",
  "two names with one id, one is taken out of the program": "kept: only the entry leaves the state",
  "renamed without an alias, the name is taken, --continue-on-error": "kept",
  forced: "replaced, the new one first; if its name is taken: an error before anything happens, with the ways on",
  "forced, after a refresh": "likewise",
  tainted: "likewise",
  "asked for by diff": "replaced, the new one first",
  "deleteBeforeReplace, forced": "replaced, the old one first",
  "deleteBeforeReplace, forced, set and copy no longer in the program":
    "replaced; what the program no longer has is deleted, although its `diff` was called",
  "deleteBeforeReplace, asked for by diff": "replaced, the old one first",
  "deleteBeforeReplace, after it was cut short":
    "created; if the old one is still there (`retainOnDelete`): the name is taken, and an adoption goes on with it",
  "deleteBeforeReplace by a foreign diff, which feeds a service": "changed",
  "forced, and adopted": "adopted; the `delete` keeps it",
  "forced, and adopted, after a refresh": "likewise",
  "forced, and adopted, deleteBeforeReplace": "kept: it is not adopted yet",
  "forced, and not to be adopted, --continue-on-error": "kept",
  "a replacement that is cut short": "the old one stays, to be deleted",
  "a pending deletion": "the old one is deleted at the end",
  "a pending deletion, refreshed": "both entries stay",
  "a pending deletion, no target": "both entries stay",
  "a pending deletion, destroyed": "both are deleted",
  "two entries of one id, by an adoption that is cut short": "adopted; the old entry stays, to be deleted",
  "two entries of one id": "kept, with a warning; the second entry leaves the state",
  "two entries of one id, after a refresh": "likewise",
  "two entries of one id, and replaced": "replaced: the object is deleted once",
  "two entries of one id, taken out of the program": "deleted",
  "two entries of one id, destroyed":
    "deleted, unless one of the two is protected: then neither deletes, as far as that is seen",
  "up --target": "nothing is called for the others",
  "destroy --run-program": "deleted; the program runs, and nothing is checked",
  "destroy --target --target-dependents": "deleted, although a `diff` was called",
  "two providers, destroyed": "deleted, each in its provider's process",
  "from the default provider to an explicit one": "kept; from then on the other process has it",
};

/** Those of the newest version of the CLI. */
export function newestCalls(root: string): EngineCalls {
  const folder = path.join(root, "test", "engine", "recordings");
  const versions = readdirSync(folder).flatMap((file) => /^(\d+\.\d+)\.json$/.exec(file)?.[1] ?? []);
  const [version = ""] = versions.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
  const text = readFileSync(path.join(folder, `${version}.json`), "utf8");
  return { version, recordings: JSON.parse(text) as EngineCalls["recordings"] };
}

/** The document with the table of these recordings. */
export function writeEngineCalls(document: string, { version, recordings }: EngineCalls): string {
  const rows = Object.entries(SHOWN).map(([title, outcome]) => {
    const recording = recordings[title];
    if (recording === undefined) throw new Error(`there is no recording "${title}"`);
    return [title, code(recording.command), code(withoutOthers(recording.calls)), outcome];
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
