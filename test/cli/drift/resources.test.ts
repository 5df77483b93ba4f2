// What `drift` says about the resources of stacks: the values of the program, the live ones, and what the next up does.

import { afterEach, describe, expect, test } from "vitest";
import type { ServiceMutation } from "../../../emulator/index";
import type { Changed } from "../../../cli/drift/findings";
import { textWith } from "../../support/matchers";
import { openScene, type Scene } from "./scene";

const sizes = { cpuMillis: 500, memoryGbs: 2 };
const untagged = ["unprotected orders: tag"];

let scene: Scene;
afterEach(() => scene.close());

test("stacks that are as they should be: exit code 0, and a list for each kind", async () => {
  scene = await openScene();
  const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
  const peer = { vpcId: main.id, peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0ab" };
  const peering = await scene.peering.create(peer);
  const orders = await scene.service.create({ name: "orders", vpcId: main.id, password: "hunter2-hunter2" });
  const readers = { serviceId: orders.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
  const set = await scene.readReplicaSet.create(readers);
  scene.calls();
  const network = scene.stack("network", { main: ["Vpc", main], peering: ["Peering", peering] });
  const shop = scene.stack("dev", { orders: ["Service", orders], readers: ["ReadReplicaSet", set] });
  const { code, found, report, requests } = await scene.drift([network, shop]);
  expect(found).toEqual([]);
  expect(code).toBe(0);
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
  ["a pause that the program wants", { paused: true }, {}, [], 0],
  ["a pause", {}, { status: "PAUSED" }, ["attention orders: PAUSED"], 0],
  ["what the program does not manage", {}, { cpuMillis: 4_000, replicaCount: 2 }, [], 0],
  ["a deletion", {}, { status: "DELETING" }, ["missing orders"], 2],
  ["a change under way", sizes, { status: "UPGRADING", cpuMillis: 1_000 }, ["unknown orders"], 1],
  ["a tag", {}, { environment: "PROD" }, ["unprotected orders: protection"], 2],
  ["another tag", { environment: "DEV" }, { environment: "PROD" }, ["changed orders.environment"], 2],
  ["a tag, unprotected", { deletionProtection: false }, { environment: "PROD" }, [], 0],
  ["no tag", { environment: "PROD" }, { environment: "DEV" }, untagged, 2],
  ["no tag, protected", { environment: "PROD", deletionProtection: true }, { environment: "DEV" }, untagged, 2],
])("%s, by hand, is found as it is", async (_, inputs, mutation, found, code) => {
  scene = await openScene();
  const orders = await scene.service.create({ name: "orders", ...inputs });
  scene.emulator.mutate.service(orders.id, mutation);
  const file = scene.stack("dev", { orders: ["Service", orders] });
  const drift = await scene.drift([file]);
  expect([drift.found, drift.code]).toEqual([found, code]);
});

test("a pause by hand counts where --fail-on says so", async () => {
  scene = await openScene();
  const orders = await scene.service.create({ name: "orders" });
  scene.emulator.mutate.service(orders.id, { paused: true });
  const file = scene.stack("dev", { orders: ["Service", orders] });
  expect((await scene.drift([file], ["--fail-on", "attention"])).code).toBe(2);
});

type Row = readonly [
  property: string,
  declared: unknown,
  mutation: object,
  live: unknown,
  calls: string[],
  effect: string,
];

describe("each input that changes in place", () => {
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
  ])("service.%s: %j", async (property, declared, mutation, live, calls, effect) => {
    scene = await openScene();
    const orders = await scene.service.create({ name: "orders", ...sizes, [property]: declared });
    scene.emulator.mutate.service(orders.id, mutation);
    const { code, report, requests } = await scene.drift([scene.stack("dev", { orders: ["Service", orders] })]);
    expect(report.findings.filter(({ category }) => category === "changed")).toEqual([
      expect.objectContaining({ stack: "shop/dev", name: "orders", id: orders.id, property, program: declared, live }),
    ]);
    const { next } = report.findings.find((finding): finding is Changed => finding.category === "changed") ?? {};
    expect(next).toMatchObject({ action: "update", calls });
    expect(next?.effects.join("; ")).toContain(effect);
    expect(code).toBe(2);
    expect(requests.filter((request) => /Services?$/.test(request))).toEqual(["GET listServices", "GET getService"]);
  });

  test("service.vpcId: the addresses that went with it are no findings of their own, those that moved of themselves are", async () => {
    scene = await openScene();
    const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
    const orders = await scene.service.create({ name: "orders", regionCode: "us-east-1", vpcId: main.id });
    const billing = await scene.service.create({ name: "billing" });
    const of = ({ id }: { id: string }) => ({ serviceId: id, name: "readers", nodes: 1, ...sizes });
    const sets = [
      await scene.readReplicaSet.create(of(orders)),
      await scene.readReplicaSet.create(of(billing)),
    ] as const;
    const network = scene.stack("network", { main: ["Vpc", main], first: ["ReadReplicaSet", sets[0]] });
    const shop = scene.stack("dev", {
      orders: ["Service", orders],
      billing: ["Service", billing],
      second: ["ReadReplicaSet", sets[1]],
    });
    scene.emulator.mutate.service(orders.id, { vpcId: undefined });
    scene.emulator.mutate.service(billing.id, { vpcId: main.id });
    const { report, found } = await scene.drift([network, shop]);
    expect(found).toEqual(["changed orders.vpcId", "moved billing.endpoint", "moved second.endpoint"]);
    expect(report.findings[0]).toMatchObject({
      program: main.id,
      live: null,
      next: {
        calls: ["attachToVPC"],
        effects: ["attaching moves host, pooler and replica endpoints, and the service is out of reach meanwhile"],
      },
    });
  });

  test("the name of a VPC, and what a read replica set can change", async () => {
    scene = await openScene();
    const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
    const orders = await scene.service.create({ name: "orders" });
    const set = await scene.readReplicaSet.create({
      serviceId: orders.id,
      name: "readers",
      nodes: 1,
      ...sizes,
      poolerEnabled: false,
      environment: "DEV",
    });
    scene.emulator.mutate.vpc(main.id, { name: "by-hand" });
    scene.emulator.mutate.replicaSet(set.id, { cpuMillis: 1_000, poolerEnabled: true, environment: "PROD" });
    const file = scene.stack("dev", {
      main: ["Vpc", main],
      orders: ["Service", orders],
      readers: ["ReadReplicaSet", set],
    });
    const { found, report } = await scene.drift([file]);
    expect(found.toSorted()).toEqual([
      "changed main.name",
      "changed readers.cpuMillis",
      "changed readers.environment",
      "changed readers.poolerEnabled",
    ]);
    expect(report.findings[0]).toMatchObject({ program: "main", live: "by-hand", next: { calls: ["rename"] } });
  });

  test("a paused service is started for a change and stopped again", async () => {
    scene = await openScene();
    const orders = await scene.service.create({ name: "orders", ...sizes, paused: true });
    scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000 });
    const { report } = await scene.drift([scene.stack("dev", { orders: ["Service", orders] })]);
    expect(report.findings).toMatchObject([
      {
        property: "cpuMillis",
        next: {
          calls: ["start", "resize", "stop"],
          effects: [textWith("started for the change"), textWith("restarts")],
        },
      },
    ]);
  });
});

describe("objects that are gone", () => {
  test("are created again, or stay in the state where they are protected; one answer is not believed", async () => {
    scene = await openScene();
    const orders = await scene.service.create({ name: "orders" });
    const prod = await scene.service.create({ name: "prod", environment: "PROD" });
    const set = { serviceId: orders.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
    const readers = await scene.readReplicaSet.create(set);
    const file = scene.stack("dev", {
      orders: ["Service", orders],
      prod: ["Service", prod],
      readers: ["ReadReplicaSet", readers],
    });
    scene.emulator.mutate.deleteService(orders.id);
    scene.emulator.mutate.deleteService(prod.id);
    const { code, found, report, requests } = await scene.drift([file]);
    expect(found).toEqual(["missing orders", "missing prod", "missing readers"]);
    expect(report.findings).toMatchObject([
      { next: { action: "create", effects: ["a new and EMPTY service is made"] } },
      { next: { action: "refused", reason: textWith("it stays in the state") } },
      { next: { action: "create" } },
    ]);
    expect(code).toBe(2);
    expect(requests.length).toBeLessThanOrEqual(13);
  });

  test("and stay in the state are not said to be done by the next up", async () => {
    scene = await openScene();
    const prod = await scene.service.create({ name: "prod", environment: "PROD" });
    const orders = await scene.service.create({ name: "orders" });
    const file = scene.stack("dev", { prod: ["Service", prod], orders: ["Service", orders] });
    scene.emulator.mutate.deleteService(prod.id);
    scene.emulator.mutate.deleteService(orders.id);
    const { out } = await scene.run(["drift", "--state", file]);
    expect(out).toMatch(/prod \(Service .*stops; it stays in the state/);
    expect(out).toMatch(/orders \(Service .*creates it again/);
  });

  test("that one list leaves out are not reported as gone", async () => {
    scene = await openScene();
    const orders = await scene.service.create({ name: "orders" });
    const file = scene.stack("dev", { orders: ["Service", orders] });
    scene.emulator.faults.add({ operation: "listServices", kind: "garbage", body: [], times: 2 });
    const { code, found, requests } = await scene.drift([file]);
    expect([code, found]).toEqual([0, []]);
    expect(requests).toContain("GET getService");
  });
});
