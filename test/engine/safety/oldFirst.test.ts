// Replacements that delete the old object first, and targeted destroys, on the real CLI: nothing leaves the state while it
// exists, nothing protected goes, and what cannot work is an error in the preview.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { fail, succeed } from "../../support/cliProcess";
import type { Project } from "../../support/cli/project";
import { useEngineWorld, world } from "../world";

// Several runs of the CLI in each, of three seconds on an idle machine.
vi.setConfig({ testTimeout: 5 * 60_000 });

useEngineWorld();

const program = (lines: string): string => `
const { Peering, Provider, ReadReplicaSet, Service, Vpc } = require("pulumi-dbcloud");
const region = { regionCode: "us-east-1" };
const sizes = { cpuMillis: 500, memoryGbs: 2 };
const oldFirst = { deleteBeforeReplace: true };
${lines}
`;

async function made(name: string, lines: string): Promise<Project> {
  const project = await world.project(name, { "index.js": program(lines) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  world.calls();
  return project;
}

async function urnOf(project: Project, name: string): Promise<string> {
  return (await project.resources())[name]?.urn ?? "";
}

const names = (): string[] =>
  world.emulator.state().services.flatMap(({ name, status }) => (status === "DELETING" ? [] : [name]));

const ORDERS = `const orders = new Service("orders", region, oldFirst);`;
const COPY = `new Service("copy", { forkFrom: { serviceId: orders.serviceId, strategy: "NOW" } });`;

test("a fork that left the program is deleted beside the replacement of its source, as the preview says", async () => {
  const project = await made("gone", ORDERS + COPY);
  const replace = `--replace ${await urnOf(project, "orders")}`;
  // Where the program has the fork, which cannot follow its source, the preview is an error.
  const { text } = await fail(project.pulumi(`preview ${replace}`));
  expect(text).toContain("forkFrom cannot change, and this run replaces the object that it names");
  project.write({ "index.js": program(ORDERS) });
  expect((await succeed(project.pulumi(`preview ${replace}`))).text).toMatch(/copy +delete/);
  await succeed(project.pulumi(`up --yes --skip-preview ${replace}`));
  expect(world.calls()).toEqual(["deleteService", "createService", "deleteService"]);
  expect([names(), Object.keys(await project.resources())]).toEqual([
    ["orders-test"],
    expect.not.arrayContaining(["copy"]),
  ]);
});

test("a set stays where its service is to be adopted and replaced with the old one first: an error in the preview", async () => {
  const project = await made(
    "wanted",
    `const wanted = new Service("wanted", region, oldFirst);
new ReadReplicaSet("readers", { serviceId: wanted.serviceId, nodes: 1, ...sizes });`,
  );
  const { urn = "", id = "" } = (await project.resources())["wanted"] ?? {};
  const { text } = await fail(project.pulumi(`up --yes --replace ${urn}`, { DBCLOUD_ADOPT: id }));
  expect(text).toContain("which is to go to DBCLOUD_ADOPT");
  expect(world.calls()).toEqual([]);
});

test("what was renamed by an alias is deleted as the preview says, although another resource has its old name by now", async () => {
  const lines = (name: string, options = ""): string => `const orders = new Service("origin", region, oldFirst);
new Service("${name}", { name: "moved", ...region, password: orders.initialPassword }${options});`;
  const project = await made("renamed", lines("taken"));
  project.write({ "index.js": program(lines("moved", `, { aliases: [{ name: "taken" }] }`)) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  project.write({
    "index.js": program(`const taken = new Service("taken", region);
new Service("origin", region, { ...oldFirst, dependsOn: [taken] });`),
  });
  const replace = `--replace ${await urnOf(project, "origin")}`;
  expect((await succeed(project.pulumi(`preview ${replace}`))).text).toMatch(/moved +delete/);
  await succeed(project.pulumi(`up --yes --skip-preview ${replace}`));
  expect(Object.keys(await project.resources())).toEqual(expect.not.arrayContaining(["moved"]));
  expect(names()).toEqual(expect.not.arrayContaining(["moved"]));
});

test("of two equal ones that is replaced which the program says, although the state gives both the same name", async () => {
  const equal = (inputs = ""): string => `{ name: "equal", ...region, allowDuplicateName: true${inputs} }`;
  const project = await made("equals", `new Service("one", ${equal()});`);
  project.write({ "index.js": program(`new Service("two", ${equal()}, { aliases: [{ name: "one" }] });`) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  project.write({ "index.js": program(`new Service("one", ${equal()}); new Service("two", ${equal()});`) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  const { one, two } = await project.resources();
  project.write({
    "index.js": program(`const one = new Service("one", ${equal(", ...sizes")});
new Service("two", ${equal(", ...sizes")}, { replaceOnChanges: ["cpuMillis"], dependsOn: [one] });`),
  });
  const { text } = await succeed(project.pulumi("up --yes --skip-preview"));
  expect(text).toMatch(/two .*its data are lost with the old one/);
  const there = world.emulator.state().services.filter(({ status }) => status !== "DELETING");
  expect(there.map(({ id }) => id)).toEqual(expect.arrayContaining([one?.id]));
  expect(there.map(({ id }) => id)).not.toContain(two?.id);
});

test("a targeted destroy deletes the dependents that the preview shows, and no set of a protected service", async () => {
  const args = `{ ...region, deletionProtection: true }`;
  const project = await made(
    "targets",
    `const db = new Service("db", region);
new Service("fork", { forkFrom: { serviceId: db.serviceId, strategy: "NOW" } });
const locked = new Service("locked", ${args});
new ReadReplicaSet("readers", { serviceId: locked.serviceId, nodes: 1, ...sizes });`,
  );
  await succeed(project.pulumi("state unprotect --all --yes"));
  const destroy = async (name: string) =>
    `destroy --yes --skip-preview --target ${await urnOf(project, name)} --target-dependents`;
  await succeed(project.pulumi(await destroy("db")));
  expect(world.calls()).toEqual(["deleteService", "deleteService"]);
  const { text } = await fail(project.pulumi(await destroy("locked")));
  expect(text).toContain("which is protected against deletion");
  expect(world.calls()).toEqual([]);
  expect(names()).toContain("locked-test");
});

test("the sets of a service that is protected by now do not go before it is refused", async () => {
  const lines = `const orders = new Service("kept", region, { ...oldFirst, protect: false });
new ReadReplicaSet("readers", { serviceId: orders.serviceId, nodes: 1, ...sizes });`;
  const project = await made("tagged", lines);
  const replace = `--replace ${await urnOf(project, "kept")}`;
  const id = world.emulator.state().services.find(({ name }) => name === "kept-test")?.id ?? "";
  world.emulator.mutate.service(id, { environment: "PROD" });
  await succeed(project.pulumi("refresh --yes --skip-preview"));
  await fail(project.pulumi(`up --yes --skip-preview ${replace}`));
  expect(world.calls()).toEqual([]);
  expect(names()).toContain("kept-test");
});

test("what would be stopped and left before its successor, renamed by an alias before, is refused before anything is changed", async () => {
  const project = await made("left", `new Service("left", { name: "left", ...region, onDelete: "stop" }, oldFirst);`);
  const args = `{ name: "left", ...region, onDelete: "stop" }`;
  project.write({
    "index.js": program(`new Service("later", ${args}, { ...oldFirst, aliases: [{ name: "left" }] });`),
  });
  await succeed(project.pulumi("up --yes --skip-preview"));
  const { text } = await fail(project.pulumi(`up --yes --skip-preview --replace ${await urnOf(project, "later")}`));
  expect(text).toContain("would be stopped and left");
  expect(world.calls()).toEqual([]);
  expect(Object.keys(await project.resources())).toContain("later");
});

test("a VPC that would go before the service in it is an error in the preview, and so is its `up`", async () => {
  const project = await made(
    "network",
    `const net = new Vpc("net", { cidr: "10.0.0.0/24", ...region }, oldFirst);
new Peering("peer", { vpcId: net.vpcId, peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" });
new Service("inside", { ...region, vpcId: net.vpcId });`,
  );
  const replace = `--replace ${await urnOf(project, "net")}`;
  for (const command of ["preview", "up --yes --skip-preview"]) {
    const { text } = await fail(project.pulumi(`${command} ${replace}`));
    expect(text).toMatch(/inside.* is in VPC .* \(`deleteBeforeReplace`\)/);
  }
  expect(world.calls()).toEqual([]);
});

test("a fork that may be replaced follows its source in a run of its own, whose preview shows it", async () => {
  const lines = (cidr: string): string => `const source = new Service("source", { name: "source-${cidr}", ...region });
new Service("follower", { allowReplace: true, forkFrom: { serviceId: source.serviceId, strategy: "NOW" } });`;
  const project = await made("follow", lines("1"));
  project.write({ "index.js": program(lines("2")) });
  const replace = `--replace ${await urnOf(project, "source")}`;
  const { text } = await fail(project.pulumi(`up --yes --skip-preview ${replace}`));
  expect(text).toContain("names an object that this run has made");
  expect(names()).toContain("follower-test");
  expect((await succeed(project.pulumi("preview"))).text).toMatch(/follower +replace/);
});

test("`retainOnDelete` with `deleteBeforeReplace` is refused by the preview: the new one would fail on the kept name", async () => {
  const project = await made("retained", `new Service("retained", region, { retainOnDelete: true });`);
  project.write({ "index.js": program(`new Service("retained", region, { ...oldFirst, retainOnDelete: true });`) });
  const replace = `--replace ${await urnOf(project, "retained")}`;
  for (const command of [`preview ${replace}`, `up --yes --skip-preview ${replace}`]) {
    expect((await fail(project.pulumi(command))).text).toContain("exclude each other");
  }
  expect(Object.keys(await project.resources())).toEqual(["retained"]);
  expect(world.calls()).toEqual([]);
});

test("what moves to another provider is not adopted where the old one could not be told: it would delete it", async () => {
  const project = await made("moves", `new Service("before", { name: "moves", ...region });`);
  const { id } = world.emulator.state().services.find(({ name }) => name === "moves") ?? { id: "" };
  const adopt = `{ name: "moves", ...region, adoptId: ${JSON.stringify(id)} }`;
  const provider = `{ provider: new Provider("account", { apiKey: process.env.DBCLOUD_API_KEY }) }`;
  project.write({ "index.js": program(`new Service("after", ${adopt}, ${provider});`) });
  const home = path.join(world.folder, "readOnly");
  mkdirSync(home);
  writeFileSync(path.join(home, "dbcloud"), "");
  for (const command of ["preview", "up --yes --skip-preview"]) {
    const { text } = await fail(project.pulumi(`${command} --stack test`, { PULUMI_HOME: home }));
    expect(text).toContain("could not be told of the adoption");
  }
  await succeed(project.pulumi("up --yes --skip-preview"));
  expect(await project.resources()).toMatchObject({ after: { id } });
  expect(world.calls()).toEqual([]);
});
