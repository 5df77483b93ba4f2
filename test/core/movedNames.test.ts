// A name that moves from one database to another, as when the index of a list in the program shifts: the data stay where they
// are, and the database whose name was taken is deleted next.

import { beforeEach, expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import { textWith } from "../support/matchers";
import type { Kept } from "../support/world";
import { urn, useWorld, world } from "./scene";

useWorld();

let beta: Kept;
let gamma: Kept;

const service = (name: string, more: Values = {}): Promise<Kept> =>
  world.service.create({ name, regionCode: "us-east-1", ...urn(name), ...more });
const named = (kept: Kept, name: string, more: Values = {}): Values => ({
  name,
  regionCode: "us-east-1",
  __urn: kept.outputs["__urn"],
  ...more,
});
const said = (from: Kept, to: Kept, name: string): unknown => {
  const [old, next] = [from, to].map(({ id, outputs }) => `service ${String(outputs["name"])} (${id})`);
  return textWith(`the name "${name}" moves from ${old} to ${next}, but the data does not`);
};

beforeEach(async () => {
  [beta, gamma] = [await service("beta"), await service("gamma")];
  world.nextRun();
});

test("the preview names both, where a refresh has read the one that is no longer in the program", async () => {
  await world.service.refresh(gamma);
  world.service.preview(beta, named(beta, "gamma"));
  expect(world.warnings).toEqual([said(gamma, beta, "gamma")]);
});

test.each(["in this order", "in the other one"])("the preview names both of a swap, once each, %s", (order) => {
  const swap = [
    () => world.service.preview(beta, named(beta, "gamma")),
    () => world.service.preview(gamma, named(gamma, "beta")),
  ];
  for (const preview of order === "in this order" ? swap : swap.toReversed()) preview();
  expect(world.warnings).toHaveLength(2);
  expect(world.warnings).toEqual(expect.arrayContaining([said(gamma, beta, "gamma"), said(beta, gamma, "beta")]));
});

test.each(["before", "after"])("the preview says that a new one of the name is empty, checked %s", (when) => {
  const check = (): string[] =>
    world.service.check({ name: "gamma", regionCode: "us-east-1", ...urn("db-2") }).warnings;
  const before = when === "before" ? check() : [];
  world.service.preview(gamma, named(gamma, "delta"));
  const after = when === "after" ? check() : [];
  expect([...before, ...world.warnings, ...after]).toEqual([
    textWith(`the name "gamma" moves from service gamma (${gamma.id}) to a new one (EMPTY), but the data does not`),
  ]);
});

test("other names move in silence", () => {
  world.service.preview(beta, named(beta, "delta"));
  world.service.preview(gamma, named(gamma, "epsilon"));
  expect(world.warnings).toEqual([]);
});

/** What the check and the comparison of the next run bring, in this order. */
type Moves = readonly (() => unknown)[];

const protectedOne = (kept: Kept): Kept => ({ ...kept, outputs: { ...kept.outputs, deletionProtection: true } });
/** As a class gives it: what is protected stays so. */
const keeping = (kept: Kept, name: string): Values =>
  named(kept, name, kept.outputs["deletionProtection"] === true ? { deletionProtection: true } : {});
const getsIt = (): unknown => world.service.preview(beta, keeping(beta, "gamma"));
const losesIt = (): unknown => world.service.preview(gamma, keeping(gamma, "delta"));
const isMadeAnew = (): void => {
  const { failures } = world.service.check({ name: "gamma", regionCode: "us-east-1", ...urn("db-2") });
  if (failures[0] !== undefined) throw new Error(failures[0]);
};

test.each<[string, Moves]>([
  ["to another one, which is compared first", [getsIt, losesIt]],
  ["to another one, which is compared last", [losesIt, getsIt]],
  ["from one that only a refresh has seen", [() => world.service.refresh(gamma), getsIt]],
  ["to a new one, which is checked first", [isMadeAnew, losesIt]],
  ["to a new one, which is checked last", [losesIt, isMadeAnew]],
])("a preview fails where the name of a protected one moves %s", async (_where, moves) => {
  gamma = protectedOne(gamma);
  const [first, last] = moves;
  await first?.();
  const label = `service gamma (${gamma.id})`;
  expect(last).toThrow(`the name "gamma" moves from ${label} to `);
  expect(last).toThrow(`${label} is protected; nothing is changed`);
});

test.each<[string, Moves]>([
  ["compared first", [getsIt, losesIt]],
  ["compared last", [losesIt, getsIt]],
])("a preview fails where a protected one gets the name of another, %s, unless this run ends that", (_when, moves) => {
  beta = protectedOne(beta);
  const [first, last] = moves;
  first?.();
  expect(last).toThrow(`service beta (${beta.id}) is protected; nothing is changed`);
  world.restart();
  const unprotected = { ...beta, inputs: { ...beta.inputs, deletionProtection: true } };
  const ends = (): unknown => world.service.preview(unprotected, named(beta, "gamma", { deletionProtection: false }));
  for (const act of moves) (act === getsIt ? ends : act)();
  expect(world.warnings).toContainEqual(said(gamma, beta, "gamma"));
});

test("a name that an interrupted create has given already does not move, although a protected one has it too", async () => {
  const unseen = { ...beta, outputs: { ...beta.outputs, name: undefined, __pending: ["settle"] } };
  await world.service.refresh(protectedOne(gamma));
  world.service.preview(unseen, named(beta, "gamma"));
  expect(world.warnings).toEqual([textWith("the wait until it is settled")]);
});
