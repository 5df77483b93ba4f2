// Two resources of one program that would be one object to a person: an error in preview, where one of them is to be made.

import { expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import { check } from "../../provider/core/check";
import { resources } from "../../provider/kinds/index";
import type { Resource } from "../../provider/core/kind";
import { Memory } from "../../provider/core/runView";
import { textLike } from "../support/matchers";
import { NET, PEER, setOf } from "./scene";

const { service, vpc, peering, readReplicaSet } = resources;

/** The name of a resource in the program, what it says, what it said before, and what its check refuses. */
type Call = [name: string, news: Values, olds?: Values, refusal?: RegExp];

/** What each check of one run refuses. */
function failuresIn(resource: Resource, calls: Call[]): string[][] {
  const memory = new Memory();
  return calls.map(([name, news, olds = {}]) => {
    const context = { memory, adopt: [], account: { projectId: "p1" }, identity: { key: name, name } };
    return check(resource, context, olds, news).failures;
  });
}

const refusalsOf = (calls: Call[]): unknown[][] =>
  calls.map(([, , , refusal]) => (refusal === undefined ? [] : [textLike(refusal)]));

const orders = { name: "orders" };
const [bills, carts, old] = [{ name: "bills" }, { name: "carts" }, { name: "orders-old" }];
const project = { ...orders, projectId: "p1" };
const DECLARED = /^name: service orders is declared twice, also by first[^]*another `name`/;

test.each<[string, ...Call[]]>([
  ["are an error where both are new", ["first", orders], ["second", orders, {}, DECLARED], ["third", bills]],
  ["are none in different projects", ["first", orders], ["second", { ...orders, projectId: "p2" }]],
  ["are none in a project that is not known yet", ["first", orders], ["second", { ...orders, projectId: UNKNOWN }]],
  ["are none where one is not known yet", ["first", orders], ["second", { name: UNKNOWN }]],
  ["are an error where only the first one is new", ["first", orders], ["second", orders, orders, DECLARED]],
  [
    "may stay so where they are there already, and no third gets the name",
    ["first", orders, orders],
    ["second", orders, orders],
    ["third", orders, bills, DECLARED],
  ],
  ["are an error where both are renamed", ["first", orders, carts], ["second", orders, bills, DECLARED]],
  ["are none where two exchange their names", ["first", bills, orders], ["second", orders, bills]],
  ["are none where one gives the name up", ["first", old, orders], ["second", orders]],
  ["are none where one gives the name up later", ["second", orders], ["first", old, orders]],
  ["are none where one is checked twice, as a replacement is", ["first", project, project], ["first", project]],
  ["are none where the second check gives the name up", ["first", project], ["first", bills], ["second", orders]],
  ["are none where one adopts an object", ["first", orders, orders], ["second", { ...orders, adoptId: "s" }]],
])("services of one name %s", (_name, ...calls) => {
  expect(failuresIn(service, calls)).toEqual(refusalsOf(calls));
});

test.each<[string, Resource, Values, Values, RegExp]>([
  ["VPCs", vpc, NET, { cidr: "10.1.0.0/24" }, /^name: VPC net \(10.0.0.0\/24, us-east-1\) [^]*another `name`/],
  ["peerings", peering, { vpcId: "7", ...PEER }, { vpcId: UNKNOWN }, /^vpcId: peering .*VPC 7 [^]*Keep one of the two/],
  ["read replica sets", readReplicaSet, setOf({ id: "s1" }), { serviceId: "s2" }, /^name: .*readers of service s1 /],
])("%s are known by what makes them the same", (_what, resource, args, other, words) => {
  const calls: Call[] = [
    ["first", args],
    ["second", { ...args, ...other }],
    ["third", args, {}, words],
  ];
  expect(failuresIn(resource, calls)).toEqual(refusalsOf(calls));
});
