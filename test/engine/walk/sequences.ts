// Sequences on the real engine in which a database could be lost, each with its end. There is one for each rule of the
// decision on deletes, without which it is lost. Each walk begins with them.

import type { Values } from "../../../provider/domain/values/value";
import type { Declared, Options } from "../../invariants/operator/declared";
import type { Command, Step, Verb } from "./model";

const SIZE = { cpuMillis: 500, memoryGbs: 2 };
const REGION = { regionCode: "us-east-1" };

const db = (args: Values = {}, options: Options = {}, logical = "db1"): Declared => ({
  logical,
  kind: "service",
  args: { ...REGION, ...SIZE, ...args },
  options,
});
/** A fork of `db1`, which the cloud calls "copy". */
const copy = (logical: string, options: Options = {}): Declared => ({
  logical,
  kind: "service",
  args: { name: "copy", ...SIZE, forkFrom: { serviceId: { ref: "db1" }, strategy: "NOW" } },
  options,
});
const set: Declared = {
  logical: "set1",
  kind: "readReplicaSet",
  args: { serviceId: { ref: "db1" }, nodes: 1, ...SIZE },
};

const NET: Declared = { logical: "net1", kind: "vpc", args: { cidr: "10.0.0.0/24", ...REGION } };

const program = (...declared: Declared[]): Step => ({ do: "program", stack: "dev", declared });
const run = (verb: Verb, ...flags: string[]): Command => ({ do: verb, stack: "dev", flags });
const up = run("up");
const replaced = run("up", "--replace @db1");
const adopting = (command: Command): Command => ({ ...command, adopt: "@dev/db1" });
const tagged: Step = { do: "console", what: "tag", object: "@dev/db1" };

/** Two entries for one object: the second resource adopts it while the run leaves the first one out. */
function twoEntries(first: Declared): Step[] {
  const second = db({ adoptId: "@dev/db1" }, {}, "db2");
  return [program(first), up, program(second), run("up", "--exclude @db1")];
}

const PROTECTED = db({ deletionProtection: true }, { protect: false });
const OLD_FIRST: Options = { deleteBeforeReplace: true };

export interface Sequence {
  steps: readonly Step[];
  /** The changes that the last command makes. Default: it fails, and makes none. */
  ends?: string;
}

export const SEQUENCES: Readonly<Record<string, Sequence>> = {
  // One for each rule.
  "an object that another entry has is kept": { steps: [...twoEntries(db()), up], ends: "" },
  "an object that is to be adopted is kept": { steps: [program(db({}, OLD_FIRST)), up, adopting(replaced)] },
  "a protected object is kept": { steps: [program(PROTECTED), up, program(), up] },
  "an object that another entry protects is kept": { steps: [...twoEntries(PROTECTED), run("destroy", "--refresh")] },
  "a set of a protected service is kept": { steps: [program(PROTECTED, set), up, run("destroy")] },
  "a set of a service with the tag PROD is kept": { steps: [program(db(), set), up, tagged, run("destroy")] },
  "a service with the tag PROD is kept": { steps: [program(db()), up, tagged, run("destroy")] },
  "an object that the program did not reach because another one failed is kept": {
    steps: [
      program(NET),
      up,
      { do: "console", what: "create", object: "taken" },
      program(db({ name: "taken" }), { ...NET, options: { dependsOn: "db1" } }),
      run("up", "--continue-on-error"),
    ],
  },
  // Beside the rules.
  "a service with the tag PROD that a refresh has seen is kept": {
    steps: [program(db()), up, tagged, run("destroy", "--refresh")],
  },
  "a set of a protected service that is the target is kept": {
    steps: [program(PROTECTED, set), up, run("destroy", "--target @db1", "--target-dependents")],
  },
  "an object that its own replacement adopts is kept": { steps: [program(db()), up, adopting(replaced)], ends: "" },
  "an object whose adoption fails is kept": {
    steps: [
      program(db()),
      up,
      program(db({ adoptId: "@dev/db1", regionCode: "eu-west-1" }, {}, "db2")),
      run("up", "--continue-on-error"),
    ],
  },
  "an object that moves to another provider is kept": {
    steps: [
      program(db({ name: "moved" })),
      up,
      program(db({ name: "moved" }, { parent: "group", provider: 1 })),
      adopting(up),
    ],
    ends: "",
  },
  "a VPC does not go before the service in it": {
    steps: [program({ ...NET, options: OLD_FIRST }, db({ vpcId: { ref: "net1" } })), up, run("up", "--replace @net1")],
  },
  "a source does not go where a fork of the program cannot follow it": {
    steps: [program(db({}, OLD_FIRST), copy("copy1")), up, replaced],
  },
  "a fork that has left the program goes with its source, as previewed": {
    steps: [program(db({}, OLD_FIRST), copy("copy1")), up, program(db({}, OLD_FIRST)), replaced],
    ends: "createService, deleteService, deleteService",
  },
  "a fork that was renamed goes with its source, although another resource has its old name": {
    steps: [
      program(db({}, OLD_FIRST), copy("copy1")),
      up,
      program(db({}, OLD_FIRST), copy("copy2", { aliases: [{ name: "copy1" }] })),
      up,
      program(db({}, {}, "copy1"), db({}, { ...OLD_FIRST, dependsOn: "copy1" })),
      replaced,
    ],
    ends: "createService, createService, deleteService, deleteService",
  },
};
