// The command `drift`: which states it reads, what is nobody's, what it cannot tell, its forms and its exit codes.

import { readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { textWith } from "../../support/matchers";
import { writeFiles } from "../../support/folder";
import { type Held, scene, sizes, useScene } from "./scene";

let orders: Held;
/** The state of the stack that holds it. */
let file: string;

useScene(async () => {
  orders = await scene.service(sizes);
  file = scene.stack("dev", { orders });
});

const resizeOutside = () => scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000 });

test("objects that no stack manages are named with age, size and VPC; what is in them is counted; patterns leave out the objects of others", async () => {
  const { mutate } = scene.emulator;
  const vpcId = mutate.createVpc({ name: "theirs", cidr: "10.9.0.0/24" }).id;
  mutate.createPeering(vpcId, {});
  const legacy = mutate.createService({ name: "legacy", cpuMillis: 2_000, memoryGbs: 8, vpcId, environment: "PROD" });
  mutate.createReplicaSet(legacy.id, { name: "legacy-readers" });
  mutate.createReplicaSet(orders.id, { name: "by-hand" });
  mutate.createService({ name: "leaving", status: "DELETING" });
  const { code, found, report } = await scene.drift([file]);
  expect(found).toEqual(["unmanaged Vpc theirs", "unmanaged Service legacy", "unmanaged ReadReplicaSet by-hand"]);
  const size = { cpuMillis: 2_000, memoryGbs: 8, vpcId, environment: "PROD", readReplicaSets: 1 };
  const ageMs: unknown = expect.any(Number);
  expect(report.findings[1]).toMatchObject({ id: legacy.id, projectId: "proj000001", ageMs, ...size });
  expect(report.findings[2]).toMatchObject({ parentId: orders.id });
  expect(code).toBe(2);
  const table = await scene.run(["drift", "--state", file]);
  expect(table.out).toContain(`Service legacy (${legacy.id})`);
  const ignored = await scene.drift([file], ["--ignore", "leg*", "--ignore", "by-*d", "--ignore", vpcId]);
  expect([ignored.code, ignored.found]).toEqual([0, []]);
});

test("objects that no stack manages are a peering in a managed VPC, and no VPC that another stack manages", async () => {
  const main = await scene.vpc();
  scene.emulator.mutate.createPeering(main.id, { peerVpcId: "vpc-0theirs" });
  expect((await scene.drift([file])).found).toEqual(["unmanaged Vpc main"]);
  const network = scene.stack("network", { main });
  expect((await scene.drift([file, network])).found).toEqual(["unmanaged Peering vpc-0theirs"]);
});

test("objects that no stack manages are those of which another project has the id", async () => {
  const elsewhere = { ...orders, outputs: { ...orders.outputs, projectId: "proj000002" } };
  const other = scene.stack("elsewhere", { orders: elsewhere });
  const { found } = await scene.drift([other], ["--project", "proj000001"]);
  expect(found).toEqual(["unmanaged Service orders"]);
});

test("objects that no stack manages are those that a stack only reads", async () => {
  const reading = scene.stack("reading", { orders: { ...orders, entry: { external: true } } });
  expect((await scene.drift([reading])).found).toEqual(["unmanaged Service orders"]);
  expect((await scene.drift([reading, file])).found).toEqual([]);
});

test("an object that two stacks hold, or two resources of one, is shared", async () => {
  const other = scene.stack("other", { mine: orders, second: orders });
  const { code, found, report } = await scene.drift([file, other]);
  expect([found, code]).toEqual([[`shared ${orders.id}`], 2]);
  expect(report.findings[0]).toMatchObject({
    holders: [
      { stack: "shop/dev", name: "orders" },
      { stack: "shop/other", name: "mine" },
      { stack: "shop/other", name: "second" },
    ],
  });
});

const deadPort = { DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1" };

test.each([
  ["a key that is not accepted", { DBCLOUD_API_KEY: "another-key-0123456789" }, /401/],
  ["a key of another project", { DBCLOUD_API_KEY: "key-of-another-project" }, /403/],
  ["a dead port", deadPort, /connection refused|ECONNREFUSED/i],
])("an unreadable object never counts as no drift: with %s", async (_, environment, why) => {
  const { code, out, report } = await scene.drift([file], [], environment);
  expect([code, report.outcome]).toEqual([1, "unknown"]);
  expect(out).toMatch(why);
  const table = await scene.run(["drift", "--state", file, "--fail-on", "none"], environment);
  expect(table.code).toBe(1);
  expect(table.out).toMatch(why);
  expect(table.out).toContain("This report is incomplete");
  expect(table.out).not.toContain("No drift");
});

test("an unreadable object never counts as no drift: in a list that is readable in half: what is in it counts, and what may be it", async () => {
  resizeOutside();
  const lost = await scene.service({ name: "lost" });
  scene.emulator.mutate.service(lost.id, { wire: { status: 7 } });
  const { code, found, out, report } = await scene.driftOf({ orders, lost });
  expect(found.toSorted()).toEqual(["changed orders.cpuMillis", "unknown", "unknown lost"]);
  expect([code, report.outcome]).toEqual([1, "unknown"]);
  expect(out).toContain(`(${lost.id}): status`);
});

test("what is behind a dead port is one row with one remedy, however much is in the stacks, and is given up soon", async () => {
  const lost = await scene.service({ name: "lost" });
  const main = await scene.vpc();
  const sinceMs = scene.clock.now();
  const { out } = await scene.run(["drift", "--state", scene.stack("all", { orders, lost, main })], deadPort);
  expect(scene.clock.now() - sinceMs).toBeLessThanOrEqual(2_000);
  expect(out).toContain("orders of shop/all, lost of shop/all, main of shop/all");
  expect(out.match(/DBCLOUD_BASE_URL/g)).toHaveLength(1);
});

test("an unreadable object never counts as no drift: where the project is missing", async () => {
  const { code, out } = await scene.run(["drift", "--state", file, "--project", "proj999999"]);
  expect(code).toBe(1);
  expect(out).toMatch(/\n {2}project proj999999 {2}/);
  expect(out).toContain("Set DBCLOUD_PROJECT_ID in the environment, give a command --project");
});

test("an unreadable object never counts as no drift: where its own GET fails, and does not hide the rest", async () => {
  resizeOutside();
  const gone = await scene.service({ name: "gone" });
  scene.emulator.mutate.deleteService(gone.id);
  const match = ({ path: asked }: { path: string }): boolean => asked.endsWith(gone.id);
  scene.emulator.faults.add({ operation: "getService", match, kind: "status", status: 500, times: Infinity });
  const sinceMs = scene.clock.now();
  const { code, found } = await scene.driftOf({ orders, gone });
  expect([code, found]).toEqual([1, ["unknown gone", "changed orders.cpuMillis"]]);
  expect(scene.clock.now() - sinceMs).toBeLessThanOrEqual(90_000);
});

test("a page takes the place of an older one, and is not written through a link", async () => {
  writeFiles(scene.folder, { "mine.txt": "mine", "report.html": "old".repeat(1_000_000) });
  const at = (name: string): string => path.join(scene.folder, name);
  symlinkSync(at("mine.txt"), at("link.html"));
  const through = await scene.run(["drift", "--state", file, "--html", at("link.html")]);
  expect(through).toMatchObject({ code: 1, error: textWith("link.html") });
  expect(readFileSync(at("mine.txt"), "utf8")).toBe("mine");
  expect((await scene.run(["drift", "--state", file, "--html", at("report.html")])).code).toBe(0);
  expect(readFileSync(at("report.html"), "utf8")).toMatch(/^<!doctype html>(?![^]*oldold)/i);
});

test.each([
  ["page.json", "page.json gave no state"],
  ["nowhere.json", "nowhere.json cannot be read"],
])("an unreadable object never counts as no drift: in the state %s, which is none", async (name, words) => {
  writeFiles(scene.folder, { "page.json": "<html>" });
  expect(await scene.run(["drift", "--state", name])).toMatchObject({ code: 1, out: "", error: textWith(words) });
});

test.each([
  ["logs", "orders"],
  ["import", "--all"],
])("%s gives up on a server that only fails within a minute", async (...args) => {
  scene.emulator.faults.add({ operation: "listServices", kind: "status", status: 500, times: Infinity });
  const sinceMs = scene.clock.now();
  expect(await scene.run(args)).toMatchObject({ code: 1, error: textWith("500") });
  expect(scene.clock.now() - sinceMs).toBeLessThanOrEqual(60_000);
});

test("a key that may only read is enough, and nothing but GET is sent", async () => {
  resizeOutside();
  const { code, found, requests } = await scene.drift([file], [], { DBCLOUD_API_KEY: "key-that-may-only-read" });
  expect([code, found]).toEqual([2, ["changed orders.cpuMillis"]]);
  expect(requests.every((request) => request.startsWith("GET "))).toBe(true);
});

test("--project looks at that project alone; without it, every project of the stacks counts", async () => {
  const elsewhere = await scene.service({ name: "elsewhere", projectId: "proj000001" });
  const both = scene.stack("both", { orders, elsewhere });
  const none = await scene.drift([both], ["--project", "proj000002"], { DBCLOUD_API_KEY: "key-of-another-project" });
  expect([none.code, none.report.projects, none.report.stacks[0]?.resources]).toEqual([0, ["proj000002"], 0]);
  const all = await scene.drift([both]);
  expect([all.code, all.report.projects]).toEqual([0, ["proj000001"]]);
});

test.each([
  ["unmanaged,missing", 0],
  ["unmanaged,changed", 2],
  ["none", 0],
])("--fail-on %s ends a report of a change with %i", async (counts, code) => {
  resizeOutside();
  expect((await scene.drift([file], ["--fail-on", counts])).code).toBe(code);
});
