// One sequence for each rule of the decision on deletes: without the rule it loses a database. Each walk begins with them.

import type { Values } from "../../../provider/domain/values/value";
import type { Command, Options, Spec, Step, Verb } from "./model";

const SIZE = { cpuMillis: 500, memoryGbs: 2 };

const db = (args: Values = {}, opts: Options = {}, name = "db1"): Spec => ({
  name,
  kind: "service",
  args: { regionCode: "us-east-1", ...SIZE, ...args },
  opts,
});
const set: Spec = { name: "set1", kind: "readReplicaSet", of: "db1", args: { nodes: 1, ...SIZE }, opts: {} };

const program = (...specs: Spec[]): Step => ({ do: "program", stack: "dev", specs });
const run = (verb: Verb, ...flags: string[]): Command => ({ do: verb, stack: "dev", flags });
const tagged: Step = { do: "console", what: "tag", object: "@dev/db1" };

/** Two entries for one object: the second resource adopts it while the run leaves the first one out. */
function twoEntries(first: Spec): Step[] {
  const second = db({ adoptId: "@dev/db1" }, {}, "db2");
  return [program(first), run("up"), program(second), run("up", "--exclude @db1")];
}

const PROTECTED = db({ deletionProtection: true }, { protect: false });
const OLD_FIRST: Options = { deleteBeforeReplace: true };

export const SEQUENCES: Readonly<Record<string, readonly Step[]>> = {
  "keep an object in use": [...twoEntries(db()), run("up")],
  wanted: [program(db({}, OLD_FIRST)), run("up"), { ...run("up", "--replace @db1"), adopt: "@dev/db1" }],
  protected: [program(PROTECTED), run("up"), program(), run("up")],
  "other entry": [...twoEntries(PROTECTED), run("destroy", "--refresh")],
  owner: [program(PROTECTED, set), run("up"), run("destroy")],
  "left in the way": [program(db({ onDelete: "stop" }, OLD_FIRST)), run("up"), run("up", "--replace @db1")],
  "owner's tag": [program(db(), set), run("up"), tagged, run("destroy")],
  tag: [program(db()), run("up"), tagged, run("destroy")],
};
