// The URN of a resource as programs send it and as states keep it.

import { expect, test } from "vitest";
import { defaultNameOf, hiddenDifferences, identityOf, urnIn, withUrn } from "../../provider/host/hidden";

const SERVICE = "pulumi-nodejs:dynamic/dbcloud:Service";

test.each([
  ["a resource of the stack", `urn:pulumi:dev::shop::${SERVICE}::orders`, "dev::shop::Service::orders"],
  ["a child", `urn:pulumi:dev::shop::my:index:App$${SERVICE}::orders`, "dev::shop::my:index:App$Service::orders"],
  ["a name with colons", `urn:pulumi:dev::shop::${SERVICE}::a::b`, "dev::shop::Service::a::b"],
  ["another type", "urn:pulumi:dev::shop::other:index:Thing::a", "urn:pulumi:dev::shop::other:index:Thing::a"],
  ["no URN", "nothing", "nothing"],
])("the state keeps the URN of %s without what all have", (_what, urn, kept) => {
  const state = withUrn({ name: "x" }, { __urn: urn });
  expect(state).toEqual({ name: "x", __urn: kept });
  expect(urnIn(state)).toBe(urn);
  expect(withUrn({}, state)).toEqual({ __urn: kept });
});

test("the two forms of one URN are the same resource", () => {
  const whole = { __urn: `urn:pulumi:dev::shop::${SERVICE}::orders` };
  const short = withUrn({}, whole);
  expect(hiddenDifferences(short, whole)).toEqual({ isOtherEntry: false, isOtherIdentity: false });
  expect(hiddenDifferences(whole, whole).isOtherIdentity).toBe(false);
  expect(hiddenDifferences(short, { __urn: `${whole.__urn}2` }).isOtherIdentity).toBe(true);
  expect(identityOf(short)).toEqual({ key: whole.__urn, name: "orders", stack: "shop/dev" });
});

test("the default name is made of the URN, unless an older program says it", () => {
  const __urn = `urn:pulumi:dev::shop::my:index:App$${SERVICE}::orders`;
  expect(defaultNameOf({ __urn })).toEqual({ defaultName: "shop-orders-dev" });
  expect(defaultNameOf({ __urn: __urn.replace("::orders", "::shop-orders") })).toEqual({
    defaultName: "shop-orders-dev",
  });
  expect(defaultNameOf({ __urn: __urn.replace("::orders", "::shop") })).toEqual({ defaultName: "shop-dev" });
  expect(defaultNameOf({ __urn: __urn.replace("::orders", "::shopping") })).toEqual({
    defaultName: "shop-shopping-dev",
  });
  expect(defaultNameOf({ __urn, __defaultName: "said" })).toEqual({ defaultName: "said" });
  expect(defaultNameOf({})).toEqual({ defaultName: undefined });
});
