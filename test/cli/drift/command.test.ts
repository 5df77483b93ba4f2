// The command `drift`: which states it reads, what is nobody's, what it cannot tell, its forms and its exit codes.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Kept } from "../../support/world";
import { file, orders, resizeOutside, scene, useOrdersScene, sizes } from "./ordersScene";
import type { Held } from "./scene";

useOrdersScene();

describe("objects that no stack manages", () => {
  test("are named with age, size and VPC; what is in them is counted; patterns leave out the objects of others", async () => {
    const { mutate } = scene.emulator;
    const vpcId = mutate.createVpc({ name: "theirs", cidr: "10.9.0.0/24" }).id;
    mutate.createPeering(vpcId, {});
    const legacy = mutate.createService({ name: "legacy", cpuMillis: 2_000, memoryGbs: 8, vpcId, environment: "PROD" });
    mutate.createReplicaSet(legacy.id, { name: "legacy-readers" });
    mutate.createReplicaSet(orders.id, { name: "by-hand" });
    mutate.createService({ name: "leaving", status: "DELETING" });
    const { code, found, report } = await scene.drift([file]);
    expect(found).toEqual(["unmanaged Vpc theirs", "unmanaged Service legacy", "unmanaged ReadReplicaSet by-hand"]);
    expect(report.findings[1]).toMatchObject({
      id: legacy.id,
      projectId: "proj000001",
      ageMs: expect.any(Number) as unknown,
      cpuMillis: 2_000,
      memoryGbs: 8,
      vpcId,
      environment: "PROD",
      readReplicaSets: 1,
    });
    expect(report.findings[2]).toMatchObject({ parentId: orders.id });
    expect(code).toBe(2);
    const table = await scene.run(["drift", "--state", file]);
    expect(table.out).toContain(`Service legacy (${legacy.id})`);
    const ignored = await scene.drift([file], ["--ignore", "leg*", "--ignore", "by-*d", "--ignore", vpcId]);
    expect([ignored.code, ignored.found]).toEqual([0, []]);
    const dots = await scene.drift([file], ["--ignore", "the.rs", "--ignore", "egacy"]);
    expect(dots.found).toHaveLength(3);
  });

  test("a peering in a managed VPC is one; a managed VPC of another stack is none", async () => {
    const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
    scene.emulator.mutate.createPeering(main.id, { peerVpcId: "vpc-0theirs" });
    expect((await scene.drift([file])).found).toEqual(["unmanaged Vpc main"]);
    const network = scene.stack("network", { main: ["Vpc", main] });
    expect((await scene.drift([file, network])).found).toEqual(["unmanaged Peering vpc-0theirs"]);
  });

  test("what another project has under the same id is not managed by this one's entry", async () => {
    const { projectId: _, ...outputs } = orders.outputs;
    const elsewhere = { ...orders, outputs: { ...outputs, projectId: "proj000002" } };
    const other = scene.stack("elsewhere", { orders: ["Service", elsewhere] });
    const { found } = await scene.drift([other], ["--project", "proj000001"]);
    expect(found).toEqual(["unmanaged Service orders"]);
  });

  test("what a stack only reads is not managed by it", async () => {
    const reading = scene.stack("reading", { orders: ["Service", orders, { external: true }] });
    expect((await scene.drift([reading])).found).toEqual(["unmanaged Service orders"]);
    expect((await scene.drift([reading, file])).found).toEqual([]);
  });
});

test("an object that two stacks hold, or two resources of one", async () => {
  const other = scene.stack("other", { mine: ["Service", orders], second: ["Service", orders] });
  const { code, found, report } = await scene.drift([file, other]);
  expect(found).toEqual([`shared ${orders.id}`]);
  expect(report.findings[0]).toMatchObject({
    holders: [
      { stack: "shop/dev", name: "orders" },
      { stack: "shop/other", name: "mine" },
      { stack: "shop/other", name: "second" },
    ],
  });
  expect(code).toBe(2);
});

describe("an unreadable object never counts as no drift", () => {
  test.each([
    ["a key that is not accepted", { DBCLOUD_API_KEY: "another-key-0123456789" }, /401/],
    ["a key of another project", { DBCLOUD_API_KEY: "key-of-another-project" }, /403/],
    ["a dead port", { DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1" }, /connection refused|ECONNREFUSED/i],
  ])("%s", async (_, environment, why) => {
    const { code, out, report } = await scene.drift([file], [], environment);
    expect(code).toBe(1);
    expect(report.outcome).toBe("unknown");
    expect(out).toMatch(why);
    const table = await scene.run(["drift", "--state", file, "--fail-on", "none"], { environment });
    expect(table.code).toBe(1);
    expect(table.out).toMatch(why);
    expect(table.out).toContain("This report is not complete");
    expect(table.out).not.toContain("No drift");
  });

  test("a list that is readable in half: what is in it, and what may be it", async () => {
    resizeOutside();
    const lost = await scene.service.create({ name: "lost" });
    const both = scene.stack("both", { orders: ["Service", orders], lost: ["Service", lost] });
    scene.emulator.mutate.service(lost.id, { wire: { status: 7 } });
    const { code, found, out, report } = await scene.drift([both]);
    expect(found.toSorted()).toEqual(["changed orders.cpuMillis", "unknown", "unknown lost"]);
    expect(code).toBe(1);
    expect(report.outcome).toBe("unknown");
    expect(out).toContain(`(${lost.id}): status`);
  });

  test("a dead port is one row with one remedy, however much is in the stacks, and is given up soon", async () => {
    const lost = await scene.service.create({ name: "lost" });
    const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
    const all = scene.stack("all", { orders: ["Service", orders], lost: ["Service", lost], main: ["Vpc", main] });
    const sinceMs = scene.clock.now();
    const environment = { DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1" };
    const { out } = await scene.run(["drift", "--state", all], { environment });
    expect(scene.clock.now() - sinceMs).toBeLessThanOrEqual(2_000);
    expect(out.match(/the API cannot be reached/g)).toHaveLength(1);
    expect(out).toContain("orders of shop/all, lost of shop/all, main of shop/all");
    expect(out.match(/DBCLOUD_BASE_URL/g)).toHaveLength(1);
  });

  test("logs and import give up on a server that only fails within a minute", async () => {
    scene.emulator.faults.add({ operation: "listServices", kind: "status", status: 500, times: Infinity });
    for (const args of [
      ["logs", "orders"],
      ["import", "--all"],
    ]) {
      const sinceMs = scene.clock.now();
      expect(await scene.run(args)).toMatchObject({ code: 1, error: expect.stringContaining("500") as unknown });
      expect(scene.clock.now() - sinceMs).toBeLessThanOrEqual(60_000);
    }
  });

  test("a missing project is reported as missing", async () => {
    const { code, out } = await scene.run(["drift", "--state", file, "--project", "proj999999"]);
    expect(code).toBe(1);
    expect(out).toMatch(/\n {2}project proj999999 {2}/);
    expect(out.match(/Check the project id: --project, else DBCLOUD_PROJECT_ID/g)).toHaveLength(1);
    expect(out).not.toContain("pulumi config");
  });

  test("one service whose GET fails does not hide the rest", async () => {
    resizeOutside();
    const gone = await scene.service.create({ name: "gone" });
    scene.emulator.mutate.deleteService(gone.id);
    const match = ({ path: asked }: { path: string }): boolean => asked.endsWith(gone.id);
    scene.emulator.faults.add({ operation: "getService", match, kind: "status", status: 500, times: Infinity });
    const both = scene.stack("both", { orders: ["Service", orders], gone: ["Service", gone] });
    const sinceMs = scene.clock.now();
    const { code, found } = await scene.drift([both]);
    expect([code, found]).toEqual([1, ["unknown gone", "changed orders.cpuMillis"]]);
    expect(scene.clock.now() - sinceMs).toBeLessThanOrEqual(90_000);
  });

  test("an invalid state, or a missing one, is an error", async () => {
    writeFileSync(path.join(scene.folder, "page.json"), "<html>");
    const page = await scene.drift(["page.json"]);
    expect([page.code, page.out]).toEqual([1, ""]);
    expect(page.error).toContain("page.json gave no state");
    const nothing = await scene.drift(["nowhere.json"]);
    expect(nothing.code).toBe(1);
    expect(nothing.error).toContain("nowhere.json cannot be read");
  });
});

test("a key that may only read is enough, and nothing but GET is sent", async () => {
  resizeOutside();
  const { code, found, requests } = await scene.drift([file], [], { DBCLOUD_API_KEY: "key-that-may-only-read" });
  expect([code, found]).toEqual([2, ["changed orders.cpuMillis"]]);
  expect(requests.every((request) => request.startsWith("GET "))).toBe(true);
});

test("many objects of several stacks, with differences of every kind, take ten requests", async () => {
  const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
  const services: Kept[] = [];
  for (let n = 0; n < 30; n += 1) services.push(await scene.service.create({ name: `s${n}`, ...sizes }));
  const held = (some: readonly Kept[]): Record<string, Held> =>
    Object.fromEntries(some.map((kept, index) => [`service${index}`, ["Service", kept]]));
  const files = [
    scene.stack("network", { main: ["Vpc", main] }),
    scene.stack("one", { orders: ["Service", orders], ...held(services.slice(0, 15)) }),
    scene.stack("two", held(services.slice(15))),
  ];
  const { mutate } = scene.emulator;
  mutate.vpc(main.id, { name: "by-hand" });
  mutate.deleteService(services[29]?.id ?? "");
  for (const { id } of services.slice(0, 8)) mutate.service(id, { cpuMillis: 1_000 });
  for (const name of ["legacy", "older"]) mutate.createService({ name });
  const { found, report, requests } = await scene.drift(files);
  expect(report.stacks.reduce((sum, { resources }) => sum + resources, 0)).toBe(32);
  expect(found).toHaveLength(12);
  expect(requests.length).toBeLessThanOrEqual(10);
});
