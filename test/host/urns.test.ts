// Handlers are not told which resource a call is about. What `check` was told is all there is, and inputs can be equal.

import { beforeEach, expect, test } from "vitest";
import { createUrns } from "../../provider/host/urns";

let urns: ReturnType<typeof createUrns>;
beforeEach(() => void (urns = createUrns()));

const inputs = { name: "duplicates", poolerEnabled: true };

/** The resource whose create this counts as. */
const createdAs = (given: object): Promise<unknown> => urns.create({ ...given }, ({ __urn }) => Promise.resolve(__urn));

/** The same of one that fails. */
const failedAs = async (given: object): Promise<unknown> => {
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
  urns.remember(inputs, a, {});
  urns.remember(inputs, b, inputs);
  urns.remember(inputs, c, {});
  expect(await failedAs(inputs)).toBe(a);
  expect(await createdAs(inputs)).toBe(c);
  expect(await createdAs(inputs)).toBe(a);
  expect(await createdAs(inputs)).toBeUndefined();
});

test("what an error hook has given up is not created in place of an equal one, new or failed", async () => {
  urns.remember(inputs, a, {});
  expect(await failedAs(inputs)).toBe(a);
  urns.remember(inputs, b, {});
  expect(await failedAs(inputs)).toBe(b);
  expect(await createdAs(inputs)).toBe(b);
});

test("of equals, the one that the state names is compared and updated, in any order", () => {
  urns.remember(inputs, a, inputs);
  urns.remember(inputs, b, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
  expect(urns.ofDiff("2", inputs, { __urn: b }).raw["__urn"]).toBe(b);
  expect(urns.ofUpdate("2", inputs, { __urn: b })["__urn"]).toBe(b);
  expect(urns.ofUpdate("1", inputs, { __urn: a })["__urn"]).toBe(a);
});

test.each([
  ["the new name counts", b],
  ["the new name counts where the state gives both the same one", a],
])("of equals, after a rename by an alias, each is compared with one object, and %s", (_how, former) => {
  urns.remember(inputs, a, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
  urns.remember(inputs, c, inputs);
  expect(urns.ofDiff("2", inputs, { __urn: former }).raw["__urn"]).toBe(c);
  expect(urns.ofUpdate("2", inputs, { __urn: former })["__urn"]).toBe(c);
  urns.remember(inputs, a, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
});

test("a dependent of what is replaced, which no check came before, is not the resource that has its old name by now", () => {
  urns.remember(inputs, a, inputs);
  urns.ofDiff("1", inputs, { __urn: b });
  expect(urns.ofDiff("2", { name: "renamed" }, { __urn: a }).raw).toEqual({ name: "renamed" });
});

test("what is replaced is checked once more, as new, and no longer counts as there", async () => {
  urns.remember(inputs, a, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
  urns.remember(inputs, a, {});
  expect(await createdAs(inputs)).toBe(a);
});

test("what is forced to be replaced, which no call says whose it is, is not the resource that was compared before it", async () => {
  urns.remember(inputs, a, inputs);
  urns.ofDiff("1", inputs, { __urn: a });
  const hidden = { name: "hidden" };
  urns.remember(hidden, undefined, hidden);
  urns.remember(hidden, undefined, {});
  expect(await createdAs(hidden)).toBeUndefined();
});

test("a call that no check came before is about whom the state names", async () => {
  expect(urns.ofDiff("1", inputs, { __urn: a }).raw["__urn"]).toBe(a);
  expect(await createdAs({ ...inputs, __urn: b })).toBe(b);
  expect(await createdAs(inputs)).toBeUndefined();
});

test("inputs that changed after `check` belong to the check just before, and a create to the only one that is due", async () => {
  urns.remember(inputs, a, inputs);
  expect(urns.ofDiff("1", { name: "by a policy" }, { __urn: b }).raw["__urn"]).toBe(a);
  urns.remember(inputs, c, {});
  expect(await createdAs({ name: "by a policy" })).toBe(c);
});

test("of several open checks (PULUMI_PARALLEL_DIFF), inputs that a policy changed belong to that of whom the state names", () => {
  urns.remember({ name: "a" }, a, { name: "a" });
  urns.remember({ name: "b" }, b, { name: "b" });
  expect(urns.ofDiff("3", { name: "of a dependent" }, { __urn: c }).raw["__urn"]).toBe(c);
  expect(urns.ofDiff("1", { name: "by a policy" }, { __urn: a }).raw["__urn"]).toBe(a);
  expect(urns.ofDiff("2", { name: "by a policy" }, { __urn: b }).raw["__urn"]).toBe(b);
});

test("a check without a name (`ignoreChanges: [*]`) is of whom the state names, and its replacement too", async () => {
  urns.remember(inputs, undefined, inputs);
  expect(urns.ofDiff("1", inputs, { __urn: a })).toMatchObject({ raw: { __urn: a }, isUnnamed: true });
  urns.remember(inputs, undefined, {});
  expect(await createdAs(inputs)).toBe(a);
});

test("a create that an error hook repeats is the same resource's, while another one is still to be created", async () => {
  urns.remember(inputs, a, {});
  expect(await failedAs(inputs)).toBe(a);
  const others = [
    [b, "other"],
    [c, inputs.name],
  ] as const;
  for (const [urn, name] of others) {
    urns.remember({ name }, urn, {});
    expect(await failedAs(inputs)).toBe(a);
    expect(await createdAs({ name })).toBe(urn);
  }
  expect(await createdAs(inputs)).toBe(a);
});
