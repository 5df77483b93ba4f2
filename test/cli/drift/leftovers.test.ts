// What earlier runs, failures and people left behind: each is reported, with what the next run makes of it.

import { afterEach, describe, expect, test } from "vitest";
import { textLike, textWith } from "../../support/matchers";
import { encrypted, openScene, type Scene } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

test("what has failed for good: a peering and a read replica set are replaced, a VPC is reported", async () => {
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
  expect(found).toEqual(["changed main.status", "changed peering.status", "changed readers.status"]);
  expect(report.findings).toMatchObject([
    { live: "ERROR", next: { action: "nothing", reason: textWith("has failed (ERROR)") } },
    { live: "invalid", next: { action: "replace" } },
    { live: "error", next: { action: "replace" } },
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

  test("is reported with the objects it may have made, and the advice to adopt, not to refresh or import", async () => {
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
    expect(out).toContain("`DBCLOUD_ADOPT=<id>,<id> pulumi up`");
    expect(out).toContain("`pulumi refresh --clear-pending-creates`");
    for (const words of ["pulumi up --refresh", "import --all"]) expect(out).not.toContain(words);
  });

  test("stays noted after the adoption, until it is cleared", async () => {
    scene = await openScene();
    const made = await scene.service.create({ name: "s2-dev" });
    const more = { pending_operations: [pending("s2", { name: "s2-dev" })] };
    const { out } = await scene.run(["drift", "--state", scene.stack("dev", { s2: ["Service", made] }, more)]);
    expect(out).toContain(`s2 (Service ${made.id})  creating, whose end is not recorded`);
    expect(out).toContain("`pulumi refresh --clear-pending-creates`");
    for (const words of ["pulumi up --refresh", "DBCLOUD_ADOPT"]) expect(out).not.toContain(words);
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

test("a protection that only the recorded tag gave ends with the next update", async () => {
  scene = await openScene();
  const made = await scene.service.create({ name: "adopted" });
  const byTag = { ...made, outputs: { ...made.outputs, environment: "PROD", deletionProtection: true } };
  const { found, report } = await scene.drift([scene.stack("dev", { adopted: ["Service", byTag] })]);
  expect(found).toEqual(["unprotected adopted: tag", "unprotected adopted: protection"]);
  expect(report.findings[1]).toMatchObject({ meaning: textWith("ends the protection") });
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
