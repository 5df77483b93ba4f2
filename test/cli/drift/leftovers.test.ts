// What earlier runs, failures and people left behind: each is reported, with what the next run makes of it.

import { afterEach, describe, expect, test } from "vitest";
import { textLike, textWith } from "../../support/matchers";
import { encrypted, openScene, type Scene } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

test("what has failed for good: a peering and a read replica set are replaced, a VPC needs attention", async () => {
  scene = await openScene({ switches: { vpcStatus: true } });
  const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
  const peer = { vpcId: main.id, peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0ab" };
  const peering = await scene.peering.create(peer);
  const orders = await scene.service.create({ name: "orders" });
  const readers = { serviceId: orders.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
  const set = await scene.readReplicaSet.create(readers);
  scene.emulator.mutate.peering(peering.id, { status: "invalid", errorMessage: "refused by the peer" });
  scene.emulator.mutate.replicaSet(set.id, { status: "error" });
  scene.emulator.mutate.vpc(main.id, { status: "ERROR" });
  const file = scene.stack("dev", {
    main: ["Vpc", main],
    peering: ["Peering", peering],
    orders: ["Service", orders],
    readers: ["ReadReplicaSet", set],
  });
  const { found, report } = await scene.drift([file]);
  expect(found).toEqual(["changed peering.status", "changed readers.status", "attention main: ERROR"]);
  expect(report.findings).toMatchObject([
    { live: "invalid", next: { action: "replace" } },
    { live: "error", next: { action: "replace" } },
    { type: "Vpc", meaning: textWith("has failed (ERROR)") },
  ]);
});

describe("what a run left behind", () => {
  test("steps that are owed, a last operation that failed, an entry to be deleted, an operation that never ended", async () => {
    scene = await openScene();
    scene.emulator.faults.add({ operation: "enablePooler", kind: "status", status: 403, times: Infinity });
    const half = await scene.service.create({ name: "half", poolerEnabled: true, password: "hunter2-hunter2" });
    const old = await scene.service.create({ name: "old" });
    const file = scene.stack(
      "dev",
      { half: ["Service", half], old: ["Service", old, { delete: true }] },
      {
        pending_operations: [
          {
            resource: { urn: "urn:pulumi:dev::shop::x::new", type: "pulumi-nodejs:dynamic/dbcloud:Service" },
            type: "creating",
          },
          { resource: { urn: "urn:pulumi:dev::shop::y::other", type: "aws:ec2/instance:Instance" }, type: "creating" },
        ],
      },
    );
    const { code, found } = await scene.drift([file]);
    expect(found).toEqual([
      "changed half.poolerEnabled",
      "owed half: enablePooler, updatePassword",
      "owed old: delete",
      "owed new: creating, whose end is not recorded",
    ]);
    expect(code).toBe(2);
  });
});

describe("an interrupted create", () => {
  const type = "pulumi-nodejs:dynamic/dbcloud:Service";
  const pending = (name: string, inputs: object, operation = "creating"): object => ({
    resource: { urn: `urn:pulumi:dev::shop::${type}::${name}`, type, inputs },
    type: operation,
  });

  test("is reported with the objects it may have made", async () => {
    scene = await openScene();
    const { id } = scene.emulator.mutate.createService({ name: "s2-dev" });
    const pending_operations = [
      pending("s2", { name: "s2-dev" }),
      pending("s3", { name: "s2-dev", projectId: "prjelsewhere" }),
      pending("s4", { name: encrypted }),
      pending("s5", { name: "s2-dev" }, "updating"),
    ];
    const file = scene.stack("dev", {}, { pending_operations });
    const { report } = await scene.drift([file]);
    expect(report.findings).toMatchObject([
      { name: "s2", isPendingCreate: true },
      { name: "s3", isPendingCreate: true },
      { name: "s4", isPendingCreate: true },
      { name: "s5" },
      { id, pendingCreates: [{ stack: "shop/dev", name: "s2" }] },
    ]);
    expect(report.findings[3]).not.toHaveProperty("isPendingCreate");
    const { out } = await scene.run([
      "drift",
      "--state",
      scene.stack("dev", {}, { pending_operations: [pending_operations[0]] }),
    ]);
    expect(out).toContain("s2 (Service)  creating, whose end is not recorded");
    expect(out).toMatch(
      new RegExp(`Service s2-dev \\(${id}\\).* maybe made by the interrupted create of s2 of shop/dev`),
    );
    expect(out).toContain("docs/drift.md");
  });

  test("stays noted after the adoption, until it is cleared", async () => {
    scene = await openScene();
    const made = await scene.service.create({ name: "s2-dev" });
    const more = { pending_operations: [pending("s2", { name: "s2-dev" })] };
    const { out } = await scene.run(["drift", "--state", scene.stack("dev", { s2: ["Service", made] }, more)]);
    expect(out).toContain(`s2 (Service ${made.id})  creating, whose end is not recorded`);
  });
});

test("the landed steps of a partly failed update are not reported as drift", async () => {
  scene = await openScene();
  const made = await scene.service.create({ name: "half", environment: "PROD", cpuMillis: 500, memoryGbs: 2 });
  // Pulumi: the inputs of before stay, here those of a refresh that saw DEV.
  const half = {
    ...made,
    inputs: { ...made.inputs, environment: "DEV" },
    outputs: { ...made.outputs, __pending: ["resize"] },
  };
  const { found } = await scene.drift([scene.stack("dev", { half: ["Service", half] })]);
  expect(found).toEqual(["owed half: resize"]);
});

test("a service that somebody stopped is told, and is drift only where --fail-on says so", async () => {
  scene = await openScene();
  const orders = await scene.service.create({ name: "orders" });
  const managed = await scene.service.create({ name: "managed", paused: true });
  scene.emulator.mutate.service(orders.id, { status: "PAUSED" });
  const file = scene.stack("dev", { orders: ["Service", orders], managed: ["Service", managed] });
  const { found, code } = await scene.drift([file]);
  expect([found, code]).toEqual([["attention orders: PAUSED"], 0]);
  expect((await scene.drift([file], ["--fail-on", "attention"])).code).toBe(2);
  expect((await scene.run(["drift", "--state", file])).out).toContain("Needs attention");
});

test("a peering that its peer has not accepted is told, with what there is to accept", async () => {
  scene = await openScene({ timings: { peeringActive: Infinity } });
  const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
  const peer = { vpcId: main.id, peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0ab" };
  const peering = await scene.peering.create(peer);
  const file = scene.stack("dev", { main: ["Vpc", main], peering: ["Peering", peering] });
  const { found, report, code } = await scene.drift([file]);
  expect([found, code]).toEqual([["attention peering: pending"], 0]);
  const accepts = `accepts "${String(peering.outputs["provisionedId"])}" in "us-east-1"`;
  expect(report.findings).toMatchObject([{ meaning: `carries no traffic until account "123456789012" ${accepts}` }]);
});

test.each(["UNSTABLE", "READ_ONLY"])(
  "a service that is %s is told, and its settings are not compared",
  async (status) => {
    scene = await openScene();
    const orders = await scene.service.create({ name: "orders" });
    scene.emulator.mutate.service(orders.id, { status });
    const { found, code } = await scene.drift([scene.stack("dev", { orders: ["Service", orders] })]);
    expect([found, code]).toEqual([["unknown orders", `attention orders: ${status}`], 1]);
  },
);

describe("protection", () => {
  test("a tag that was taken away, and what goes with it", async () => {
    scene = await openScene();
    const tagged = await scene.service.create({ name: "tagged", environment: "PROD" });
    const declared = await scene.service.create({ name: "declared", environment: "PROD", deletionProtection: true });
    const open = await scene.service.create({ name: "open", deletionProtection: false });
    const adopted = await scene.service.create({ name: "adopted" });
    const byTag = { ...adopted, outputs: { ...adopted.outputs, environment: "PROD", deletionProtection: true } };
    for (const { id } of [tagged, declared]) scene.emulator.mutate.service(id, { environment: "DEV" });
    scene.emulator.mutate.service(open.id, { environment: "PROD" });
    const file = scene.stack("dev", {
      tagged: ["Service", tagged],
      declared: ["Service", declared],
      open: ["Service", open],
      adopted: ["Service", byTag],
    });
    const { found, report } = await scene.drift([file]);
    expect(found).toEqual([
      "unprotected tagged: tag",
      "unprotected declared: tag",
      "unprotected adopted: tag",
      "unprotected adopted: protection",
    ]);
    expect(report.findings[0]).toMatchObject({ next: { action: "update", calls: ["setEnvironment"] } });
    expect(report.findings[2]).not.toHaveProperty("next");
    expect(report.findings.at(-1)).toMatchObject({ meaning: textWith("the next update of it ends the protection") });
    const { out } = await scene.run(["drift", "--state", file]);
    expect(out).toMatch(
      /tagged \(Service \S+\) +tag +the tag PROD is gone: it is "DEV" now; the next up repairs it: setEnv/,
    );
  });

  test("a tag that came by hand: nothing has stored the protection yet", async () => {
    scene = await openScene();
    const orders = await scene.service.create({ name: "orders" });
    scene.emulator.mutate.service(orders.id, { environment: "PROD" });
    const { found, report } = await scene.drift([scene.stack("dev", { orders: ["Service", orders] })]);
    expect(found).toEqual(["unprotected orders: protection"]);
    expect(report.findings[0]).toMatchObject({
      recorded: false,
      meaning: textWith("no run has stored the protection"),
    });
  });

  test("a tag that came by hand, where the program has another: the next update takes it off, and protects nothing", async () => {
    scene = await openScene();
    const orders = await scene.service.create({ name: "orders", environment: "DEV" });
    scene.emulator.mutate.service(orders.id, { environment: "PROD" });
    const { found } = await scene.drift([scene.stack("dev", { orders: ["Service", orders] })]);
    expect(found).toEqual(["changed orders.environment"]);
  });
});

describe("secrets", () => {
  test("what the state holds encrypted cannot be compared, and says so; the password never can, and says nothing", async () => {
    scene = await openScene();
    const orders = await scene.service.create({ name: "orders", cpuMillis: 500, memoryGbs: 2, password: "hunter2-x" });
    const hide = <T extends object>(values: T): T => ({ ...values, cpuMillis: encrypted });
    const hidden = { ...orders, inputs: hide(orders.inputs), outputs: hide(orders.outputs) };
    const file = scene.stack("dev", { orders: ["Service", hidden] });
    scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000, memoryGbs: 4 });
    const told = await scene.drift([file]);
    expect(told.found).toEqual(["unknown orders", "changed orders.memoryGbs"]);
    expect(told.report.findings[0]).toMatchObject({ reason: textLike(/holds cpuMillis encrypted/) });
    expect(told.code).toBe(1);
    const skipped = await scene.drift([file], ["--skip-secret-inputs"]);
    expect([skipped.code, skipped.found]).toEqual([2, ["changed orders.memoryGbs"]]);
    const table = await scene.run(["drift", "--state", file, "--skip-secret-inputs"]);
    const all = told.out + told.error + skipped.out + table.out + table.error;
    for (const secret of [
      "hunter2",
      "never-opened",
      String(orders.outputs["initialPassword"]),
      scene.emulator.apiKey,
    ]) {
      expect(all).not.toContain(secret);
    }
  });
});
