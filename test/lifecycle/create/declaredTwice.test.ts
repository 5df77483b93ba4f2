// Two resources of one program that would be one object to a person: an error in preview, where one of them is to be made.

import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import { check } from "../../../provider/lifecycle/handlers/check";
import { Memory } from "../../../provider/lifecycle/view/runView";
import { peering } from "../../../provider/lifecycle/resources/peering";
import { readReplicaSet } from "../../../provider/lifecycle/resources/readReplicaSet";
import type { Resource } from "../../../provider/lifecycle/resources/resource";
import type { Values } from "../../../provider/domain/values/value";
import { service } from "../../../provider/lifecycle/resources/service";
import { vpc } from "../../../provider/lifecycle/resources/vpc";

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
const DECLARED = "name: service orders is declared twice, also by first. Give one of them another `name`";

describe("services of one name", () => {
  test("two new ones are an error that names the other and the ways out", () => {
    const checked = program(service);
    expect(checked("first", orders)).toEqual([]);
    expect(checked("second", orders)).toEqual([`${DECLARED}, or set \`allowDuplicateName: true\`.`]);
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
    expect(checked("second", orders, orders)).toEqual([expect.stringContaining(DECLARED)]);
    const others = program(service);
    expect(others("first", { ...orders, allowDuplicateName: true })).toEqual([]);
    expect(others("second", orders, orders)).toEqual([]);
  });

  test("two that are there already may stay so, and no third gets their name", () => {
    const checked = program(service);
    expect([...checked("first", orders, orders), ...checked("second", orders, orders)]).toEqual([]);
    expect(checked("third", orders, { name: "bills" })).toEqual([expect.stringContaining(DECLARED)]);
    expect(checked("third", { ...orders, allowDuplicateName: true }, { name: "bills" })).toEqual([]);
  });

  test("two that are renamed to one name are an error, and two that exchange their names are none", () => {
    const checked = program(service);
    expect(checked("first", orders, { name: "carts" })).toEqual([]);
    expect(checked("second", orders, { name: "bills" })).toEqual([expect.stringContaining(DECLARED)]);
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

  test("one that is checked twice, as a replacement is, does not stand in its own way", () => {
    const checked = program(service);
    const project = { ...orders, projectId: "p1" };
    expect([...checked("first", project, project), ...checked("first", project)]).toEqual([]);
  });

  test("a name that is given up is free, also for one that was checked before", () => {
    const checked = program(service);
    expect(checked("first", orders)).toEqual([]);
    expect(checked("first", { name: "bills" })).toEqual([]);
    expect(checked("second", orders)).toEqual([]);
  });

  test("one that adopts an object makes none", () => {
    const checked = program(service);
    expect(checked("first", orders, orders)).toEqual([]);
    expect(checked("second", { ...orders, adoptId: "svc1234567" })).toEqual([]);
  });
});

test("VPCs, peerings and read replica sets are known by what makes them the same", () => {
  const net = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
  const vpcs = program(vpc);
  expect([...vpcs("first", net), ...vpcs("second", { ...net, cidr: "10.1.0.0/24" })]).toEqual([]);
  expect(vpcs("third", net)).toEqual([
    "name: VPC net (10.0.0.0/24, us-east-1) is declared twice, also by first. Give one of them another `name`.",
  ]);
  const peer = { vpcId: "7", peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
  const peerings = program(peering);
  expect([...peerings("first", peer), ...peerings("second", { ...peer, vpcId: UNKNOWN })]).toEqual([]);
  expect(peerings("third", peer)).toEqual([
    "vpcId: peering between VPC 7 and vpc-1 of account 1 in us-east-1 is declared twice, also by first. Keep one of the two.",
  ]);
  const readers = { serviceId: "s1", name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
  const sets = program(readReplicaSet);
  expect([...sets("first", readers), ...sets("second", { ...readers, serviceId: "s2" })]).toEqual([]);
  expect(sets("third", readers)).toEqual([
    expect.stringContaining("readers of service s1 is declared twice, also by first"),
  ]);
});
