// What is said on a row: when a step starts, when a status changes, every 30 s of silence, and nothing else. Effects are
// announced in preview, one line for a resource.

import { expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import { textLike } from "../support/matchers";
import { errorOf, fault, LARGE, NET, PEER, refreshed, setOf, SMALL, useWorld, world } from "./scene";

useWorld();

const said = (): string[] => world.progress.splice(0);
const plain = { name: "orders", ...SMALL };

test("the lines of a row are the start, each status and the end of each step of a create", async () => {
  Object.assign(world.emulator.settings.timings, { queued: 10_000, create: 20_000 });
  const kept = await world.service.create({ ...plain, poolerEnabled: true, password: "correct horse" });
  const lines = said().map((line) => line.replace(/, [\d m]+s$|, \d+ ms$/, ""));
  expect(lines.slice(0, -1)).toEqual([
    "createService: orders",
    "createService: QUEUED",
    "createService: CONFIGURING",
    "createService: READY",
    "enablePooler: poolerEnabled false → true",
    "enablePooler: UPGRADING",
    "enablePooler: READY",
  ]);
  expect(lines.at(-1)).toMatch(/^updatePassword: /);
  await world.service.update(kept, { ...plain, onMissing: "error" });
  await world.service.refresh(kept);
  fault({ kind: "status", status: 400, operation: "updatePassword" });
  await errorOf(world.service.update(kept, { ...plain, poolerEnabled: true, password: "battery staple" }));
  world.service.preview(kept, { ...plain, password: "battery staple" });
  expect([...lines, ...said(), ...world.warnings].join("\n")).not.toMatch(/correct horse|battery staple/);
});

test("the lines of a row tell of a server that is busy once, and again after the silence", async () => {
  const kept = await world.service.create(plain);
  const body = { code: "CONFLICT", message: "The service is already being updated" };
  fault({ kind: "status", status: 409, body, operation: "resize", times: 40 });
  said();
  const seconds = await world.secondsOf(() => world.service.update(kept, { ...plain, ...LARGE }));
  const lines = said();
  expect(lines[0]).toBe("resize: cpuMillis/memoryGbs 500/2 → 1000/4");
  const busy = lines.filter((line) => line.includes("already being updated"));
  expect(seconds).toBeGreaterThan(35);
  expect(busy.length).toBeLessThanOrEqual(Math.ceil(seconds / 30));
  expect(new Set(busy).size).toBe(1);
});

test("the lines of a row are the status and the silence of a deletion, until it is gone", async () => {
  world.emulator.settings.timings.delete = 65_000;
  const kept = await world.service.create({ name: "orders" });
  said();
  await world.service.remove(kept);
  const [first, ...lines] = said();
  expect(first).toContain("deleteService: service orders");
  expect(lines.slice(0, -1).every((line) => line.startsWith("deleteService: DELETING"))).toBe(true);
  expect(lines.length).toBeLessThanOrEqual(5);
  expect(lines.at(-1)).toMatch(/^deleteService: gone, 1 m/);
});

const on = { ...plain, poolerEnabled: true };
const off = { ...plain, paused: true };

test.each<[string, Values, Values, string]>([
  ["a resize", plain, LARGE, "resize restarts"],
  ["a VPC", plain, { vpcId: "12345" }, "the public address ends: .* only through the VPC; "],
  [
    "another known VPC",
    { ...plain, vpcId: "1" },
    { vpcId: "2" },
    "the address in the VPC ends: .* the other VPC; host[^;]*$",
  ],
  ["no VPC", { ...plain, vpcId: "1" }, { vpcId: undefined }, "the address in the VPC ends: .* at a public one; "],
  ["a password", plain, { password: "s" }, "password will be set"],
  ["a stop", plain, { paused: true }, "stopping ends"],
  [
    "several changes",
    on,
    { ...LARGE, poolerEnabled: false, password: "s" },
    "resize restarts.*; connections through the pooler end; password will be set",
  ],
  ["a change of a stopped service", off, LARGE, "the paused service is started .* and stopped again; resize restarts"],
  ["a rename", plain, { name: "bills" }, ""],
  ["a tag", plain, { environment: "PROD" }, ""],
  ["no change", plain, {}, ""],
  ["a first VPC", plain, { vpcId: UNKNOWN }, "vpcId is not known yet; once that is known: the public address ends"],
  [
    "another VPC that is not known",
    { ...plain, vpcId: "" },
    { vpcId: UNKNOWN },
    "vpcId is not known [^;]*; if [^;]*: the address in the VPC ends: [^;]*; host[^;]*$",
  ],
  ["an unknown size", plain, { cpuMillis: UNKNOWN }, "cpuMillis is not known yet; if .*: resize restarts"],
  ["two of them", plain, { cpuMillis: UNKNOWN, memoryGbs: UNKNOWN }, "cpuMillis and memoryGbs are not .*: resize"],
  ["an unknown pooler that is on", on, { poolerEnabled: UNKNOWN }, "poolerEnabled is .*: connections .* end"],
  ["an unknown pooler that is off", plain, { poolerEnabled: UNKNOWN }, ""],
  ["an unknown stop", plain, { paused: UNKNOWN }, "paused is not known yet; if .*: stopping ends"],
  ["an unknown start", off, { paused: UNKNOWN }, ""],
  ["an unknown password", plain, { password: UNKNOWN }, "password is not known yet; once .*: password will be set"],
  ["an unknown name", plain, { name: UNKNOWN }, ""],
  ["known beside unknown", plain, { password: "s", vpcId: UNKNOWN }, "password will be set; vpcId is not known"],
  ["an unknown region", plain, { regionCode: UNKNOWN }, "regionCode is .*: `up` fails, because it cannot change"],
])("a preview of %s says on one line what it brings", async (_name, from, change, words) => {
  const net = await world.vpc.create(NET);
  const placed = "vpcId" in from ? { ...from, vpcId: net.id } : from;
  const kept = await world.service.create(placed);
  world.warnings.splice(0);
  expect(world.service.preview(kept, { ...placed, ...change }).replaces).toEqual([]);
  const expected = textLike(new RegExp(`^service orders \\(${kept.id}\\): ${words}`));
  expect(world.warnings).toEqual(words === "" ? [] : [expected]);
});

test.each([
  { regionCode: UNKNOWN },
  { addons: UNKNOWN },
  { forkFrom: { serviceId: "svc0000001", strategy: "PITR", targetTime: UNKNOWN } },
])("a preview with allowReplace fails if it cannot know whether the service is replaced: %j", async (unknown) => {
  const kept = await world.service.create(plain);
  expect(() => world.service.preview(kept, { ...plain, ...unknown, allowReplace: true })).toThrow("is not known yet");
});

test("a preview says the same of a VPC and of a read replica set", async () => {
  const vpc = await world.vpc.create(NET);
  world.vpc.preview(vpc, { ...NET, cidr: UNKNOWN });
  expect(world.warnings.splice(0)).toEqual([textLike(/^VPC net .* cidr is not known yet; .*the VPC is replaced$/)]);
  const parent = await world.service.create(plain);
  const set = await world.readReplicaSet.create(setOf(parent));
  world.warnings.splice(0);
  world.readReplicaSet.preview(set, setOf(parent, { nodes: UNKNOWN, cpuMillis: UNKNOWN }));
  expect(world.warnings).toEqual([textLike(/^read replica set readers .* cpuMillis is .*; nodes is .* is replaced$/)]);
});

test("effects are not announced with quiet; what an interrupted run owes is", async () => {
  const kept = await world.service.create(plain);
  fault({ kind: "stuck", status: "UPGRADING", operation: "resize" });
  const args = { ...plain, ...LARGE, paused: true, timeouts: { update: "1m" } };
  const stopped = await world.service.update(kept, args);
  const silent = world.elsewhere({ quiet: "true" });
  silent.service.preview(stopped, args);
  expect(silent.warnings).toEqual([
    textLike(
      /interrupted run: stop; an interrupted run sent resize, which the server has accepted; this run waits for it$/,
    ),
  ]);
});

test("a preview that does not know the block of a VPC says what may become of all that is in it", async () => {
  const net = await world.vpc.create(NET);
  const inside = { ...plain, regionCode: NET.regionCode, vpcId: net.id };
  const parent = await world.service.create(inside);
  const set = await world.readReplicaSet.create(setOf(parent));
  const link = { ...PEER, vpcId: net.id };
  const peering = await world.peering.create(link);
  world.nextRun();
  world.vpc.preview(net, { ...NET, cidr: UNKNOWN });
  world.warnings.splice(0);
  expect(world.service.preview(parent, inside)).toMatchObject({ changes: true, operations: [] });
  world.readReplicaSet.preview(set, setOf(parent));
  world.peering.preview(peering, link);
  expect(world.warnings).toEqual([
    textLike(/^service .* its VPC may be replaced: then it moves to the new one, and its addresses change$/),
    textLike(/^read replica set .* its service may move: its addresses are read again$/),
    textLike(/^peering .* its VPC may be replaced: then this one is replaced, too$/),
  ]);
});

test("nothing is said of the VPC of a service that something else has put there", async () => {
  const net = await world.vpc.create(NET);
  const kept = await world.service.create({ ...plain, regionCode: NET.regionCode });
  world.emulator.mutate.service(kept.id, { vpcId: net.id });
  const seen = await refreshed(kept);
  world.nextRun();
  world.vpc.preview(net, { ...NET, cidr: UNKNOWN });
  world.warnings.splice(0);
  world.service.preview(seen, { ...plain, regionCode: NET.regionCode });
  expect(world.warnings).toEqual([]);
});
