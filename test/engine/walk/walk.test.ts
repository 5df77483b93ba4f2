// The sequences that must not lose a database, a part of the random walk over the engine (`npm run invariants -- --engine`
// does more, with kills), and its judge on commands that did wrong.

import { expect, test, vi } from "vitest";
import type { LedgerEntry } from "../../../emulator/index";
import type { Form } from "../../../provider/pulumi/stateNames";
import type { Declared } from "../../invariants/operator/declared";
import type { Fact } from "../../invariants/judge/truth";
import { isBuildServer, repeats, someOf } from "../../support/repeats";
import { type Command, judge } from "./judge";
import type { Entry, Look } from "./look";
import { SEQUENCES } from "./sequences";
import { replay, walk } from "./walk";

vi.setConfig({ testTimeout: 10 * 60_000 });

test.runIf(isBuildServer)("a short random walk breaks no rule", async () => {
  const { violations, lines, counts } = await walk({ seed: 1, run: 0 }, "dynamic", false);
  if (violations.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  expect(violations).toEqual([]);
  expect(counts["commands"]).toBeGreaterThan(10);
});

const sequences = (["dynamic", "native"] as const).flatMap((form: Form) =>
  Object.entries(SEQUENCES).map((entry) => [form, ...entry] as const),
);

test.each(repeats(someOf(sequences, 5), sequences))(
  "with the %s classes %s",
  async (form, _, { steps, ends = "it fails" }) => {
    const walked = await replay({ seed: 1, run: 0 }, form, steps);
    if (walked.ends !== ends || walked.violations.length > 0) process.stdout.write(`${walked.lines.join("\n")}\n`);
    expect(walked).toMatchObject({ violations: [], ends });
  },
);

const db: Entry = {
  stack: "dev",
  urn: "urn:db",
  logical: "db",
  kind: "service",
  id: "s1",
  isPending: false,
  isProtected: false,
  isOff: false,
  isRetained: false,
  deletedWith: undefined,
};
const spec: Declared = { logical: "db", kind: "service", args: {} };
const object = (id: string, values = {}): Fact => ({ kind: "service", id, identity: "db", status: "READY", values });
const seen = (entries: Entry[], ids: string[], values = {}): Look => ({
  entries,
  objects: new Map(ids.map((id) => [id, object(id, values)])),
  ledger: [],
  stored: "",
});
const event = (what: "created" | "deleted", id: string): LedgerEntry => ({
  at: 0,
  kind: "service",
  id,
  name: "db",
  event: what,
  operation: undefined,
  by: "api",
  requestId: undefined,
  overlapped: false,
});
const quiet = { code: 0, text: "", ops: [] };
const gone = { ...quiet, ops: [{ op: "delete", urn: "urn:db", id: "s1" }] };
const vanished = { ...seen([], []), ledger: [event("deleted", "s1")] };
const deleted = { preview: gone, run: gone, after: vanished };
const failed = { ...quiet, code: 1 };

function breachesOf(changed: Partial<Command>): string[] {
  const known = { released: new Set<string>(), lost: new Set<string>(), secrets: new Set(["s3cret"]) };
  const plain: Command = {
    verb: "up",
    stack: "dev",
    declared: [],
    before: seen([db], ["s1"]),
    after: seen([db], ["s1"]),
    wanted: [],
    preview: quiet,
    run: quiet,
    isSure: true,
    isKilled: false,
    reach: "program",
  };
  return judge({ ...plain, ...changed }, known).map(({ breach }) => breach);
}

test.each<[string, Partial<Command>, string[]]>([
  ["nothing", {}, []],
  ["a delete as previewed", deleted, []],
  ["a delete that no preview showed", { after: vanished }, ["unasked"]],
  [
    "a delete of what is protected",
    { ...deleted, before: seen([{ ...db, isProtected: true }], ["s1"]) },
    ["protected"],
  ],
  [
    "a delete of what is tagged PROD",
    { ...deleted, before: seen([db], ["s1"], { environment: "PROD" }) },
    ["protected"],
  ],
  [
    "a delete of what a resource of the program still has",
    { ...deleted, declared: [spec], after: { ...vanished, entries: [db] } },
    ["half done"],
  ],
  ["a delete of what the run is to adopt", { ...deleted, wanted: ["s1"] }, ["half done"]],
  ["an entry that is dropped", { preview: gone, run: gone, after: seen([], ["s1"]) }, ["forgotten"]],
  ["a run that does more", { run: gone }, ["untrue preview"]],
  ["a run that does less", { preview: gone }, ["untrue preview"]],
  ["a run that fails", { run: { ...failed, text: "error: surprise" } }, ["untrue preview"]],
  [
    "an object in no state",
    { after: { ...seen([db], ["s1", "s2"]), ledger: [event("created", "s2")] } },
    ["two objects"],
  ],
  [
    "a resource that is left without its object",
    { declared: [spec], run: { ...failed, text: "there is already" }, after: seen([], []) },
    ["half done"],
  ],
  ["a secret in the output", { run: { ...quiet, text: "password s3cret" } }, ["leak"]],
])("the judge names the breach in %s, if there is one", (_, changed, breaches) => {
  expect(breachesOf(changed)).toEqual(breaches);
});
