// Handlers are not told which resource a call is about. What `check` was told is all there is, and inputs can be equal.

import { expect, test } from "vitest";
import { createUrns } from "../../provider/adapter/urns";

const inputs = { name: "duplicates", allowDuplicateName: true };
type Urns = ReturnType<typeof createUrns>;

/** The resource whose create this counts as. */
const createdAs = (urns: Urns, given: object): Promise<unknown> =>
  urns.create({ ...given }, ({ __urn }) => Promise.resolve(__urn));

/** The same of one that fails. */
const failedAs = async (urns: Urns, given: object): Promise<unknown> => {
  let urn: unknown;
  const refused = urns.create({ ...given }, (raw) => {
    urn = raw["__urn"];
    return Promise.reject(new Error("refused"));
  });
  await expect(refused).rejects.toThrow("refused");
  return urn;
};

const [a, b, c] = ["a", "b", "c"].map((name) => `urn:pulumi:dev::shop::type::${name}`);

test("of equals, the one that was checked as new is created, each of them once, and again the one that failed", async () => {
  const urns = createUrns();
  urns.remember(inputs, a, {});
  urns.remember(inputs, b, inputs);
  urns.remember(inputs, c, {});
  expect(await failedAs(urns, inputs)).toBe(a);
  expect(await createdAs(urns, inputs)).toBe(c);
  expect(await createdAs(urns, inputs)).toBe(a);
  expect(await createdAs(urns, inputs)).toBeUndefined();
});

test("what an error hook has given up is not created in place of an equal one, new or failed", async () => {
  const urns = createUrns();
  urns.remember(inputs, a, {});
  expect(await failedAs(urns, inputs)).toBe(a);
  urns.remember(inputs, b, {});
  expect(await failedAs(urns, inputs)).toBe(b);
  expect(await createdAs(urns, inputs)).toBe(b);
});

test("of equals, the one that the state names is compared and updated, in any order", () => {
  const urns = createUrns();
  urns.remember(inputs, a, inputs);
  urns.remember(inputs, b, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
  expect(urns.ofDiff("2", inputs, { __urn: b }).raw["__urn"]).toBe(b);
  expect(urns.ofUpdate("2", inputs, { __urn: b })["__urn"]).toBe(b);
  expect(urns.ofUpdate("1", inputs, { __urn: a })["__urn"]).toBe(a);
});

test("after a rename by an alias the new name counts, among equals too", () => {
  const urns = createUrns();
  urns.remember(inputs, a, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
  urns.remember(inputs, c, inputs);
  expect(urns.ofDiff("2", inputs, { __urn: b }).raw["__urn"]).toBe(c);
  expect(urns.ofUpdate("2", inputs, { __urn: b })["__urn"]).toBe(c);
});

test("of equals, each is compared with one object, also where the state gives both the same name after a rename", () => {
  const urns = createUrns();
  urns.remember(inputs, a, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
  urns.remember(inputs, b, inputs);
  expect(urns.ofDiff("2", inputs, { __urn: a }).raw["__urn"]).toBe(b);
  urns.remember(inputs, a, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
});

test("a dependent of what is replaced, which no check came before, is not the resource that has its old name by now", () => {
  const urns = createUrns();
  urns.remember(inputs, a, inputs);
  urns.ofDiff("1", inputs, { __urn: b });
  expect(urns.ofDiff("2", { name: "renamed" }, { __urn: a }).raw).toEqual({ name: "renamed" });
});

test("what is replaced is checked once more, as new, and no longer counts as there", async () => {
  const urns = createUrns();
  urns.remember(inputs, a, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
  urns.remember(inputs, a, {});
  expect(await createdAs(urns, inputs)).toBe(a);
});

test("a call that no check came before is about whom the state names", async () => {
  const urns = createUrns();
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
  expect(await createdAs(urns, { ...inputs, __urn: b })).toBe(b);
  expect(await createdAs(urns, inputs)).toBeUndefined();
});

test("inputs that changed after `check` belong to the check just before, and a create to the only one that is due", async () => {
  const urns = createUrns();
  urns.remember(inputs, a, inputs);
  expect(urns.ofDiff("1", { name: "by a policy" }, { __urn: b }).raw["__urn"]).toBe(a);
  urns.remember(inputs, c, {});
  expect(await createdAs(urns, { name: "by a policy" })).toBe(c);
});

test("of several open checks (PULUMI_PARALLEL_DIFF), inputs that a policy changed belong to that of whom the state names", () => {
  const urns = createUrns();
  urns.remember({ name: "a" }, a, { name: "a" });
  urns.remember({ name: "b" }, b, { name: "b" });
  expect(urns.ofDiff("3", { name: "of a dependent" }, { __urn: c }).raw["__urn"]).toBe(c);
  expect(urns.ofDiff("1", { name: "by a policy" }, { __urn: a }).raw["__urn"]).toBe(a);
  expect(urns.ofDiff("2", { name: "by a policy" }, { __urn: b }).raw["__urn"]).toBe(b);
});

test("a check without a name (`ignoreChanges: [*]`) is of whom the state names, and its replacement too", async () => {
  const urns = createUrns();
  urns.remember(inputs, undefined, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a })).toMatchObject({ raw: { __urn: a }, isUnnamed: true });
  urns.remember(inputs, undefined, {});
  expect(await createdAs(urns, inputs)).toBe(a);
});

test("a create that an error hook repeats is the same resource's, while another one is still to be created", async () => {
  const urns = createUrns();
  urns.remember(inputs, a, {});
  expect(await failedAs(urns, inputs)).toBe(a);
  const others = [
    [b, "other"],
    [c, inputs.name],
  ] as const;
  for (const [urn, name] of others) {
    urns.remember({ name }, urn, {});
    expect(await failedAs(urns, inputs)).toBe(a);
    expect(await createdAs(urns, { name })).toBe(urn);
  }
  expect(await createdAs(urns, inputs)).toBe(a);
});
