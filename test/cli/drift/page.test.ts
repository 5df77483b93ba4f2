// The document of a report: each finding of each category, and the objects that it is about, with what manages them.

import { expect, test } from "vitest";
import { reportedVpc } from "../../../provider/kinds/vpc/reported.definition";
import type { LiveObject, LiveProject } from "../../../cli/drift/collect";
import { pageOf } from "../../../cli/drift/page";
import { CATEGORIES, type Finding, reportOf } from "../../../cli/drift/findings";
import type { StateEntry } from "../../../cli/drift/state";
import { documentSchema } from "../../../page/schema";

const place = { stack: "shop/prod", urn: "urn:orders", name: "orders", type: "Service", id: "s1" } as const;
const next = { action: "update", calls: ["resize"], effects: ["resize restarts the service"] } as const;

const findings: readonly Finding[] = [
  { category: "unknown", about: [], reason: "the API cannot be reached", remedy: "Try again." },
  {
    category: "changed",
    ...place,
    property: "cpuMillis",
    program: 1_000,
    live: 500,
    next: { ...next, calls: ["resize"], effects: [...next.effects] },
  },
  {
    category: "changed",
    ...place,
    property: "haReplicas",
    program: { replicaCount: 1 },
    live: { replicaCount: 2 },
    next: { action: "nothing", calls: [], effects: [] },
  },
  { category: "moved", ...place, property: "endpoint", recorded: { host: "a", port: 1 }, live: { host: "b", port: 2 } },
  {
    category: "missing",
    ...place,
    urn: "urn:lost",
    name: "lost",
    id: "s9",
    next: { action: "create", calls: [], effects: ["a new and EMPTY service is made"] },
  },
  { category: "unprotected", ...place, lost: "tag", recorded: "PROD", live: "DEV", meaning: "the tag PROD is gone" },
  { category: "attention", ...place, status: "UNSTABLE", meaning: "ask the vendor" },
  { category: "ignored", ...place, property: "memoryGbs", program: 4, live: 2 },
  { category: "owed", ...place, steps: ["setHA"] },
  {
    category: "shared",
    type: "Service",
    id: "s1",
    objectName: "orders",
    holders: [
      { stack: "a", urn: "u", name: "x" },
      { stack: "b", urn: "v", name: "y" },
    ],
  },
  { category: "unmanaged", type: "Peering", id: "p1", projectId: "p", parentId: "v1" },
  { category: "unmanaged", type: "Vpc", id: "v'1", projectId: "p" },
];

const entry = (given: Partial<StateEntry>): StateEntry => ({
  stack: "shop/prod",
  urn: "urn:orders",
  name: "orders",
  kind: "Service",
  id: "s1",
  inputs: {},
  isNameUncertain: false,
  outputs: {},
  secretInputs: [],
  ignores: [],
  isToBeDeleted: false,
  hasFailed: false,
  ...given,
});

const vpc: LiveObject = {
  key: "Vpc/v1",
  kind: "Vpc",
  id: "v1",
  name: "main",
  item: reportedVpc({ vpcId: "v1", name: "main", cidr: "10.0.0.0/24", regionCode: "us-east-1" }, { projectId: "p" }),
  scope: { projectId: "p" },
  condition: "settled",
  values: { cidr: "10.0.0.0/24", regionCode: "us-east-1" },
};

const service: LiveObject = {
  key: "Service/s1",
  kind: "Service",
  id: "s1",
  name: "orders",
  item: reportedVpc({ vpcId: "s1", name: "orders", cidr: "", regionCode: "us-east-1" }, { projectId: "p" }),
  scope: { projectId: "p" },
  condition: "pending",
  values: {
    status: "UNSTABLE",
    regionCode: "us-east-1",
    created: "2026-01-01T00:00:00Z",
    vpcId: "v1",
    forkedFrom: { serviceId: "s0", projectId: "p" },
  },
};

const live: LiveProject = {
  projectId: "p",
  objects: [
    vpc,
    { ...vpc, key: "Peering/p1", kind: "Peering", id: "p1", parent: vpc, values: { status: "active" } },
    service,
    { ...service, key: "ReadReplicaSet/r1", kind: "ReadReplicaSet", id: "r1", parent: service, values: { nodes: 2 } },
  ],
  problems: [],
};

const report = reportOf(
  { stacks: [{ name: "shop/prod", resources: 2 }], projects: ["p"], findings: [...findings] },
  [],
  0,
);
const page = pageOf(report, [live], [entry({}), entry({ urn: "urn:lost", name: "lost", id: "s9" })]);

test("each finding of the report stands in the document, in its order and with its consequence", () => {
  expect(documentSchema.parse(page)).toEqual(page);
  expect(new Set(findings.map(({ category }) => category))).toEqual(new Set(CATEGORIES));
  expect(page.findings.map(({ category }) => category)).toEqual(report.findings.map(({ category }) => category));
  const found = (title: string) => page.findings.find((one) => one.title === title);
  expect(found("orders: cpuMillis")).toMatchObject({
    next: "repairs it: resize; resize restarts the service",
    keep: "to keep it: `cpuMillis: 500`",
  });
  expect(found("orders: haReplicas")).toMatchObject({
    program: '{"replicaCount":1}',
    live: '{"replicaCount":2}',
  });
  expect(found("lost is gone")).toMatchObject({
    about: ["Service/s9"],
    next: "creates it again; a new and EMPTY service is made",
  });
  expect(page.findings.flatMap(({ command }) => command ?? [])).toEqual([
    "npx pulumi-dbcloud import peering:v1/p1",
    String.raw`npx pulumi-dbcloud import 'vpc:v'\''1'`,
  ]);
});

test("the objects are the live ones, and those that a stack has and the project does not", () => {
  expect(
    page.objects.map(({ key, condition, managedBy = [] }) => [
      key,
      condition,
      managedBy.map(({ resource }) => resource),
    ]),
  ).toEqual([
    ["Vpc/v1", "settled", []],
    ["Peering/p1", "settled", []],
    ["Service/s1", "failed", ["orders"]],
    ["ReadReplicaSet/r1", "moving", []],
    ["Service/s9", "gone", ["lost"]],
  ]);
  expect(page.relations).toEqual([
    { is: "of", from: "Peering/p1", to: "Vpc/v1" },
    { is: "in", from: "Service/s1", to: "Vpc/v1" },
    { is: "forkOf", from: "Service/s1", to: "Service/s0" },
    { is: "of", from: "ReadReplicaSet/r1", to: "Service/s1" },
  ]);
});
