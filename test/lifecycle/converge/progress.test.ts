// What is said on a row: when a step starts, when a status changes, every 30 s of silence, and nothing else. Effects are
// announced in preview, one line for a resource.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type World } from "../../support/world";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const SIZE = { cpuMillis: 500, memoryGbs: 2 };
const LARGE = { cpuMillis: 1000, memoryGbs: 4 };

function said(): string[] {
  return world.progress.splice(0);
}

describe("progress", () => {
  test("of a creation", async () => {
    Object.assign(world.emulator.settings.timings, { queued: 10_000, create: 20_000 });
    await world.service.create({ name: "orders", poolerEnabled: true });
    const lines = said();
    expect(lines.map((line) => line.replace(/, \d+ m?s$/, ""))).toEqual([
      "createService: orders",
      "createService: QUEUED",
      "createService: CONFIGURING",
      "createService: READY",
      "enablePooler: poolerEnabled false → true",
      "enablePooler: UPGRADING",
      "enablePooler: READY",
    ]);
  });

  test("of a change: its start, each status, the silence, its end", async () => {
    world.emulator.settings.timings.resize = 95_000;
    const kept = await world.service.create({ name: "orders", ...SIZE });
    world.emulator.settings.stale.reads = 2;
    said();
    await world.service.update(kept, { name: "orders", ...LARGE });
    const lines = said();
    expect(lines[0]).toBe("resize: cpuMillis/memoryGbs 500/2 → 1000/4");
    const statuses = lines.slice(1).map((line) => line.replace(/, .*/, ""));
    expect([...new Set(statuses)]).toEqual([
      "resize: READY with the old cpuMillis/memoryGbs",
      "resize: UPGRADING",
      "resize: READY",
    ]);
    expect(statuses.filter((line) => line === "resize: UPGRADING")).toHaveLength(4);
    expect(lines.at(-1)).toMatch(/^resize: READY, 1 m 3\d s$/);
  });

  test("of a server that is busy: once, and again after the silence", async () => {
    const kept = await world.service.create({ name: "orders", ...SIZE });
    const body = { code: "CONFLICT", message: "The service is already being updated" };
    world.emulator.faults.add({ kind: "status", status: 409, body, operation: "resize", times: 40 });
    said();
    const startedMs = world.clock.now();
    await world.service.update(kept, { name: "orders", ...LARGE });
    const seconds = (world.clock.now() - startedMs) / 1_000;
    const busy = said().filter((line) => line.includes("already being updated"));
    expect(seconds).toBeGreaterThan(35);
    expect(busy.length).toBeLessThanOrEqual(Math.ceil(seconds / 30));
    expect(new Set(busy).size).toBe(1);
  });

  test("of a deletion", async () => {
    world.emulator.settings.timings.delete = 65_000;
    const kept = await world.service.create({ name: "orders" });
    said();
    await world.service.remove(kept);
    const lines = said();
    expect(lines[0]).toContain("deleteService: service orders");
    expect(lines.slice(1, -1).every((line) => line.startsWith("deleteService: DELETING"))).toBe(true);
    expect(lines.slice(1, -1).length).toBeLessThanOrEqual(4);
    expect(lines.at(-1)).toMatch(/^deleteService: gone, 1 m/);
  });

  test("of nothing to do: none", async () => {
    const kept = await world.service.create({ name: "orders" });
    said();
    await world.service.update(kept, { name: "orders", onDelete: "stop" });
    await world.service.refresh(kept);
    expect(said()).toEqual([]);
  });

  test("never holds a password", async () => {
    const kept = await world.service.create({ name: "orders", password: "correct horse" });
    world.emulator.faults.add({ kind: "status", status: 400, operation: "updatePassword" });
    await world.service.update(kept, { name: "orders", password: "battery staple" }).catch(() => undefined);
    world.service.preview(kept, { name: "orders", password: "battery staple" });
    const everything = [...world.progress, ...world.warnings].join("\n");
    expect(everything).not.toMatch(/correct horse|battery staple/);
    expect(everything).toContain("updatePassword: ");
  });
});

describe("what an unknown value may bring is announced in preview", () => {
  const plain = { name: "orders", ...SIZE };
  const MOVE =
    "detaching moves host, pooler and replica endpoints, and the service is out of reach meanwhile; attaching moves host, pooler and replica endpoints, and the service is out of reach meanwhile";
  const ATTACH = "attaching moves host, pooler and replica endpoints, and the service is out of reach meanwhile";
  const IF = "if that turns out to be a change";
  const cases: [string, Values, Values, string[]][] = [
    ["a first VPC", plain, { vpcId: UNKNOWN }, [`vpcId is not known yet; once that is known: ${ATTACH}`]],
    ["another VPC", { ...plain, vpcId: "net" }, { vpcId: UNKNOWN }, [`vpcId is not known yet; ${IF}: ${MOVE}`]],
    ["a size", plain, { cpuMillis: UNKNOWN }, [`cpuMillis is not known yet; ${IF}: resize restarts the service`]],
    [
      "both sizes, in one sentence",
      plain,
      { cpuMillis: UNKNOWN, memoryGbs: UNKNOWN },
      [`cpuMillis and memoryGbs are not known yet; ${IF}: resize restarts the service`],
    ],
    [
      "a pooler that is on",
      { ...plain, poolerEnabled: true },
      { poolerEnabled: UNKNOWN },
      [`poolerEnabled is not known yet; ${IF}: connections through the pooler end`],
    ],
    ["a pooler that is off", plain, { poolerEnabled: UNKNOWN }, []],
    [
      "a stop",
      plain,
      { paused: UNKNOWN },
      [`paused is not known yet; ${IF}: stopping ends all connections until the service is started`],
    ],
    ["a start", { ...plain, paused: true }, { paused: UNKNOWN }, []],
    [
      "a password",
      plain,
      { password: UNKNOWN },
      ["password is not known yet; once that is known: password will be set"],
    ],
    ["a name, which nobody notices", plain, { name: UNKNOWN }, []],
    [
      "what is known beside it",
      plain,
      { password: "s", vpcId: UNKNOWN },
      ["password will be set", `vpcId is not known yet; once that is known: ${ATTACH}`],
    ],
    [
      "a region",
      plain,
      { regionCode: UNKNOWN },
      [`regionCode is not known yet; ${IF}: \`up\` fails for it, because it cannot change`],
    ],
    [
      "a region where a replacement is allowed",
      plain,
      { regionCode: UNKNOWN, allowReplace: true },
      [
        `regionCode is not known yet; ${IF}: \`up\` fails for it, and a second \`up\` replaces it, so that its data are lost`,
      ],
    ],
  ];

  test.each(cases)("%s", async (_name, from, change, lines) => {
    const net = await world.vpc.create({ name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const placed = from["vpcId"] === "net" ? { ...from, vpcId: net.id } : from;
    const kept = await world.service.create(placed);
    world.warnings.splice(0);
    const seen = world.service.preview(kept, { ...placed, ...change });
    expect(world.warnings).toEqual(lines.length === 0 ? [] : [`service orders (${kept.id}): ${lines.join("; ")}`]);
    expect(seen.replaces).toEqual([]);
  });

  test("a VPC that is replaced, and a read replica set", async () => {
    const net = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
    const vpc = await world.vpc.create(net);
    world.warnings.splice(0);
    expect(world.vpc.preview(vpc, { ...net, cidr: UNKNOWN }).replaces).toEqual([]);
    expect(world.warnings).toEqual([`VPC net (${vpc.id}): cidr is not known yet; ${IF}: the VPC is replaced`]);
    const parent = await world.service.create(plain);
    const set = { serviceId: parent.id, name: "readers", nodes: 1, ...SIZE };
    const readers = await world.readReplicaSet.create(set);
    world.warnings.splice(0);
    world.readReplicaSet.preview(readers, { ...set, nodes: UNKNOWN, cpuMillis: UNKNOWN });
    expect(world.warnings).toEqual([
      `read replica set readers (${readers.id}): cpuMillis is not known yet; ${IF}: resize restarts the read replica set; nodes is not known yet; ${IF}: the read replica set is replaced`,
    ]);
  });
});

describe("effects announced in preview", () => {
  const plain = { name: "orders", ...SIZE };
  const effects: [string, Values, Values, string[]][] = [
    ["a resize", plain, { ...plain, ...LARGE }, ["resize restarts the service"]],
    [
      "a VPC",
      plain,
      { ...plain, vpcId: "12345" },
      ["attaching moves host, pooler and replica endpoints, and the service is out of reach meanwhile"],
    ],
    ["a password", plain, { ...plain, password: "s" }, ["password will be set"]],
    ["a stop", plain, { ...plain, paused: true }, ["stopping ends all connections until the service is started"]],
    [
      "several",
      { ...plain, poolerEnabled: true },
      { ...plain, ...LARGE, poolerEnabled: false, password: "s" },
      ["resize restarts the service", "connections through the pooler end", "password will be set"],
    ],
    [
      "a change of a stopped service",
      { ...plain, paused: true },
      { ...plain, ...LARGE, paused: true },
      ["the paused service is started for the change and stopped again", "resize restarts the service"],
    ],
    ["a rename", plain, { ...plain, name: "bills" }, []],
    ["a tag", plain, { ...plain, environment: "PROD" }, []],
    ["nothing", plain, plain, []],
  ];

  test.each(effects)("%s", async (_name, from, to, lines) => {
    const kept = await world.service.create(from);
    world.warnings.splice(0);
    world.service.preview(kept, to);
    const expected = lines.length === 0 ? [] : [`service orders (${kept.id}): ${lines.join("; ")}`];
    expect(world.warnings).toEqual(expected);
  });

  test("of a read replica set name the set", async () => {
    const parent = await world.service.create({ name: "orders" });
    const args = { serviceId: parent.id, name: "readers", nodes: 1, ...SIZE };
    const kept = await world.readReplicaSet.create(args);
    world.warnings.splice(0);
    world.readReplicaSet.preview(kept, { ...args, ...LARGE });
    expect(world.warnings).toEqual([`read replica set readers (${kept.id}): resize restarts the read replica set`]);
  });

  test("are off with quiet; what an interrupted run owes is not", async () => {
    const kept = await world.service.create(plain);
    world.emulator.faults.add({ kind: "stuck", status: "UPGRADING", operation: "resize" });
    const args = { ...plain, ...LARGE, paused: true, timeouts: { update: "1m" } };
    const stopped = await world.service.update(kept, args);
    const silent = world.elsewhere({ quiet: "true" });
    silent.service.preview(stopped, args);
    expect(silent.warnings).toEqual([`service orders (${kept.id}): left to do by an interrupted run: resize, stop`]);
    world.service.preview(stopped, args);
    expect(world.warnings.at(-1)).toContain("stopping ends all connections");
  });
});
