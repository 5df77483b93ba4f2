import { expect, test } from "vitest";
import type { ImportableObject } from "../../cli/inventory";
import { nameAll } from "../../cli/names";

function found(
  kind: ImportableObject["kind"],
  id: string,
  inputs: ImportableObject["inputs"],
  parent: object = {},
): ImportableObject {
  return {
    kind,
    id,
    inputs,
    scope: { projectId: "p1", ...parent },
    isProtected: false,
    title: id,
    condition: "settled",
  };
}

const namesOf = (all: ImportableObject[]): [string, string][] =>
  [...nameAll(all).values()].map(({ logical, variable }) => [logical, variable]);

test.each([
  ["orders", "orders", "ordersService"],
  ["Orders DB", "Orders-DB", "ordersDBService"],
  ["été/1", "ete-1", "ete1Service"],
  ["4 you", "4-you", "service4You"],
  ["class", "class", "classService"],
  ["-", "service", "service"],
  ["数据库", "service", "service"],
  ["Orders-Service", "Orders-Service", "ordersService"],
  ["4-service", "4-service", "service4Service"],
  ["a_b.c", "a_b.c", "aBCService"],
  ["../../etc", "etc", "etcService"],
])("a service called %j is %s, or %s as a variable", (name, logical, variable) => {
  expect(namesOf([found("service", "s1", { name })])).toEqual([[logical, variable]]);
});

test("logical names are unique among one type, variables among all", () => {
  const all = [
    found("vpc", "1", { name: "main" }),
    found("vpc", "2", { name: "main" }),
    found("vpc", "3", { name: "main-2" }),
    found("service", "s1", { name: "main" }),
    found("service", "s2", { name: "Main" }),
    found("readReplicaSet", "r1", { name: "main" }, { serviceId: "s1" }),
  ];
  expect(namesOf(all)).toEqual([
    ["main", "mainVpc"],
    ["main-2", "main2Vpc"],
    ["main-2-2", "main22Vpc"],
    ["main", "mainService"],
    ["Main", "mainService2"],
    ["main", "mainReaders"],
  ]);
});

test("a peering is named after its VPC and its peer", () => {
  const vpc = found("vpc", "1", { name: "Main net" });
  const peering = found("peering", "7", { vpcId: "1", peerVpcId: "vpc-0a" }, { vpcId: "1" });
  expect(namesOf([vpc, peering])[1]).toEqual(["Main-net-vpc-0a", "mainNetVpc0aPeering"]);
  expect(namesOf([peering])).toEqual([["vpc-0a", "vpc0aPeering"]]);
});

test("a name of any length costs no more than its length", () => {
  // With a cost that grows with the square of it, these would take minutes.
  for (const name of [
    "-.".repeat(300_000),
    `a${"-.".repeat(300_000)}b`,
    "\u0301".repeat(500_000),
    "\ufdfa".repeat(300_000),
  ]) {
    const [[logical] = [""]] = namesOf([found("service", "s1", { name })]);
    expect(logical.length).toBeLessThanOrEqual(100);
    expect(logical).not.toMatch(/^[-.]|[-.]$/);
  }
  expect(namesOf([found("service", "s1", { name: `${"x".repeat(99)}-y` })])[0]?.[0]).toBe("x".repeat(99));
});

test("thousands of one name cost no more than their number", () => {
  const all = Array.from({ length: 20_000 }, (_, index) => found("service", `s${index}`, { name: "db" }));
  const names = namesOf(all);
  expect(names.at(-1)).toEqual(["db-20000", "db20000Service"]);
  expect(new Set(names.map(([logical]) => logical)).size).toBe(20_000);
  expect(new Set(names.map(([, variable]) => variable)).size).toBe(20_000);
});
