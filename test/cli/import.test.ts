import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { textWith } from "../support/matchers";
import { line, useCommandLine } from "./program";

interface Document {
  resources: {
    type: string;
    name: string;
    id: string;
    inputs: Record<string, unknown>;
    outputs: Record<string, unknown>;
  }[];
}

useCommandLine();

const documentOf = (text: string): Document => JSON.parse(text) as Document;

test("objects named one by one are imported alone, and a parent that is not among them stays an id", async () => {
  const { mutate } = line.emulator;
  const vpc = mutate.createVpc({ name: "net" });
  const peering = mutate.createPeering(vpc.id, { peerVpcId: "vpc-0a" });
  const service = mutate.createService({ name: "orders", vpcId: vpc.id });
  const set = mutate.createReplicaSet(service.id, { name: "readers" });
  mutate.createService({ name: "not asked for" });
  const parts = [`peering:${vpc.id}/${peering.id}`, `replica:${service.id}/${set.id}`];
  const twice = [`service:${service.id}`, `service:${service.id}`];
  const ended = await line.run(["import", ...parts, ...twice, "--program", "index.ts"]);
  expect(ended.code).toBe(0);
  const { resources } = documentOf(ended.out);
  expect(resources.map(({ type, id }) => `${type.split(":").at(-1)} ${id}`).toSorted()).toEqual(
    [`Peering ${peering.id}`, `ReadReplicaSet ${set.id}`, `Service ${service.id}`].toSorted(),
  );
  const program = line.read("index.ts");
  expect(program).toContain("serviceId: ordersService.serviceId,");
  // Whatever is declared can be referred to.
  expect(program.match(/^const \w+ = new (Peering|ReadReplicaSet|Service)\(/gm)).toHaveLength(3);
  expect(program).not.toMatch(/^new /m);
  expect(program.split(`vpcId: "${vpc.id}",`)).toHaveLength(3);
  expect(ended.error).toContain("Save the document above as FILE.");
  expect(ended.error).toContain("pulumi import --file FILE --generate-code=false --protect=false");
});

test("an entry has the live inputs that are on, where the object is, and no value besides", async () => {
  const { mutate, projectId } = line.emulator;
  const fields = { environment: "PROD", poolerEnabled: true, password: "s3cret-pass" };
  const service = mutate.createService({ name: "orders", ...fields });
  const set = mutate.createReplicaSet(service.id, { name: "readers" });
  const { out } = await line.run(["import", "--all"]);
  const { resources } = documentOf(out);
  const resource = (kind: string, name: string, id: string, inputs: object, outputs: object) => {
    const provider = `exports.handler = () => require("pulumi-dbcloud/provider").provider("${kind}");`;
    return {
      type: `pulumi-nodejs:dynamic/dbcloud:${kind.replace(/^./, (letter) => letter.toUpperCase())}`,
      name,
      id,
      inputs: { ...inputs, __provider: provider },
      outputs: { projectId, ...outputs, __inputs: Object.keys(inputs).join(","), __provider: provider },
    };
  };
  const sizes = { cpuMillis: 500, memoryGbs: 2 };
  const live = { name: "orders", regionCode: "us-east-1", ...sizes, environment: "PROD", poolerEnabled: true };
  const parent = { serviceId: service.id };
  expect(resources).toEqual([
    resource("service", "orders", service.id, live, { deletionProtection: true }),
    resource("readReplicaSet", "readers", set.id, { ...parent, name: "readers", nodes: 1, ...sizes }, parent),
  ]);
  expect(out).not.toContain("s3cret-pass");
  expect(line.emulator.requests().every(({ method }) => method === "GET")).toBe(true);
});

test("a project that was named here is declared, one from the environment is not", async () => {
  line.emulator.mutate.createVpc({ name: "net" });
  const { projectId } = line.emulator;
  await line.run(["import", "--all", "--out", "plain.json", "--program", "plain.ts"]);
  await line.run(["import", "--all", "--project", projectId, "--out", "named.json", "--program", "named.ts"]);
  expect(documentOf(line.read("plain.json")).resources[0]?.inputs).not.toHaveProperty("projectId");
  expect(line.read("plain.ts")).not.toContain("projectId:");
  expect(documentOf(line.read("named.json")).resources[0]?.inputs["projectId"]).toBe(projectId);
  expect(documentOf(line.read("named.json")).resources[0]?.outputs["__inputs"]).toContain("projectId");
  expect(line.read("named.ts")).toContain(`projectId: "${projectId}",`);
});

test("failed and leaving objects are left out and named, changing ones are named", async () => {
  const { mutate } = line.emulator;
  const vpc = mutate.createVpc({ name: "net" });
  const failed = mutate.createPeering(vpc.id, { status: "failed", errorMessage: "no such account" });
  mutate.createService({ name: "leaving", status: "DELETING" });
  mutate.createService({ name: "moving", status: "UPGRADING" });
  const ended = await line.run(["import", "--all"]);
  expect(documentOf(ended.out).resources.map(({ name }) => name)).toEqual(["net", "moving"]);
  expect(ended.error).toMatch(new RegExp(`left out, because it has failed: .*${failed.id}`));
  expect(ended.error).toMatch(/left out, because it is being deleted: .*leaving/);
  expect(ended.error).toMatch(/is being changed: refresh when that has finished: .*moving/);
  const named = await line.run(["import", `peering:${vpc.id}/${failed.id}`]);
  expect(documentOf(named.out).resources).toEqual([]);
  expect(named.error).toMatch(/left out, because it has failed/);
});

test("files that exist are not overwritten, and then nothing is asked of the API", async () => {
  writeFileSync(path.join(line.folder, "index.ts"), "my program");
  const refused = await line.run(["import", "--all", "--out", "import.json", "--program", "index.ts"]);
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.error).toContain("index.ts exists already; remove it first");
  expect(line.read("index.ts")).toBe("my program");
  expect(existsSync(path.join(line.folder, "import.json"))).toBe(false);
  expect(line.emulator.requests()).toEqual([]);
  await line.run(["import", "--all", "--program", "empty.ts"]);
  expect(line.read("empty.ts")).toContain("export {};");
});

test("a symbolic link is not followed for writing", async () => {
  const target = path.join(line.folder, "elsewhere.ts");
  symlinkSync(target, path.join(line.folder, "index.ts"));
  for (const flag of ["--program", "--out"]) {
    const refused = await line.run(["import", "--all", flag, "index.ts"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.error).toContain("index.ts exists already");
  }
  expect(existsSync(target)).toBe(false);
  // One that comes to be there while the command works.
  line.emulator.faults.add({ operation: "listServices", kind: "delay", ms: 300 });
  const late = line.run(["import", "--all", "--out", "late.json"]);
  await expect.poll(() => line.emulator.requests().length).toBeGreaterThan(0);
  symlinkSync(target, path.join(line.folder, "late.json"));
  expect(await late).toMatchObject({ code: 1 });
  expect(existsSync(target)).toBe(false);
});

test.each([
  [["--all", "service:x"], "import takes --all or objects, not both"],
  [["--all", "--program", "program.py"], "--program writes TypeScript"],
])("import refuses what contradicts itself: %j", async (args, words) => {
  expect(await line.run(["import", ...args])).toMatchObject({ out: "", error: textWith(words) });
});

test("an unknown id is an error that names it, and nothing is written", async () => {
  const vpc = line.emulator.mutate.createVpc({});
  for (const [target, words] of [
    ["service:svc0000000", "no service svc0000000"],
    [`peering:${vpc.id}/1`, `no peering 1 of ${vpc.id}`],
    ["replica:svc0000000/rrs", "no read replica set rrs of svc0000000"],
  ] as const) {
    const ended = await line.run(["import", target, "--out", "import.json"]);
    expect(ended).toMatchObject({ code: 1, out: "" });
    expect(ended.error).toContain(words);
    expect(existsSync(path.join(line.folder, "import.json"))).toBe(false);
  }
});
