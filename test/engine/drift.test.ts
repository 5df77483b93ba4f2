// `pulumi-dbcloud drift` beside the real CLI: three stacks, 40 objects, differences made by hand. It names exactly what a
// preview with a refresh names.

import { expect, test } from "vitest";
import type { Finding, Report } from "../../cli/drift/findings";
import { Peering, ReadReplicaSet, Service, type ServiceArgs, Vpc } from "../../provider/index";
import type { InlineStack, Run } from "../support/cli/inlineStack";
import { useEngineWorld, world } from "./world";

const sizes = { cpuMillis: 500, memoryGbs: 2 };
const PASSWORD = "hunter2-hunter2";

let endedEarly: string;
let stacks: Record<"network" | "shop" | "ops", InlineStack>;

const service = (name: string, args: ServiceArgs, options?: object): Service => new Service(name, args, options);

const network = (): void => {
  const { vpcId } = new Vpc("main", { name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
  const peer = { vpcId, peerAccountId: "123456789012", peerRegionCode: "us-east-1" };
  for (const name of ["a", "b"]) void new Peering(name, { ...peer, peerVpcId: `vpc-0${name}` });
};

const shop = (vpcId: string) => (): void => {
  const { serviceId } = service("orders", { environment: "PROD", deletionProtection: false });
  void new ReadReplicaSet("readers", { serviceId, nodes: 1, ...sizes, poolerEnabled: false });
  service("named", { name: "named" });
  service("sized", { ...sizes });
  service("tagged", { environment: "DEV" });
  service("copied", { haReplicas: { replicaCount: 1 } });
  service("attached", { vpcId, regionCode: "us-east-1" });
  service("pooled", { poolerEnabled: true, password: PASSWORD });
  service("paused", { paused: true });
  service("ignoring", { ...sizes }, { ignoreChanges: ["cpuMillis", "memoryGbs"] });
  for (let n = 0; n < 11; n += 1) service(`plain${n}`, { ...sizes });
};

const ops = (): void => {
  const plain = Array.from({ length: 14 }, (_, n) => service(`plain${n}`, { poolerEnabled: false }));
  // Pulumi: after a failure nothing new is begun, so this one comes last.
  service("half", { poolerEnabled: true }, { dependsOn: [service("gone", {}), ...plain] });
};

useEngineWorld({}, async () => {
  const open = (name: string, declared: () => void): Promise<InlineStack> =>
    world.open(declared, { project: "shop", name });
  const first = await open("network", network);
  await first.up();
  const vpcId = world.emulator.state().vpcs[0]?.id ?? "";
  stacks = { network: first, shop: await open("shop", shop(vpcId)), ops: await open("ops", ops) };
  await stacks.shop.up();
  // A run that ends early: the step that it did not come to is owed.
  const fault = world.emulator.faults.add({ operation: "enablePooler", kind: "status", status: 403, times: Infinity });
  endedEarly = await stacks.ops.up().then(() => "", String);
  fault.remove();
});

function idOf(stack: InlineStack, name: string): Promise<string> {
  return stack.resources().then((resources) => resources[name]?.id ?? "");
}

async function changeByHand(): Promise<void> {
  const { mutate } = world.emulator;
  const edit = async (name: string, fields: Parameters<typeof mutate.service>[1]): Promise<void> => {
    mutate.service(await idOf(stacks.shop, name), fields);
  };
  mutate.vpc(await idOf(stacks.network, "main"), { name: "by-hand" });
  await edit("named", { name: "by-hand" });
  await edit("sized", { cpuMillis: 1_000, memoryGbs: 4 });
  await edit("ignoring", { cpuMillis: 1_000, memoryGbs: 4 });
  await edit("copied", { replicaCount: 2 });
  await edit("attached", { vpcId: undefined });
  await edit("pooled", { poolerEnabled: false });
  await edit("paused", { paused: false });
  await edit("orders", { environment: "DEV" });
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
    // A lost tag that the next up sets again is one finding.
    if (finding.category === "unprotected") return finding.next === undefined ? [] : [`${finding.name}.environment`];
    return finding.category === "missing" ? [`missing ${finding.name}`] : [];
  });
}

test("the report on 40 objects of three stacks lists exactly the differences, with at most 25 requests, and a preview agrees", async () => {
  expect(endedEarly).toContain("enablePooler");
  await changeByHand();
  const { code, out, requests } = await drift("--json");
  const report = JSON.parse(out) as Report;
  expect(code).toBe(2);
  expect(requests).toBeLessThanOrEqual(25);
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
      "ignored ignoring.cpuMillis",
      "ignored ignoring.memoryGbs",
      "changed copied.haReplicas",
      "changed attached.vpcId",
      "changed pooled.poolerEnabled",
      "changed paused.paused",
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
  for (const [name, stack] of Object.entries(stacks)) {
    const preview = await stack.preview({ refresh: true });
    expect(preview.calls).toEqual([]);
    expect(inReport(report.findings, name).toSorted()).toEqual(inPreview(preview).toSorted());
  }
  // A stack is selected by the name that the report shows.
  const one = await world.command(["drift", "--stack", "shop/network", "--json"], world.folder);
  expect((JSON.parse(one.out) as Report).stacks).toEqual([{ name: "shop/network", resources: 3 }]);
});
