// The comparison alone, on values written by hand: no server, no state of a run.

import { expect, test } from "vitest";
import { compareStack } from "../../../cli/drift/compare";
import { textWith } from "../../support/matchers";
import type { Outcome } from "../../../cli/drift/collect";
import type { Finding } from "../../../cli/drift/findings";
import { ignoring, sharedObjects } from "../../../cli/drift/objects";
import type { StateEntry } from "../../../cli/drift/state";

const recorded = {
  name: "orders",
  cpuMillis: 500,
  memoryGbs: 2,
  regionCode: "us-east-1",
  projectId: "prj0000001",
  status: "READY",
  endpoint: { host: "db.example", port: 5432 },
  __inputs: "cpuMillis,memoryGbs,name,regionCode",
  __version: 1,
};
const inputs = { name: "orders", cpuMillis: 500, memoryGbs: 2, regionCode: "us-east-1" };

const entry: StateEntry = {
  stack: "shop/dev",
  urn: "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::orders",
  name: "orders",
  kind: "Service",
  id: "svc1234567",
  inputs,
  isNameUncertain: false,
  outputs: recorded,
  secretInputs: [],
  ignores: [],
  isToBeDeleted: false,
  hasFailed: false,
};

function compare(outcome: Outcome, changes: Partial<StateEntry> = {}): Finding[] {
  const mine = { ...entry, ...changes };
  const stack = { name: "shop/dev", entries: [mine], unfinished: [] };
  return compareStack({ stack, readings: [{ entry: mine, outcome }] });
}

const read = (live: object): Outcome => ({
  is: "read",
  state: { ...recorded, ...live },
  inputs: { ...inputs, ...live },
});

test("a name that the program did not give is not compared, and one of which nobody knows it says so", () => {
  const renamed = read({ name: "by-hand" });
  const { name: _, ...unnamed } = inputs;
  expect(compare(renamed, { inputs: unnamed })).toEqual([]);
  const next = { action: "update", calls: ["rename"] };
  expect(compare(renamed)).toMatchObject([{ property: "name", next }]);
  const reason = textWith("only if the program gives the name");
  expect(compare(renamed, { isNameUncertain: true })).toMatchObject([{ property: "name", next: { ...next, reason } }]);
});

test("what the program ignores is shown as such, whole or in part, and the rest of it is repaired", () => {
  const haReplicas = { replicaCount: 1, syncReplicaCount: 0 };
  const more = { inputs: { ...inputs, haReplicas, regionCode: "us-east-1" }, outputs: { ...recorded, haReplicas } };
  const live = { cpuMillis: 4000, haReplicas: { replicaCount: 2, syncReplicaCount: 1 }, regionCode: "eu-west-1" };
  const found = (ignores: string[]): string[] =>
    compare(read(live), { ...more, ignores }).map((one) =>
      "property" in one ? `${one.category} ${one.property}` : one.category,
    );
  expect(found([])).toEqual(["changed cpuMillis", "changed regionCode", "changed haReplicas"]);
  expect(found(["cpuMillis", "regionCode", "paused"])).toEqual([
    "changed haReplicas",
    "ignored cpuMillis",
    "ignored regionCode",
  ]);
  expect(found(["*"])).toEqual(["ignored cpuMillis", "ignored regionCode", "ignored haReplicas"]);
  const [inPart] = compare(read({ haReplicas: live.haReplicas }), { ...more, ignores: ["haReplicas.replicaCount"] });
  expect(inPart).toMatchObject({
    property: "haReplicas",
    program: { replicaCount: 2, syncReplicaCount: 0 },
    next: { calls: ["setHA"] },
  });
});

test("what cannot change stops the next up, or replaces where the program allows it", () => {
  const elsewhere = read({ regionCode: "eu-west-1" });
  expect(compare(elsewhere)).toMatchObject([{ property: "regionCode", next: { action: "refused" } }]);
  const allowing = { ...inputs, allowReplace: true };
  const replaced = compare({ ...elsewhere, inputs: { ...allowing, regionCode: "eu-west-1" } } as Outcome, {
    inputs: allowing,
    outputs: { ...recorded, allowReplace: true, __inputs: `allowReplace,${recorded.__inputs}` },
  });
  expect(replaced).toMatchObject([
    {
      property: "regionCode",
      next: { action: "replace", effects: ["it is replaced by a new and EMPTY one"] },
    },
  ]);
});

test("one id in two kinds, in two projects, or in an entry to be deleted is no shared object", () => {
  const others: Partial<StateEntry>[] = [
    { kind: "Vpc" },
    { outputs: { ...recorded, projectId: "prj0000002" } },
    { isToBeDeleted: true },
  ];
  expect(sharedObjects([entry, ...others.map((other) => ({ ...entry, ...other }))])).toEqual([]);
  expect(sharedObjects([entry, { ...entry, stack: "shop/prod" }])).toHaveLength(1);
});

test.each([
  ["team-*", "team-b", true],
  ["team-*", "my-team-b", false],
  ["a.c", "abc", false],
  ["*", "", true],
  ["a*a", "a", false],
  ["*-b*-b", "a-b", false],
  ["*-b*-b", "a-b-b", true],
  ["s*1234567", "", true],
  ["*x*x*y*", "x".repeat(100_000), false],
])("the pattern %s and the name %j: %j", (pattern, objectName, fits) => {
  expect(ignoring([pattern])({ id: "svc1234567", objectName })).toBe(fits);
});
