// The planners of VPCs, peerings and read replica sets, case by case.

import { describe, expect, test } from "vitest";
import type { ReadReplicaSetInputs } from "../../provider/kinds/readReplicaSet/inputs";
import { peering } from "../../provider/kinds/peering/definition";
import { readReplicaSetPlanner } from "../../provider/kinds/readReplicaSet/plan";
import type { Live, Wanted } from "../../provider/plan/step";
import { explain } from "./explain";
import { vpcPlanner } from "../../provider/kinds/vpc/plan";

const set: Live<ReadReplicaSetInputs> = {
  serviceId: "s1",
  name: "readers",
  nodes: 2,
  cpuMillis: 500,
  memoryGbs: 2,
  poolerEnabled: false,
  projectId: "p1",
};

test.each<[string, Wanted<ReadReplicaSetInputs>, string[]]>([
  ["nothing", {}, []],
  ["the size it has", { cpuMillis: 500, memoryGbs: 2 }, []],
  [
    "everything that can change",
    { poolerEnabled: true, memoryGbs: 4, cpuMillis: 1000, environment: "PROD" },
    [
      'setEnvironment: environment nothing → "PROD"',
      "resize: cpuMillis/memoryGbs 500/2 → 1000/4 (resize restarts the read replica set)",
      "enablePooler: poolerEnabled false → true",
    ],
  ],
  [
    "another project",
    { projectId: "p2" },
    ['projectId: cannot change from "p1" to "p2". A read replica set stays in the project of its service: keep it.'],
  ],
])("a read replica set: %s", (_name, wanted, expected) => {
  expect(explain(readReplicaSetPlanner.plan(wanted, set))).toEqual(expected);
});

const live = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1", projectId: "p1" };
test.each<[string, Wanted<typeof live>, string[]]>([
  ["nothing", {}, []],
  ["name", { name: "mesh" }, ['rename: name "net" → "mesh"']],
  [
    "another project",
    { projectId: "p2" },
    ['projectId: cannot change from "p1" to "p2". A VPC stays in its project: keep it, or declare another VPC.'],
  ],
])("a VPC: %s", (_name, wanted, expected) => {
  expect(explain(vpcPlanner.plan(wanted, live))).toEqual(expected);
});

describe("a peering", () => {
  test("has nothing that changes in place", () => {
    expect(peering.plan({ peerVpcId: "vpc-2", waitFor: "active" }, { peerVpcId: "vpc-1" }).steps).toEqual([]);
  });

  test("stays in its project", () => {
    expect(explain(peering.plan({ projectId: "p2" }, { projectId: "p1" }))).toEqual([
      'projectId: cannot change from "p1" to "p2". A peering stays in its project: keep it, or declare another peering.',
    ]);
  });
});
