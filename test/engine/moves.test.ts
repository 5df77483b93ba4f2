// A service that moves, on the real engine: the preview says what a VPC that is not known yet brings, the read replica
// sets come along in the same run, and what depends on them gets the new addresses.

import { expect, test } from "vitest";
import { ReadReplicaSet, Service, Vpc } from "../../provider/index";
import { type EngineWorld } from "../support/engineWorld";
import { httpClientFor } from "../emulator/support/httpClient";
import { useEngineWorld, world } from "./world";

const small = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;

useEngineWorld();

const program = (cidr?: string) => () => {
  const net = cidr === undefined ? undefined : new Vpc("net", { cidr, regionCode: "us-east-1" });
  const db = new Service("db", { ...small, environment: "PROD", deletionProtection: false, vpcId: net?.vpcId });
  const readers = new ReadReplicaSet("readers", {
    serviceId: db.serviceId,
    nodes: 1,
    cpuMillis: 500,
    memoryGbs: 2,
  });
  return { replica: readers.endpoint.apply((endpoint) => endpoint?.host) };
};

test("a service moves into a VPC, and into its replacement: the address of the replica set is updated, as the preview says", async () => {
  const stack = await world.open(program(), { project: "moves" });
  await stack.up();
  const hosts = [await hostOf(stack)];

  for (const [cidr, said] of [
    ["10.0.0.0/24", /vpcId is not known yet; .*attaching moves host/],
    ["10.1.0.0/24", /vpcId is not known yet; .*detaching moves host/],
  ] as const) {
    stack.program(program(cidr));
    const preview = await stack.preview();
    expect(preview.steps).toEqual(expect.arrayContaining(["update db", "update readers"]));
    expect(preview.text).toMatch(said);
    expect(preview.text).toContain("its service may move");
    const up = await stack.up();
    expect(up.steps).toEqual(expect.arrayContaining(["update db", "update readers"]));
    hosts.push(await hostOf(stack));
    expect(await stack.preview({ refresh: true })).toMatchObject({ steps: [], calls: [] });
  }
  expect(new Set(hosts).size).toBe(3);
});

/** The exported address, which must be the one that the server shows. */
async function hostOf(stack: Awaited<ReturnType<EngineWorld["open"]>>): Promise<string> {
  const { replica } = await stack.stack.outputs();
  const shown = await httpClientFor(world.emulator).askList(`/projects/${world.emulator.projectId}/services`);
  expect(shown).toMatchObject([{ read_replica_sets: [{ endpoint: { host: replica?.value as unknown } }] }]);
  return String(replica?.value);
}
