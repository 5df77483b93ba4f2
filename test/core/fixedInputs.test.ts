// What can never change: an error before anything happens, with the property, both values and the remedy; a previewed
// replacement where the program allows one; and refused all the same while the service is protected.

import { expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { NET, refreshed, SMALL, urn, useWorld, world } from "./scene";

useWorld();

const URN = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::orders";
const BASE = { name: "orders", regionCode: "us-east-1", addons: ["time-series"], projectId: "proj000001" };

const ARGS = { ...BASE, ...SMALL, __urn: URN };

const CHANGES: Record<string, { to: Values; says: RegExp }> = {
  regionCode: { to: { regionCode: "eu-west-1" }, says: /from "us-east-1" to "eu-west-1".*`allowReplace: true`/ },
  addons: { to: { addons: [] }, says: /from \["time-series"\] to \[\].*`allowReplace: true`/ },
  projectId: { to: { projectId: "p2" }, says: /from "proj000001" to "p2".*stays in its project/ },
  cpuMillis: { to: { cpuMillis: "shared", memoryGbs: "shared" }, says: /from 500 to "shared".*`forkFrom`/ },
};

test.each(Object.entries(CHANGES))("a change of %s is an error, also by outputs", async (property, { to, says }) => {
  const kept = await world.service.create(ARGS);
  expect(errorIn(kept, to)).toMatch(`${property}: cannot change`);
  expect(errorIn(kept, to)).toMatch(says);
  expect(world.callsOn(kept.id)).toEqual([]);
  const plain = await world.service.create({ name: "plain" });
  expect(errorIn(plain, to)).toContain(`${property}: cannot change`);
});

test.each(Object.entries(CHANGES).filter(([property]) => property !== "cpuMillis"))(
  "a change of %s with allowReplace is a replacement, the new one first, unless it is protected",
  async (property, { to }) => {
    const kept = await world.service.create(ARGS);
    world.restart();
    const next = { ...ARGS, ...to, allowReplace: true };
    expect(world.service.preview(kept, next)).toMatchObject({ replaces: [property], isOldFirst: false });
    expect(world.warnings.at(-1)).toMatch(
      /service orders .* is replaced by a new and EMPTY one; the old one is deleted with its data\. If an earlier `up` has saved `retainOnDelete`/,
    );
    const held = { ...kept, outputs: { ...kept.outputs, deletionProtection: true } };
    expect(() => world.service.preview(held, { ...next, deletionProtection: false })).toThrow("protected");
    // Another project needs another emulator; everything else is really replaced, under the very same name.
    if (property === "projectId") return;
    world.restart();
    const made = await world.service.replace(kept, next);
    const events = world.emulator.ledger().map(({ operation, id }) => [operation, id]);
    expect(events).toEqual([
      ["createService", kept.id],
      ["createService", made.id],
      ["deleteService", kept.id],
    ]);
  },
);

const BOTH = { ...BASE, addons: ["time-series", "ai"], __urn: URN };

test.each<[string, string[], string[]]>([
  ["one more", ["time-series"], ["time-series", "ai"]],
  ["one less", ["time-series", "ai"], ["time-series"]],
  ["another beside none", [], ["ai"]],
])("addons: %s cannot change, also where the server shows no difference", async (_name, from, to) => {
  const kept = await world.service.create({ ...BASE, addons: from });
  expect(errorIn(kept, { addons: to })).toContain("addons: cannot change");
  const allowed = { ...BASE, addons: to, allowReplace: true, __urn: URN };
  expect(world.service.preview(kept, allowed)).toMatchObject({ replaces: ["addons"], operations: [] });
  world.restart();
  const made = await world.service.replace(kept, allowed);
  expect(made.outputs["addons"]).toEqual(to);
  expect(made.id).not.toBe(kept.id);
  const asked = world.emulator.requests().filter((request) => request.operation === "createService");
  expect(asked.map((request) => (request.body as Values)["addons"])).toEqual([from, to]);
});

test("addons stay known when the program says nothing of them for a while", async () => {
  const kept = await world.service.create({ ...BASE, addons: ["time-series"] });
  const { addons: _addons, ...rest } = BASE;
  const dropped = await world.service.update(kept, rest);
  expect(errorIn(dropped, { addons: ["time-series", "ai"] })).toContain("addons: cannot change");
  expect(errorIn(await refreshed(dropped), { addons: ["time-series", "ai"] })).toContain("addons: cannot change");
});

test("addons in another order are the same", async () => {
  const kept = await world.service.create(BOTH);
  const turned = { ...BOTH, addons: ["ai", "time-series"] };
  expect(world.service.preview(kept, turned)).toMatchObject({ changes: false, replaces: [], operations: [] });
  expect(world.service.preview(kept, { ...turned, allowReplace: true }).replaces).toEqual([]);
});

test("addons: where nothing was asked, the type of the service tells what it can", async () => {
  const kept = await world.service.create({ name: "orders", regionCode: "us-east-1", __urn: URN });
  const taken = await world.service.update(kept, { ...BOTH, addons: ["time-series", "ai"] });
  expect(taken.outputs["addons"]).toEqual(["time-series", "ai"]);
  expect(errorIn(taken, { addons: ["time-series"] })).toContain("addons: cannot change");
});

test("no change is a fixed input given later, equal to what is there", async () => {
  const kept = await world.service.create({ name: "orders" });
  const args = { name: "orders", regionCode: "us-east-1", addons: ["time-series"], projectId: "proj000001" };
  expect(world.service.preview(kept, args)).toMatchObject({ changes: undefined, replaces: [], operations: [] });
  const next = await world.service.update(kept, args);
  expect(next.outputs).toMatchObject(args);
  expect(world.callsOn(kept.id)).toEqual([]);
});

test("no change is a fixed input taken out of the program", async () => {
  const kept = await world.service.create(BASE);
  const next = await world.service.update(kept, { name: "orders" });
  expect(world.callsOn(kept.id)).toEqual([]);
  expect(next.outputs).toMatchObject(BASE);
  expect(errorIn(next, { regionCode: "eu-west-1" })).toContain("regionCode: cannot change");
});

test("no change is an input that is not known yet", async () => {
  const kept = await world.service.create(BASE);
  const unknown = Object.fromEntries(
    ["regionCode", "projectId", "forkFrom", "vpcId", "cpuMillis", "memoryGbs", "name"].map((key) => [key, UNKNOWN]),
  );
  expect(world.service.preview(kept, { ...BASE, ...unknown })).toMatchObject({ replaces: [], operations: [] });
});

const fork = (kept: Kept): Values => ({ serviceId: kept.id, strategy: "NOW" });

test("the source of a fork cannot change, may be dropped, and may be given again", async () => {
  const parent = await world.service.create({ name: "orders" });
  const other = await world.service.create({ name: "bills" });
  const kept = await world.service.create({ name: "copy", forkFrom: fork(parent) });
  expect(errorIn(kept, { forkFrom: fork(other) })).toContain("forkFrom: cannot change");
  const dropped = await world.service.update(kept, { name: "copy" });
  expect(errorIn(dropped, { forkFrom: { ...fork(parent), strategy: "LAST_SNAPSHOT" } })).toContain("forkFrom");
  const again = await world.service.update(dropped, { name: "copy", forkFrom: fork(parent) });
  expect(again.outputs["forkFrom"]).toEqual(fork(parent));
});

test("the source of a fork may name its moment in other words", async () => {
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
  expect(errorIn(kept, { forkFrom: forkFrom(moment.replace("Z", ".001Z")) })).toContain("forkFrom: cannot change");
});

test("the source of a fork cannot be given to a service that is not a fork", async () => {
  const kept = await world.service.create({ name: "orders" });
  expect(errorIn(kept, { forkFrom: { serviceId: "x", strategy: "NOW" } })).toContain("from nothing to");
});

/** The error of a preview of the same program with these changes. */
function errorIn(kept: Kept, changes: Values): string {
  const visible = Object.entries(kept.inputs).filter(([key]) => !key.startsWith("__"));
  try {
    world.service.preview(kept, { ...Object.fromEntries(visible), ...changes });
  } catch (error) {
    return String(error);
  }
  return "no error";
}

test("a region in other letters is the same one, for a service, a VPC, and a service that moves into it", async () => {
  const [kept, net] = [await world.service.create(ARGS), await world.vpc.create({ ...NET, ...urn("net") })];
  world.nextRun();
  const loud = { regionCode: "US-East-1" };
  expect(world.service.preview(kept, { ...ARGS, ...loud, allowReplace: true })).toMatchObject({ replaces: [] });
  expect(world.vpc.preview(net, { ...NET, ...loud, ...urn("net") })).toMatchObject({ replaces: [] });
  const moved = await world.service.update(kept, { ...ARGS, ...loud, vpcId: net.id });
  expect(moved.outputs).toMatchObject({ regionCode: "US-East-1", vpcId: net.id });
  expect(world.calls()).toEqual(["attachToVPC"]);
});
