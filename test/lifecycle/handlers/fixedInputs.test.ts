// What can never change: an error before anything happens, with the property, both values and the remedy; a previewed
// replacement where the program allows one; and refused all the same while the service is protected.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type Kept, type World } from "../../support/world";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const URN = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::orders";
const BASE = { name: "orders", regionCode: "us-east-1", addons: ["time-series"], projectId: "proj000001" };

const CHANGES: Record<string, { to: Values; property: string; says: string[] }> = {
  region: {
    to: { regionCode: "eu-west-1" },
    property: "regionCode",
    says: ['from "us-east-1" to "eu-west-1"', "`allowReplace: true`"],
  },
  addons: { to: { addons: [] }, property: "addons", says: ['from ["time-series"] to []', "`allowReplace: true`"] },
  project: {
    to: { projectId: "p2" },
    property: "projectId",
    says: ['from "proj000001" to "p2"', "stays in its project"],
  },
  shared: {
    to: { cpuMillis: "shared", memoryGbs: "shared" },
    property: "cpuMillis",
    says: ['from 500 to "shared"', "`forkFrom`"],
  },
};

describe.each(Object.entries(CHANGES))("%s", (_name, { to, property, says }) => {
  test("is an error in preview that names it, both values and the remedy", async () => {
    const kept = await world.service.create({ ...BASE, cpuMillis: 500, memoryGbs: 2 });
    for (const word of [`${property}: cannot change`, ...says]) expect(errorOf(kept, to)).toContain(word);
    expect(calledFor(kept)).toEqual([]);
  });

  test("is found by the outputs too, where the program never said it before", async () => {
    const kept = await world.service.create({ name: "orders" });
    const given = { ...to, ...(property === "cpuMillis" ? {} : { name: "orders" }) };
    expect(errorOf(kept, given)).toContain(`${property}: cannot change`);
  });

  test("with allowReplace it is a replacement, the new one first", async () => {
    const args = { ...BASE, cpuMillis: 500, memoryGbs: 2, __urn: URN };
    const kept = await world.service.create(args);
    world.restart();
    const next = { ...args, ...to, allowReplace: true };
    expect(world.service.preview(kept, next)).toMatchObject({ replaces: [property], isOldFirst: false });
    expect(world.warnings.at(-1)).toMatch(/service orders .* is replaced: its data are lost with the old one/);
    // Another project needs another emulator; everything else is really replaced, under the very same name.
    if (property === "projectId") return;
    const made = await world.service.replace(kept, next);
    const deletions = world.emulator.ledger().filter((entry) => entry.kind === "service");
    expect(deletions.map((entry) => [entry.operation, entry.id])).toEqual([
      ["createService", kept.id],
      ["createService", made.id],
      ["deleteService", kept.id],
    ]);
  });

  test("with onDelete stop the data are said to stay", async () => {
    const args = { ...BASE, cpuMillis: 500, memoryGbs: 2, onDelete: "stop" };
    const kept = await world.service.create(args);
    world.service.preview(kept, { ...args, ...to, allowReplace: true });
    expect(world.warnings.at(-1)).toContain("the old one is stopped and left, with its data");
  });

  test("under deletionProtection not even then", async () => {
    const args = { ...BASE, cpuMillis: 500, memoryGbs: 2, deletionProtection: true };
    const kept = await world.service.create(args);
    const next = { ...args, ...to, allowReplace: true, deletionProtection: false };
    expect(() => world.service.preview(kept, next)).toThrow("protected against deletion");
  });
});

describe("addons that the program requested", () => {
  const BOTH = { ...BASE, addons: ["time-series", "ai"], __urn: URN };

  test.each<[string, string[], string[]]>([
    ["one more", ["time-series"], ["time-series", "ai"]],
    ["one less", ["time-series", "ai"], ["time-series"]],
    ["another beside none", [], ["ai"]],
  ])("%s cannot change, also where the server shows no difference", async (_name, from, to) => {
    const kept = await world.service.create({ ...BASE, addons: from });
    expect(errorOf(kept, { addons: to })).toContain(
      `addons: cannot change from ${JSON.stringify(from)} to ${JSON.stringify(to)}. `,
    );
    const allowed = { ...BASE, addons: to, allowReplace: true, __urn: URN };
    expect(world.service.preview(kept, allowed)).toMatchObject({ replaces: ["addons"], operations: [] });
    world.restart();
    const made = await world.service.replace(kept, allowed);
    expect(made.outputs["addons"]).toEqual(to);
    expect(made.id).not.toBe(kept.id);
    const asked = world.emulator.requests().filter((request) => request.operation === "createService");
    expect(asked.map((request) => (request.body as Values)["addons"])).toEqual([from, to]);
  });

  test("stay known when the program says nothing of them for a while", async () => {
    const kept = await world.service.create({ ...BASE, addons: ["time-series"] });
    const { addons: _addons, ...rest } = BASE;
    const dropped = await world.service.update(kept, rest);
    expect(errorOf(dropped, { addons: ["time-series", "ai"] })).toContain("addons: cannot change");
    const refreshed = (await world.service.refresh(dropped)) ?? dropped;
    expect(errorOf(refreshed, { addons: ["time-series", "ai"] })).toContain("addons: cannot change");
  });

  test("in another order are the same", async () => {
    const kept = await world.service.create(BOTH);
    const turned = { ...BOTH, addons: ["ai", "time-series"] };
    expect(world.service.preview(kept, turned)).toMatchObject({ changes: false, replaces: [], operations: [] });
    expect(world.service.preview(kept, { ...turned, allowReplace: true }).replaces).toEqual([]);
  });

  test("where nothing was asked, the type of the service tells what it can", async () => {
    const kept = await world.service.create({ name: "orders", regionCode: "us-east-1", __urn: URN });
    const taken = await world.service.update(kept, { ...BOTH, addons: ["time-series", "ai"] });
    expect(taken.outputs["addons"]).toEqual(["time-series", "ai"]);
    expect(errorOf(taken, { addons: ["time-series"] })).toContain("addons: cannot change");
  });
});

describe("inputs that do not count as a change", () => {
  test("a fixed input given later, equal to what is there", async () => {
    const kept = await world.service.create({ name: "orders" });
    const args = { name: "orders", regionCode: "us-east-1", addons: ["time-series"], projectId: "proj000001" };
    expect(world.service.preview(kept, args)).toMatchObject({ changes: undefined, replaces: [], operations: [] });
    const next = await world.service.update(kept, args);
    expect(next.outputs).toMatchObject(args);
    expect(calledFor(kept)).toEqual([]);
  });

  test("a fixed input taken out of the program", async () => {
    const kept = await world.service.create(BASE);
    const next = await world.service.update(kept, { name: "orders" });
    expect(calledFor(kept)).toEqual([]);
    expect(next.outputs).toMatchObject(BASE);
    expect(errorOf(next, { regionCode: "eu-west-1" })).toContain("regionCode: cannot change");
  });

  test("an input that is not known yet", async () => {
    const kept = await world.service.create(BASE);
    const unknown = Object.fromEntries(
      ["regionCode", "projectId", "forkFrom", "vpcId", "cpuMillis", "memoryGbs", "name"].map((key) => [key, UNKNOWN]),
    );
    expect(world.service.preview(kept, { ...BASE, ...unknown })).toMatchObject({ replaces: [], operations: [] });
  });
});

describe("the fork's source", () => {
  const fork = (kept: Kept): Values => ({ serviceId: kept.id, strategy: "NOW" });

  test("cannot change, may be dropped, and may be given again", async () => {
    const parent = await world.service.create({ name: "orders" });
    const other = await world.service.create({ name: "bills" });
    const kept = await world.service.create({ name: "copy", forkFrom: fork(parent) });
    expect(errorOf(kept, { forkFrom: fork(other) })).toContain("forkFrom: cannot change");
    const dropped = await world.service.update(kept, { name: "copy" });
    expect(errorOf(dropped, { forkFrom: { ...fork(parent), strategy: "LAST_SNAPSHOT" } })).toContain("forkFrom");
    const again = await world.service.update(dropped, { name: "copy", forkFrom: fork(parent) });
    expect(again.outputs["forkFrom"]).toEqual(fork(parent));
  });

  test("may name its moment in other words", async () => {
    const parent = await world.service.create({ name: "orders" });
    const forkFrom = (targetTime: string): Values => ({ serviceId: parent.id, strategy: "PITR", targetTime });
    await world.clock.sleep(2_000);
    const moment = new Date(world.clock.now() - 1_000).toISOString().replace(/\.\d+Z$/, "Z");
    const inParis = `${new Date(Date.parse(moment) + 3_600_000).toISOString().replace(/\.\d+Z$/, "")}+01:00`;
    const kept = await world.service.create({ name: "copy", forkFrom: forkFrom(moment) });
    for (const same of [moment.replace("Z", ".000Z"), moment.replace("Z", "+00:00"), inParis]) {
      const args = { name: "copy", forkFrom: forkFrom(same) };
      expect(world.service.preview(kept, args)).toMatchObject({ changes: false, replaces: [] });
    }
    expect(errorOf(kept, { forkFrom: forkFrom(moment.replace("Z", ".001Z")) })).toContain("forkFrom: cannot change");
    expect(errorOf(kept, { forkFrom: forkFrom(moment.replace("Z", ".0000001Z")) })).toContain("forkFrom: cannot");
  });

  test("cannot be given to a service that is not a fork", async () => {
    const kept = await world.service.create({ name: "orders" });
    expect(errorOf(kept, { forkFrom: { serviceId: "x", strategy: "NOW" } })).toContain("from nothing to");
  });
});

describe("the project of the others", () => {
  test("a VPC, a peering and a read replica set stay in theirs", async () => {
    const net = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
    const vpc = await world.vpc.create(net);
    const peer = { vpcId: vpc.id, peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
    const peering = await world.peering.create(peer);
    const parent = await world.service.create({ name: "orders" });
    const readers = { serviceId: parent.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
    const set = await world.readReplicaSet.create(readers);
    expect(() => world.vpc.preview(vpc, { ...net, projectId: "p2" })).toThrow("projectId: cannot change");
    expect(() => world.peering.preview(peering, { ...peer, projectId: "p2" })).toThrow("projectId: cannot change");
    expect(() => world.readReplicaSet.preview(set, { ...readers, projectId: "p2" })).toThrow("projectId: cannot");
  });
});

function errorOf(kept: Kept, changes: Values): string {
  try {
    world.service.preview(kept, { ...visibleInputs(kept), ...changes });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "no error";
}

function visibleInputs(kept: Kept): Values {
  return Object.fromEntries(Object.entries(kept.inputs).filter(([key]) => !key.startsWith("__")));
}

function calledFor(kept: Kept): string[] {
  return world.callsOn(kept.id);
}
