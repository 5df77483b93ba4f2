// What earlier runs, failures and people left behind: each is reported, with what the next run makes of it.

import { expect, test } from "vitest";
import { readStack } from "../../../cli/drift/state";
import { textLike, textWith } from "../../support/matchers";
import { encrypted, exported, type Held, open, scene, sizes, useScene } from "./scene";

useScene();

test("a peering and a read replica set that have failed for good are replaced, a VPC needs attention", async () => {
  await open({ switches: { vpcStatus: true } });
  const main = await scene.vpc();
  const peering = await scene.peering(main);
  const orders = await scene.service();
  const readers = await scene.readers(orders);
  scene.emulator.mutate.peering(peering.id, { status: "invalid", errorMessage: "refused by the peer" });
  scene.emulator.mutate.replicaSet(readers.id, { status: "error" });
  scene.emulator.mutate.vpc(main.id, { status: "ERROR" });
  const { found, report } = await scene.driftOf({ main, peering, orders, readers });
  expect(found).toEqual(["changed peering.status", "changed readers.status", "attention main: ERROR"]);
  expect(report.findings).toMatchObject([
    { live: "invalid", next: { action: "replace" } },
    { live: "error", next: { action: "replace" } },
    { type: "Vpc", meaning: textWith("has failed (ERROR)") },
  ]);
});

const type = "pulumi-nodejs:dynamic/dbcloud:Service";
const pending = (name: string, inputs: object = {}, operation = "creating"): object => ({
  resource: { urn: `urn:pulumi:dev::shop::${type}::${name}`, type, inputs },
  type: operation,
});

test("a run that was interrupted leaves steps that are owed, entries to be deleted, and operations that never ended", async () => {
  scene.emulator.faults.add({ operation: "enablePooler", kind: "status", status: 403, times: Infinity });
  const half = await scene.service({ name: "half", poolerEnabled: true, password: "hunter2-hunter2" });
  const old: Held = { ...(await scene.service({ name: "old" })), entry: { delete: true } };
  const other = { urn: "urn:pulumi:dev::shop::y::other", type: "aws:ec2/instance:Instance" };
  const pending_operations = [pending("new"), { resource: other, type: "creating" }];
  const { code, found } = await scene.driftOf({ half, old }, { pending_operations });
  expect(found).toEqual([
    "changed half.poolerEnabled",
    "owed half: enablePooler, updatePassword",
    "owed old: delete",
    "owed new: creating, whose outcome is not known",
  ]);
  expect(code).toBe(2);
});

test("a run that was interrupted leaves steps that landed, which are no drift", async () => {
  const made = await scene.service({ name: "half", environment: "PROD", ...sizes });
  // Pulumi: the inputs of before stay, here those of a refresh that saw DEV.
  const inputs = { ...made.inputs, environment: "DEV" };
  const half = { ...made, inputs, outputs: { ...made.outputs, __pending: ["resize"] } };
  expect((await scene.driftOf({ half })).found).toEqual(["owed half: resize"]);
});

test("an interrupted create is reported with the objects it may have made", async () => {
  const { id } = scene.emulator.mutate.createService({ name: "s2-dev" });
  const pending_operations = [
    pending("s2", { name: "s2-dev" }),
    pending("s3", { name: "s2-dev", projectId: "prjelsewhere" }),
    pending("s4", { name: encrypted }),
    pending("s5", { name: "s2-dev" }, "updating"),
  ];
  const { report } = await scene.driftOf({}, { pending_operations });
  expect(report.findings).toMatchObject([
    { name: "s2", isPendingCreate: true },
    { name: "s3", isPendingCreate: true },
    { name: "s4", isPendingCreate: true },
    { name: "s5" },
    { id, pendingCreates: [{ stack: "shop/dev", name: "s2" }] },
  ]);
  expect(report.findings[3]).not.toHaveProperty("isPendingCreate");
  const one = scene.stack("dev", {}, { pending_operations: [pending_operations[0]] });
  const { out } = await scene.run(["drift", "--state", one]);
  expect(out).toMatch(
    /Service +s2 owes creating, whose outcome is not known +`pulumi refresh --clear-pending-creates`/,
  );
  expect(out).toMatch(new RegExp(`Service s2-dev \\(${id}\\).* interrupted create of s2 of shop/dev`));
});

test("an interrupted create stays noted after the adoption, until it is cleared", async () => {
  const s2 = await scene.service({ name: "s2-dev" });
  const more = { pending_operations: [pending("s2", { name: "s2-dev" })] };
  const { out } = await scene.run(["drift", "--state", scene.stack("dev", { s2 }, more)]);
  expect(out).toContain(`Service ${s2.id}  s2 owes creating, whose outcome is not known`);
});

test("a service that somebody stopped is told, and is drift only where --fail-on says so", async () => {
  const orders = await scene.service();
  const managed = await scene.service({ name: "managed", paused: true });
  scene.emulator.mutate.service(orders.id, { status: "PAUSED" });
  const file = scene.stack("dev", { orders, managed });
  const { found, code } = await scene.drift([file]);
  expect([found, code]).toEqual([["attention orders: PAUSED"], 0]);
  expect((await scene.drift([file], ["--fail-on", "attention"])).code).toBe(2);
  expect((await scene.run(["drift", "--state", file])).out).toContain("Needs attention");
});

test("a peering that its peer has not accepted is told, with what there is to accept", async () => {
  await open({ timings: { peeringActive: Infinity } });
  const main = await scene.vpc();
  const peering = await scene.peering(main);
  const { found, report, code } = await scene.driftOf({ main, peering });
  expect([found, code]).toEqual([["attention peering: pending"], 0]);
  expect(report.findings).toMatchObject([{ meaning: textWith(String(peering.outputs["provisionedId"])) }]);
});

test.each(["rejected", "expired"])("a peering that is %s is told with that word, and what to do", async (status) => {
  const network = await scene.vpc();
  const peering = await scene.peering(network);
  scene.emulator.mutate.peering(peering.id, { status });
  const file = scene.stack("dev", { network, peering });
  const { found, report } = await scene.drift([file]);
  expect(found).toContain(`attention peering: ${status}`);
  expect(JSON.stringify(report)).toContain(`is \\"${status}\\" and carries no traffic; if account`);
});

test.each(["UNSTABLE", "READ_ONLY"])("a service that is %s is told, its settings are not compared", async (status) => {
  const orders = await scene.service();
  scene.emulator.mutate.service(orders.id, { status });
  const { found, code } = await scene.driftOf({ orders });
  expect([found, code]).toEqual([["unknown orders", `attention orders: ${status}`], 1]);
});

test("protection is told where a tag was taken away, with what goes with the tag", async () => {
  const tagged = await scene.service({ name: "tagged", environment: "PROD" });
  const declared = await scene.service({ name: "declared", environment: "PROD", deletionProtection: true });
  const unprotected = await scene.service({ name: "open", deletionProtection: false });
  const made = await scene.service({ name: "adopted" });
  const adopted = { ...made, outputs: { ...made.outputs, environment: "PROD", deletionProtection: true } };
  for (const { id } of [tagged, declared]) scene.emulator.mutate.service(id, { environment: "DEV" });
  scene.emulator.mutate.service(unprotected.id, { environment: "PROD" });
  const file = scene.stack("dev", { tagged, declared, open: unprotected, adopted });
  const { found, report, code } = await scene.drift([file]);
  expect(found).toEqual([
    "unprotected tagged: tag",
    "unprotected declared: tag",
    "unprotected adopted: tag",
    "unprotected adopted: protection",
  ]);
  expect(code).toBe(2);
  expect(report.findings[0]).toMatchObject({ next: { action: "update", calls: ["setEnvironment"] } });
  expect(report.findings[2]).not.toHaveProperty("next");
  expect(report.findings.at(-1)).toMatchObject({ meaning: textWith("its next update ends the protection") });
  const { out } = await scene.run(["drift", "--state", file]);
  expect(out).toMatch(/tagged: its tag PROD +the tag PROD is gone: .*; the next up repairs it: setEnv/);
});

test("protection is told where a tag came by hand: nothing has stored it yet", async () => {
  const orders = await scene.service();
  scene.emulator.mutate.service(orders.id, { environment: "PROD" });
  const { found, report, code } = await scene.driftOf({ orders });
  expect([found, code]).toEqual([["unprotected orders: protection"], 2]);
  const meaning = textWith("no run has stored the protection");
  expect(report.findings[0]).toMatchObject({ recorded: false, meaning });
});

test("what the state holds encrypted cannot be compared, and says so; the password never can, and says nothing", async () => {
  const orders = await scene.service({ ...sizes, password: "hunter2-x" });
  const hide = <T extends object>(values: T): T => ({ ...values, cpuMillis: encrypted });
  const hidden = { ...orders, inputs: hide(orders.inputs), outputs: hide(orders.outputs) };
  const file = scene.stack("dev", { orders: hidden });
  scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000, memoryGbs: 4 });
  const told = await scene.drift([file]);
  expect([told.found, told.code]).toEqual([["unknown orders", "changed orders.memoryGbs"], 1]);
  expect(told.report.findings[0]).toMatchObject({ reason: textLike(/cpuMillis encrypted/) });
  const skipped = await scene.drift([file], ["--skip-secret-inputs"]);
  expect([skipped.found, skipped.code]).toEqual([["changed orders.memoryGbs"], 2]);
  const table = await scene.run(["drift", "--state", file, "--skip-secret-inputs"]);
  const all = told.out + told.error + skipped.out + table.out + table.error;
  for (const secret of ["hunter2", "never-opened", String(orders.outputs["initialPassword"]), scene.emulator.apiKey])
    expect(all).not.toContain(secret);
});

test("an input that the plugin saved without an update is compared with the live value", async () => {
  const orders = await scene.service(sizes);
  const entry = { type: "dbcloud:index:Service", inputs: { ...orders.inputs, poolerEnabled: false } };
  expect(await scene.driftOf({ orders: { ...orders, entry } })).toMatchObject({ found: [], code: 0 });
});

test("the copy of a state is reported under the stack that has it", async () => {
  const copy = JSON.stringify(exported("dev", { orders: await scene.service(sizes) }));
  for (const given of ["organization/shop/copy", "copy"]) expect(readStack(copy, given, "it").name).toBe("shop/copy");
  expect(readStack(copy, undefined, "it").name).toBe("shop/dev");
});
