// Two resources of one program that would be one object to a person: an error in preview, where one of them is to be made.

import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import type { Values } from "../../../provider/domain/values/value";
import { check } from "../../../provider/lifecycle/handlers/check";
import { resources } from "../../../provider/lifecycle/resources/index";
import type { Resource } from "../../../provider/lifecycle/resources/resource";
import { Memory } from "../../../provider/lifecycle/view/runView";
import { textLike } from "../../support/matchers";
import { NET, PEER, setOf } from "../scene";

const { service, vpc, peering, readReplicaSet } = resources;

type Check = (name: string, news: Values, olds?: Values) => string[];

/** The checks of one run; `name` is the resource's name in the program. */
function program(resource: Resource): Check {
  const memory = new Memory();
  return (name, news, olds = {}) => {
    const account = { projectId: "p1" };
    return check(resource, { memory, adopt: [], account, identity: { key: name, name } }, olds, news).failures;
  };
}

const orders = { name: "orders" };
const DECLARED = textLike(/^name: service orders is declared twice, also by first.*`name`/);

describe("services of one name", () => {
  test("two new ones are an error that names the other and the ways out", () => {
    const checked = program(service);
    expect(checked("first", orders)).toEqual([]);
    expect(checked("second", orders)).toEqual([textLike(/also by first.*`allowDuplicateName: true`/)]);
    expect(checked("third", { name: "bills" })).toEqual([]);
  });

  test.each<[string, Values, Values]>([
    ["in different projects", orders, { ...orders, projectId: "p2" }],
    ["one of which is not known yet", orders, { name: UNKNOWN }],
    ["one of which allows it", orders, { ...orders, allowDuplicateName: true }],
    ["in a project that is not known yet", orders, { ...orders, projectId: UNKNOWN }],
  ])("no error: %s", (_name, first, second) => {
    const checked = program(service);
    expect([...checked("first", first), ...checked("second", second)]).toEqual([]);
  });

  test("the one that is to be made needs the word, whichever comes first", () => {
    const checked = program(service);
    expect(checked("first", orders)).toEqual([]);
    expect(checked("second", orders, orders)).toEqual([DECLARED]);
    const others = program(service);
    expect(others("first", { ...orders, allowDuplicateName: true })).toEqual([]);
    expect(others("second", orders, orders)).toEqual([]);
  });

  test("two that are there already may stay so, and no third gets their name", () => {
    const checked = program(service);
    expect([...checked("first", orders, orders), ...checked("second", orders, orders)]).toEqual([]);
    expect(checked("third", orders, { name: "bills" })).toEqual([DECLARED]);
    expect(checked("third", { ...orders, allowDuplicateName: true }, { name: "bills" })).toEqual([]);
  });

  test("two that are renamed to one name are an error, and two that exchange their names are none", () => {
    const checked = program(service);
    expect(checked("first", orders, { name: "carts" })).toEqual([]);
    expect(checked("second", orders, { name: "bills" })).toEqual([DECLARED]);
    const others = program(service);
    expect(others("first", { name: "bills" }, orders)).toEqual([]);
    expect(others("second", orders, { name: "bills" })).toEqual([]);
  });

  test("a new one may have the name that another gives up, whichever comes first", () => {
    const checked = program(service);
    expect([...checked("first", { name: "orders-old" }, orders), ...checked("second", orders)]).toEqual([]);
    const others = program(service);
    expect([...others("second", orders), ...others("first", { name: "orders-old" }, orders)]).toEqual([]);
  });

  test("one that is checked twice, as a replacement is, does not stand in its own way, and may give its name up", () => {
    const checked = program(service);
    const project = { ...orders, projectId: "p1" };
    expect([...checked("first", project, project), ...checked("first", project)]).toEqual([]);
    expect([...checked("first", { name: "bills" }), ...checked("second", orders)]).toEqual([]);
  });

  test("one that adopts an object makes none", () => {
    const checked = program(service);
    expect([...checked("first", orders, orders), ...checked("second", { ...orders, adoptId: "s" })]).toEqual([]);
  });
});

test.each<[string, Resource, Values, Values, RegExp]>([
  ["VPCs", vpc, NET, { cidr: "10.1.0.0/24" }, /^name: VPC net \(10.0.0.0\/24, us-east-1\) .*another `name`/],
  ["peerings", peering, { vpcId: "7", ...PEER }, { vpcId: UNKNOWN }, /^vpcId: peering .*VPC 7 .*Keep one of the two/],
  ["read replica sets", readReplicaSet, setOf({ id: "s1" }), { serviceId: "s2" }, /^name: .*readers of service s1 /],
])("%s are known by what makes them the same", (_what, resource, args, other, words) => {
  const checked = program(resource);
  expect([...checked("first", args), ...checked("second", { ...args, ...other })]).toEqual([]);
  expect(checked("third", args)).toEqual([textLike(words)]);
});
