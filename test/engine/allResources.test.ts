// The whole path on the real CLI: all four kinds of resources, from the first preview to the last delete. The program reads
// its arguments from a file beside it, so that a test changes one property as a user edits one line.

import { expect, test } from "vitest";
import type { ServiceState } from "../../emulator/index";
import type { InPlaceKey } from "../../provider/domain/fields";
import type { readReplicaSetFields } from "../../provider/kinds/readReplicaSet/inputs";
import type { serviceFields } from "../../provider/kinds/service/inputs";
import type { vpcFields } from "../../provider/kinds/vpc/inputs";
import { succeed } from "../support/cliProcess";
import type { Project } from "../support/cli/project";
import { httpClientFor } from "../emulator/support/httpClient";
import { useEngineWorld, world } from "./world";

const program = `
const { readFileSync } = require("node:fs");
const { Peering, ReadReplicaSet, Service, Vpc } = require("pulumi-dbcloud");
const args = JSON.parse(readFileSync("args.json", "utf8"));
const first = new Vpc("first", args.first);
const second = new Vpc("second", args.second);
const link = new Peering("link", { vpcId: first.vpcId, ...args.link });
const networks = { first: first.vpcId, second: second.vpcId };
const { network, ...db } = args.db;
const service = new Service("db", { ...db, vpcId: network && networks[network] });
new Service("idle", args.idle);
const copy = new Service("copy", { forkFrom: { serviceId: service.serviceId, strategy: "NOW" }, ...args.copy });
const readers = new ReadReplicaSet("readers", { serviceId: service.serviceId, ...args.readers });
exports.copy = copy.serviceId;
exports.url = service.connectionString();
exports.link = link.provisionedId;
exports.address = readers.endpoint;
`;

const start = {
  first: { cidr: "10.0.0.0/24", regionCode: "us-east-1", name: "first-vpc" },
  second: { cidr: "10.1.0.0/24", regionCode: "us-east-1" },
  link: { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0a1b2c3d" },
  db: {
    name: "orders-db",
    regionCode: "us-east-1",
    addons: ["time-series"],
    cpuMillis: 1000,
    memoryGbs: 4,
    environment: "DEV",
    haReplicas: { replicaCount: 1, syncReplicaCount: 0 },
    network: "first",
    poolerEnabled: true,
    password: "first-password",
  },
  idle: { paused: true },
  copy: { cpuMillis: 500, memoryGbs: 2 },
  readers: { nodes: 2, cpuMillis: 500, memoryGbs: 2, poolerEnabled: false, environment: "DEV" },
};
type Arguments = { [Resource in keyof typeof start]: Record<string, unknown> };

// Every input that changes in place, with another value than above: a new one does not compile until it is here.
const vpcChanges: Record<InPlaceKey<typeof vpcFields>, unknown> = { name: "renamed-vpc" };
const setChanges: Record<InPlaceKey<typeof readReplicaSetFields>, unknown> = {
  cpuMillis: 1000,
  memoryGbs: 4,
  poolerEnabled: true,
  environment: "PROD",
};
/** `network` stands for the VPC, and another service is paused. */
const serviceChanges: Record<Exclude<InPlaceKey<typeof serviceFields>, "vpcId" | "paused">, unknown> = {
  name: "renamed-db",
  cpuMillis: 2000,
  memoryGbs: 8,
  environment: "PROD",
  haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
  poolerEnabled: false,
  password: "second-password",
};
const changed: Arguments = {
  first: { ...start.first, ...vpcChanges },
  second: start.second,
  link: start.link,
  db: { ...start.db, ...serviceChanges, network: "second", deletionProtection: false },
  idle: { paused: false },
  copy: { cpuMillis: 1000, memoryGbs: 4, haReplicas: { replicaCount: 1 } },
  readers: { nodes: 2, ...setChanges },
};

let project: Project;

// Long enough for progress to be told.
useEngineWorld({ timings: { create: 400 } }, async () => {
  project = await world.project("all-resources", { "index.js": program });
  write(start);
});

function write(args: Arguments): void {
  project.write({ "args.json": JSON.stringify(args) });
}

/** The properties that a detailed diff of updates names, by resource: all of them at the first level of each block. */
function named(text: string): Record<string, string[]> {
  const blocks = text.split(/^(?= {4}\S pulumi-nodejs:|Resources:)/m);
  const meant = blocks.filter((block) => block.split("\n")[0]?.endsWith("(update)"));
  const result: Record<string, string[]> = {};
  for (const block of meant) {
    const properties = [...block.matchAll(/^ {6}[~+-] (\w+) *:/gm)].map((match) => match[1] ?? "");
    result[/::(\w+)\]$/m.exec(block)?.[1] ?? "nameless"] = properties.toSorted();
  }
  return result;
}

function service(name: string): ServiceState {
  const found = world.emulator.state().services.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
}

/** The server has all that the program says. */
function expectAsDeclared(args: Arguments): void {
  const { vpcs, peerings, replicaSets } = world.emulator.state();
  const networks = new Map(vpcs.map(({ id, cidr }) => [cidr === start.first.cidr ? "first" : "second", id]));
  const { network, addons: _addons, haReplicas, deletionProtection: _protection, ...db } = args.db;
  const { haReplicas: copyReplicas, ...copy } = args.copy;
  expect(vpcs.map(({ name }) => name).toSorted()).toEqual(
    [String(args.first["name"]), "all-resources-second-test"].toSorted(),
  );
  expect(peerings).toMatchObject([{ vpcId: networks.get("first"), ...args.link }]);
  expect(service(String(db["name"]))).toMatchObject({
    ...db,
    ...(haReplicas as object),
    vpcId: networks.get(String(network)),
    status: "READY",
  });
  expect(service("all-resources-idle-test").status).toBe(args.idle["paused"] === true ? "PAUSED" : "READY");
  expect(service("all-resources-copy-test")).toMatchObject({ ...copy, ...(copyReplicas as object | undefined) });
  expect(replicaSets).toMatchObject([args.readers]);
}

test("a preview without a key and an address sends no request, and warns once of each", async () => {
  const keyless = { DBCLOUD_API_KEY: undefined, DBCLOUD_BASE_URL: undefined };
  const { text } = await succeed(project.pulumi("preview", keyless));
  expect(text).toContain("+ 8 to create");
  const [, diagnostics = ""] = text.split("Diagnostics:");
  expect(diagnostics.match(/no [\w ]+ is set/g)).toEqual(["no API key is set", "no base URL is set"]);
  expect(world.methods()).toEqual([]);
});

test("up creates each object once, exactly as declared", async () => {
  const { text } = await succeed(project.pulumi("up --yes --skip-preview"));
  expect(text).toContain("+ 8 created");
  expect(world.calls().toSorted()).toEqual([
    "attachToVPC",
    "createPeering",
    "createReplicaSet",
    "createService",
    "createService",
    "createVpc",
    "createVpc",
    "enablePooler",
    "forkService",
    "setReplicaEnvironment",
    "stop",
    "updatePassword",
  ]);
  expectAsDeclared(start);
  // Progress stands on the row of each resource.
  expect(text).toMatch(/Service db creating \(\d+s\) createService: orders-db/);
  expect(text).toMatch(/Service db creating \(\d+s\) enablePooler: poolerEnabled false → true/);
  // The state says where the program declares each resource.
  const resources = Object.values(await project.resources());
  expect(resources.map(({ sourcePosition }) => sourcePosition)).toEqual(
    Array.from({ length: 7 }, () => expect.stringMatching(/\/index\.js#\d+/) as string),
  );
});

test("an unchanged program previews no change, and with a refresh sends only GETs", async () => {
  world.methods();
  await succeed(project.pulumi("preview --expect-no-changes"));
  expect(world.methods()).toEqual([]);
  // An output that moves of its own is told, saved and no change.
  world.emulator.mutate.service(service("all-resources-idle-test").id, {
    wire: { endpoint: { host: "elsewhere.example", port: 1 } },
  });
  const { text } = await succeed(project.pulumi("up --yes --skip-preview --refresh --expect-no-changes"));
  expect(text).toMatch(/service all-resources-idle-test .*endpoint.*elsewhere\.example/);
  expect((await project.resources())["idle"]).toMatchObject({ outputs: { endpoint: { host: "elsewhere.example" } } });
  expect(new Set(world.methods())).toEqual(new Set(["GET"]));
});

test("an update of every property is shown by name in the preview and made in place", async () => {
  const ids = world.emulator.state().services.map(({ id }) => id);
  write(changed);
  const { text } = await succeed(project.pulumi("up --yes --diff"));
  const [preview = "", update = ""] = text.split(/^Updating \(test\):$/m);
  const announced = {
    copy: ["cpuMillis", "haReplicas", "memoryGbs"],
    db: [...Object.keys(serviceChanges), "deletionProtection", "vpcId"].toSorted(),
    first: ["name"],
    idle: ["paused"],
    readers: Object.keys(setChanges).toSorted(),
  };
  expect(named(preview)).toEqual(announced);
  expect(text).toMatch(/warning: .*resize.*password/);
  expect(Object.keys(named(update)).toSorted()).toEqual(Object.keys(announced));
  expect(world.calls().toSorted()).toEqual([
    "attachToVPC",
    "detachFromVPC",
    "disablePooler",
    "enableReplicaPooler",
    "renameService",
    "renameVpc",
    "resize",
    "resize",
    "resizeReplicaSet",
    "setEnvironment",
    "setHA",
    "setHA",
    "setReplicaEnvironment",
    "start",
    "updatePassword",
  ]);
  expectAsDeclared(changed);
  expect(world.emulator.state().services.map(({ id }) => id)).toEqual(ids);
  // The service has moved, and the address of its set with it.
  const { readers } = await project.resources();
  const shown = await httpClientFor(world.emulator).askList(`/projects/${world.emulator.projectId}/services`);
  const set = expect.objectContaining({ endpoint: readers?.outputs?.["endpoint"] }) as object;
  expect(shown).toContainEqual(expect.objectContaining({ read_replica_sets: [set] }));
  expect(world.emulator.ledger().filter(({ overlapped }) => overlapped)).toEqual([]);
});

test("inputs that are removed from the program are left as they are, and a removed vpcId detaches", async () => {
  const { password: _, haReplicas: __, network: ___, ...db } = changed.db;
  write({ ...changed, db });
  const { text } = await succeed(project.pulumi("up --yes --skip-preview"));
  expect(text).toMatch(/left as is: haReplicas, password/);
  expect(world.calls()).toEqual(["detachFromVPC"]);
  expect(service("renamed-db")).toMatchObject({ password: "second-password", replicaCount: 2, vpcId: undefined });
});

test("destroy needs no program, and leaves nothing behind", async () => {
  project.write({ "index.js": "throw new Error('nobody runs this');" });
  const { text } = await succeed(project.pulumi("destroy --yes --skip-preview"));
  expect(text).toContain("- 8 deleted");
  expect(world.emulator.state()).toMatchObject({ vpcs: [], peerings: [], services: [], replicaSets: [] });
  expect(await project.resources()).toEqual({});
});
