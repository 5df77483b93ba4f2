// What `drift` says about the resources of stacks: the values of the program, the live ones, and what the next up does.

import { expect, test } from "vitest";
import type { ServiceMutation } from "../../../emulator/index";
import type { Changed } from "../../../cli/drift/findings";
import { textWith } from "../../support/matchers";
import { scene, sizes, useScene } from "./scene";

useScene();

test("stacks that are as they should be end with 0, after one list for each kind", async () => {
  const main = await scene.vpc();
  const peering = await scene.peering(main);
  const orders = await scene.service({ vpcId: main.id, password: "hunter2-hunter2" });
  const readers = await scene.readers(orders);
  scene.calls();
  const files = [scene.stack("network", { main, peering }), scene.stack("dev", { orders, readers })];
  const { code, found, report, requests } = await scene.drift(files);
  expect([found, code]).toEqual([[], 0]);
  expect(requests.toSorted()).toEqual(["GET listPeerings", "GET listServices", "GET listVpcs"]);
  expect(report).toMatchObject({ format: "pulumi-dbcloud/drift", version: 1, outcome: "in-sync", exitCode: 0 });
  expect(report.stacks).toEqual([
    { name: "shop/network", resources: 2 },
    { name: "shop/dev", resources: 2 },
  ]);
  expect(scene.calls()).toEqual([]);
});

test.each<[what: string, inputs: object, mutation: ServiceMutation, found: string[], code: number]>([
  ["nothing", {}, {}, [], 0],
  ["what the program does not manage", {}, { cpuMillis: 4_000, replicaCount: 2 }, [], 0],
  ["a deletion", {}, { status: "DELETING" }, ["missing orders"], 2],
  ["a change under way", sizes, { status: "UPGRADING", cpuMillis: 1_000 }, ["unknown orders"], 1],
  ["another tag", { environment: "DEV" }, { environment: "PROD" }, ["changed orders.environment"], 2],
])("%s, by hand, is found as it is", async (_, inputs, mutation, found, code) => {
  const orders = await scene.service(inputs);
  scene.emulator.mutate.service(orders.id, mutation);
  const drift = await scene.driftOf({ orders });
  expect([drift.found, drift.code]).toEqual([found, code]);
});

type Row = readonly [
  property: string,
  declared: unknown,
  mutation: object,
  live: unknown,
  calls: string[],
  effect: string,
];

test.each<Row>([
  ["name", "orders", { name: "by-hand" }, "by-hand", ["rename"], ""],
  ["cpuMillis", 500, { cpuMillis: 4_000 }, 4_000, ["resize"], "resize restarts the service"],
  ["memoryGbs", 2, { memoryGbs: 16 }, 16, ["resize"], "resize restarts the service"],
  ["environment", "DEV", { environment: "PROD" }, "PROD", ["setEnvironment"], ""],
  ["haReplicas", { replicaCount: 0 }, { replicaCount: 2 }, { replicaCount: 2 }, ["setHA"], ""],
  ["poolerEnabled", true, { poolerEnabled: false }, false, ["enablePooler"], ""],
  ["poolerEnabled", false, { poolerEnabled: true }, true, ["disablePooler"], "connections through the pooler end"],
  ["paused", false, { paused: true }, true, ["start"], ""],
  ["paused", true, { paused: false }, false, ["stop"], "stopping ends all connections"],
])(
  "%s of a service, which is %j in the program, is found with what repairs it",
  async (property, declared, mutation, live, calls, effect) => {
    const orders = await scene.service({ ...sizes, [property]: declared });
    scene.emulator.mutate.service(orders.id, mutation);
    const { code, report, requests } = await scene.driftOf({ orders });
    const found = { stack: "shop/dev", name: "orders", id: orders.id, property, program: declared, live };
    expect(report.findings.filter(({ category }) => category === "changed")).toEqual([expect.objectContaining(found)]);
    const { next } = report.findings.find((finding): finding is Changed => finding.category === "changed") ?? {};
    expect(next).toMatchObject({ action: "update", calls });
    expect(next?.effects.join("; ")).toContain(effect);
    expect(code).toBe(2);
    expect(new Set(requests.filter((request) => /Services?$/.test(request)))).toEqual(
      new Set(["GET listServices", "GET getService"]),
    );
  },
);

test("a move to another VPC stands before the address that it brought, and explains those that went with it", async () => {
  const main = await scene.vpc();
  const orders = await scene.service({ regionCode: "us-east-1", vpcId: main.id });
  const billing = await scene.service({ name: "billing" });
  const [first, second] = [await scene.readers(orders), await scene.readers(billing)];
  const files = [scene.stack("network", { main, first }), scene.stack("dev", { orders, billing, second })];
  scene.emulator.mutate.service(orders.id, { vpcId: undefined });
  scene.emulator.mutate.service(billing.id, { vpcId: main.id });
  const { report, found } = await scene.drift(files);
  expect(found).toEqual(["changed orders.vpcId", "moved billing.vpcId", "moved billing.host"]);
  const next = { calls: ["attachToVPC"], effects: [textWith("the public address ends")] };
  expect(report.findings[0]).toMatchObject({ program: main.id, live: null, next });
  expect(report.findings[1]).toMatchObject({ recorded: null, live: main.id });
});

test("the name of a VPC, and what a read replica set can change, are found", async () => {
  const main = await scene.vpc();
  const orders = await scene.service();
  const readers = await scene.readers(orders, { poolerEnabled: false, environment: "DEV" });
  scene.emulator.mutate.vpc(main.id, { name: "by-hand" });
  scene.emulator.mutate.replicaSet(readers.id, { cpuMillis: 1_000, poolerEnabled: true, environment: "PROD" });
  const { found, report } = await scene.driftOf({ main, orders, readers });
  expect(found.toSorted()).toEqual([
    "changed main.name",
    "changed readers.cpuMillis",
    "changed readers.environment",
    "changed readers.poolerEnabled",
  ]);
  expect(report.findings[0]).toMatchObject({ program: "main", live: "by-hand", next: { calls: ["rename"] } });
});

test("a paused service is started for a change and stopped again", async () => {
  const orders = await scene.service({ ...sizes, paused: true });
  scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000 });
  const { report } = await scene.driftOf({ orders });
  const effects = [textWith("started for the change"), textWith("restarts")];
  expect(report.findings).toMatchObject([
    { property: "cpuMillis", next: { calls: ["start", "resize", "stop"], effects } },
  ]);
});

test("objects that are gone are created again, or stay in the state where they are protected; one answer is not believed", async () => {
  const orders = await scene.service();
  const prod = await scene.service({ name: "prod", environment: "PROD" });
  const readers = await scene.readers(orders);
  const file = scene.stack("dev", { orders, prod, readers });
  scene.emulator.mutate.deleteService(orders.id);
  scene.emulator.mutate.deleteService(prod.id);
  const { code, found, report, requests } = await scene.drift([file]);
  expect(found).toEqual(["missing orders", "missing prod", "missing readers"]);
  expect(report.findings).toMatchObject([
    { next: { action: "create", effects: [textWith("EMPTY")] } },
    { next: { action: "refused", reason: textWith("it stays in the state") } },
    { next: { action: "create" } },
  ]);
  expect(code).toBe(2);
  expect(requests.length).toBeLessThanOrEqual(14);
  const { out } = await scene.run(["drift", "--state", file]);
  expect(out).toMatch(/prod is gone +stops; it stays in the state/);
  expect(out).toMatch(/orders is gone +creates it again/);
});

test("objects that are gone are not objects that one list leaves out", async () => {
  const orders = await scene.service();
  scene.emulator.faults.add({ operation: "listServices", kind: "garbage", body: [], times: 2 });
  const { code, found, requests } = await scene.driftOf({ orders });
  expect([code, found]).toEqual([0, []]);
  expect(requests).toContain("GET getService");
});
