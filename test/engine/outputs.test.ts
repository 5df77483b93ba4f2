// Outputs on the real CLI: those of the state, and known in a preview where nothing changes them.

import { expect, test } from "vitest";
import { succeed } from "../support/cliProcess";
import type { Project } from "../support/cli/project";
import { useEngineWorld, world } from "./world";

let project: Project;

const program = `
const { ReadReplicaSet, Service, Vpc } = require("pulumi-dbcloud");
const { cpuMillis } = require("./args.json");
const size = { cpuMillis, memoryGbs: cpuMillis / 250 };
const db = new Service("db", { ...size, poolerEnabled: true }, { additionalSecretOutputs: ["serviceType"] });
const readers = new ReadReplicaSet("readers", { serviceId: db.serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 });
const plain = new Service("plain", {});
const name = plain.poolerHost.apply((host) => host ?? "none");
new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1", name });
exports.absent = [plain.vpcId, plain.vpcEndpoint, plain.addons, plain.password, readers.environment];
exports.strings = [db.connectionString(), db.connectionString({ via: "pooler" }), plain.connectionString()];
exports.named = [plain.name, plain.created, plain.host, plain.port, db.host, db.port];
exports.read = [db.projectId, db.resources, db.regionCode, db.poolerHost, readers.status];
exports.marked = db.serviceType;
exports.uris = [db.connectionUri, db.poolerConnectionUri, plain.connectionUri];
exports.whole = db;
`;

useEngineWorld({}, async () => {
  project = await world.project("outputs", { "index.js": program });
});

function write(args: { cpuMillis: number }): void {
  project.write({ "args.json": JSON.stringify(args) });
}

async function stackOutputs(): Promise<Record<string, unknown>> {
  return JSON.parse((await succeed(project.pulumi("stack output --json"))).out) as Record<string, unknown>;
}

test("after an up the outputs are those of the state, secret where the program says so", async () => {
  write({ cpuMillis: 500 });
  const { text } = await succeed(project.pulumi("up --yes"));
  expect(text).toContain("+ 5 to create");
  const { services } = world.emulator.state();
  const service = services.find(({ name }) => name === "outputs-db-test");
  const outputs = await stackOutputs();
  const { db, plain } = await project.resources();
  const { resources, poolerHost } = db?.outputs ?? {};
  expect(outputs["read"]).toEqual(["proj000001", resources, service?.regionCode, poolerHost, "active"]);
  expect(resources).toHaveLength(1);
  expect(poolerHost).toMatch(/./);
  expect(outputs["marked"]).toBe("[secret]");
  const { name, created, host, port } = plain?.outputs ?? {};
  expect(outputs["named"]).toEqual([name, created, host, port, db?.outputs?.["host"], db?.outputs?.["port"]]);
  expect(name).toBe("outputs-plain-test");
  expect(host).toMatch(/./);
  expect(outputs["strings"]).toEqual(["[secret]", "[secret]", "[secret]"]);
  const { __deployment, __inputs, __provider, __urn, __version, ...shown } = db?.outputs ?? {};
  expect(Object.keys(outputs["whole"] as object).toSorted()).toEqual([...Object.keys(shown), "id", "urn"].toSorted());
  expect(outputs["whole"]).toMatchObject({ status: "READY", serviceType: "[secret]", initialPassword: "[secret]" });

  expect(outputs["uris"]).toEqual(["[secret]", "[secret]", "[secret]"]);
  const uris = await succeed(project.pulumi("stack output uris --json --show-secrets"));
  for (const { initialPassword } of services) expect(await project.state()).not.toContain(initialPassword);
  const { out } = await succeed(project.pulumi("stack output strings --json --show-secrets"));
  expect(JSON.parse(uris.out)).toEqual(JSON.parse(out));
  const at = (url: string): string => url.replace(/^postgresql:\/\/tsdbadmin:[^@]+@([^/]+)\/tsdb\?.*$/, "$1");
  expect((JSON.parse(out) as string[]).map(at)).toEqual([
    `${String(db?.outputs?.["host"])}:${String(db?.outputs?.["port"])}`,
    `${String(poolerHost)}:${String(db?.outputs?.["poolerPort"])}`,
    `${String(host)}:${String(port)}`,
  ]);
});

test("a preview without changes shows no change of outputs, and absent outputs stay absent", async () => {
  const { text } = await succeed(project.pulumi("preview --diff --expect-no-changes"));
  expect(text).toContain("5 unchanged");
  expect(text).not.toContain("[unknown]");
});

test("in a preview of a change, the outputs that it may change are unknown, and the others are known", async () => {
  write({ cpuMillis: 1000 });
  const { text } = await succeed(project.pulumi("preview --diff"));
  expect(text).toContain("1 to update");
  const [, named = ""] = /~ named([^]*?)~ read/.exec(text) ?? [];
  expect(named.match(/\[unknown\]/g)).toHaveLength(2);
});
