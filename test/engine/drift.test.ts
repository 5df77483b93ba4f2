// `pulumi-dbcloud drift` beside the real CLI: three stacks, 40 objects, differences made by hand. It names exactly what a
// preview with a refresh names, and after an `up` with a refresh only what nobody manages is left.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Finding, Report } from "../../provider/cli/drift/findings";
import { Peering, ReadReplicaSet, Service, Vpc } from "../../provider/index";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";
import type { InlineStack, Run } from "../support/inlineStack";

const sizes = { cpuMillis: 500, memoryGbs: 2 };
const PASSWORD = "hunter2-hunter2";

let world: EngineWorld;
let stacks: Record<"network" | "shop" | "ops", InlineStack>;

async function network(): Promise<Record<string, unknown>> {
  const main = new Vpc("main", { name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
  const peer = { vpcId: main.vpcId, peerAccountId: "123456789012", peerRegionCode: "us-east-1" };
  for (const name of ["a", "b"]) new Peering(name, { ...peer, peerVpcId: `vpc-0${name}` });
  return Promise.resolve({});
}

function shop(vpcId: string): () => Promise<Record<string, unknown>> {
  return () => {
    const regionCode = "us-east-1";
    new Service("named", { name: "named" });
    new Service("sized", { ...sizes });
    new Service("tagged", { environment: "DEV" });
    new Service("copied", { haReplicas: { replicaCount: 1 } });
    new Service("attached", { vpcId, regionCode });
    new Service("pooled", { poolerEnabled: true, password: PASSWORD });
    new Service("paused", { paused: true });
    const orders = new Service("orders", { environment: "PROD", deletionProtection: false });
    new ReadReplicaSet("readers", { serviceId: orders.serviceId, nodes: 1, ...sizes, poolerEnabled: false });
    for (let n = 0; n < 12; n += 1) new Service(`plain${n}`, { ...sizes });
    return Promise.resolve({});
  };
}

async function ops(): Promise<Record<string, unknown>> {
  const others = [new Service("gone", {})];
  for (let n = 0; n < 14; n += 1) others.push(new Service(`plain${n}`, { poolerEnabled: false }));
  // Pulumi: after a failure nothing new is begun, so this one comes last.
  new Service("half", { poolerEnabled: true }, { dependsOn: others });
  return Promise.resolve({});
}

beforeAll(async () => {
  world = await openEngineWorld();
  const open = (name: string, program: () => Promise<Record<string, unknown>>): Promise<InlineStack> =>
    world.open(program, { project: "shop", name });
  const first = await open("network", network);
  await first.up();
  const vpcId = world.emulator.state().vpcs[0]?.id ?? "";
  stacks = { network: first, shop: await open("shop", shop(vpcId)), ops: await open("ops", ops) };
  await stacks.shop.up();
  // A run that ends early: the step that it did not come to is owed.
  const fault = world.emulator.faults.add({ operation: "enablePooler", kind: "status", status: 403, times: Infinity });
  await expect(stacks.ops.up()).rejects.toThrow();
  fault.remove();
});

afterAll(() => world.close());

function idOf(stack: InlineStack, name: string): Promise<string> {
  return stack.resources().then((resources) => resources[name]?.id ?? "");
}

async function changeByHand(): Promise<void> {
  const { mutate } = world.emulator;
  const service = async (name: string, fields: Parameters<typeof mutate.service>[1]): Promise<void> => {
    mutate.service(await idOf(stacks.shop, name), fields);
  };
  mutate.vpc(await idOf(stacks.network, "main"), { name: "by-hand" });
  await service("named", { name: "by-hand" });
  await service("sized", { cpuMillis: 1_000, memoryGbs: 4 });
  await service("copied", { replicaCount: 2 });
  await service("attached", { vpcId: undefined });
  await service("pooled", { poolerEnabled: false });
  await service("paused", { paused: false });
  await service("orders", { environment: "DEV" });
  mutate.replicaSet(await idOf(stacks.shop, "readers"), { cpuMillis: 1_000, memoryGbs: 4, poolerEnabled: true });
  mutate.deleteService(await idOf(stacks.ops, "gone"));
  mutate.createService({ name: "legacy" });
  mutate.createService({ name: "older" });
}

async function drift(...args: string[]): Promise<{ code: number; out: string; requests: number }> {
  world.methods();
  const { code, out, error } = await world.command(["drift", "--all-stacks", ...args], world.folder);
  expect(error).toBe("");
  expect(out).not.toContain(PASSWORD);
  const methods = world.methods();
  expect(methods.every((method) => method === "GET")).toBe(true);
  return { code, out, requests: methods.length };
}

/** What a row of a preview says: each property that an update names, and each resource that is made. */
function inPreview({ steps, diffs }: Run): string[] {
  return steps.flatMap((step) => {
    const [what = "", name = ""] = step.split(" ");
    if (what === "create") return [`missing ${name}`];
    const properties = diffs[name] ?? [];
    return properties.length === 0 ? [`owed ${name}`] : properties.map((property) => `${name}.${property}`);
  });
}

function inReport(findings: readonly Finding[], stack: string): string[] {
  return findings.flatMap((finding) => {
    if (!("stack" in finding) || !finding.stack.endsWith(stack)) return [];
    if (finding.category === "changed") return [`${finding.name}.${finding.property}`];
    return finding.category === "missing" ? [`missing ${finding.name}`] : [];
  });
}

test("40 objects of three stacks: exactly the differences, in all forms, with six requests; a preview agrees", async () => {
  await changeByHand();
  const { code, out, requests } = await drift("--json");
  const report = JSON.parse(out) as Report;
  expect(code).toBe(2);
  expect(requests).toBeLessThanOrEqual(6);
  expect(report.stacks.reduce((sum, { resources }) => sum + resources, 0)).toBe(40);
  const named = report.findings.map((finding) => {
    const what = "name" in finding ? finding.name : "objectName" in finding ? finding.objectName : "";
    return `${finding.category} ${what}${"property" in finding ? `.${finding.property}` : ""}`;
  });
  expect(named.toSorted()).toEqual(
    [
      "changed main.name",
      "changed named.name",
      "changed sized.cpuMillis",
      "changed sized.memoryGbs",
      "changed copied.haReplicas",
      "changed attached.vpcId",
      "changed pooled.poolerEnabled",
      "changed paused.paused",
      "changed orders.environment",
      "unprotected orders",
      "changed readers.cpuMillis",
      "changed readers.memoryGbs",
      "changed readers.poolerEnabled",
      "missing gone",
      "changed half.poolerEnabled",
      "owed half",
      "unmanaged legacy",
      "unmanaged older",
    ].toSorted(),
  );
  const [table, markdown] = [await drift(), await drift("--markdown")];
  for (const form of [table, markdown]) {
    expect([form.code, form.requests <= 6]).toEqual([2, true]);
    for (const word of ["named", "cpuMillis", "gone", "legacy", "older", "resize restarts the service", "half"]) {
      expect(form.out).toContain(word);
    }
  }

  for (const [name, stack] of Object.entries(stacks)) {
    const preview = await stack.preview({ refresh: true });
    expect(preview.calls).toEqual([]);
    expect(inReport(report.findings, name).toSorted()).toEqual(inPreview(preview).toSorted());
  }
});

test("after an up of the stacks with a refresh only what nobody manages is left, and it can be left out", async () => {
  for (const stack of Object.values(stacks)) await stack.up({ refresh: true });
  const { code, out } = await drift("--json");
  expect((JSON.parse(out) as Report).findings.map(({ category }) => category)).toEqual(["unmanaged", "unmanaged"]);
  expect(code).toBe(2);
  const ignored = await drift("--ignore", "legacy", "--ignore", "old*");
  expect([ignored.code, ignored.out]).toEqual([0, "No drift: 3 stacks, 40 resources, project proj000001.\n"]);
});
