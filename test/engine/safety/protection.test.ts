// Protection on the real CLI: a destroy stops before it begins, what counts is the stored value, whatever the program says
// by then, and what belongs to a protected service is refused with it. Nor does another deployment empty a stack.

import { expect, test } from "vitest";
import { createEmulator } from "../../../emulator/index";
import { fail, succeed } from "../../support/cliProcess";
import type { Project } from "../../support/cli/project";
import { useEngineWorld, world } from "../world";

const programWith = (args: object): string => `
const { ReadReplicaSet, Service } = require("pulumi-dbcloud");
new Service("plain", {});
const { serviceId } = new Service("orders", ${JSON.stringify(args)});
new ReadReplicaSet("readers", { serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 });
`;

let project: Project;
let firstUp: string;

useEngineWorld({}, async () => {
  project = await world.project("protection", { "index.js": programWith({ environment: "PROD" }) });
  firstUp = (await succeed(project.pulumi("up --yes --skip-preview"))).text;
});

const services = () => world.emulator.state().services.map(({ name }) => name);

/** Pulumi: whether the plain one, which nothing protects, goes before the first refusal ends the run is a race. */
function expectNothingLost(): void {
  expect(services()).toContain("orders-test");
  expect(world.emulator.state().replicaSets).toHaveLength(1);
  expect(world.calls().filter((call) => call !== "deleteService")).toEqual([]);
}

test("the tag PROD protects a service: deletionProtection is stored, and Pulumi's protect is set", async () => {
  expect(firstUp).toMatch(/orders.*: protected against deletion.*PROD/);
  expect(firstUp).not.toMatch(/plain .* protected against deletion/);
  const { orders, plain } = await project.resources();
  expect(orders).toMatchObject({ protect: true, outputs: { deletionProtection: true } });
  expect(plain).toMatchObject({ outputs: { deletionProtection: false } });
});

test("at another deployment with the same project and key nothing is dropped from the state, and the error names both addresses", async () => {
  const { apiKey, projectId, baseUrl } = world.emulator;
  const other = await createEmulator({ seed: 2, apiKey, projectId });
  const there = { DBCLOUD_BASE_URL: other.baseUrl };
  const before = await project.resources();
  const { text } = await fail(project.pulumi("refresh --yes --skip-preview", there));
  expect(text).toContain(baseUrl);
  await fail(project.pulumi("destroy --yes --skip-preview", there));
  expect(Object.keys(await project.resources())).toEqual(Object.keys(before));
  expect(other.requests().filter(({ method }) => method !== "GET")).toEqual([]);
  await other.close();
  // The same deployment under another name is believed, and no plan comes of it.
  const renamed = { DBCLOUD_BASE_URL: baseUrl.replace("127.0.0.1", "localhost") };
  await succeed(project.pulumi("refresh --yes --skip-preview --expect-no-changes", renamed));
});

test("a destroy stops before it begins", async () => {
  world.methods();
  const { text } = await fail(project.pulumi("destroy --yes"));
  expect(text).toContain("cannot be deleted");
  expect(world.methods()).toEqual([]);
});

test("a destroy with --exclude-protected keeps the replica sets of the protected service", async () => {
  const { text } = await fail(project.pulumi("destroy --yes --skip-preview --exclude-protected"));
  expect(text).toContain("belongs to service");
  expectNothingLost();
});

test("without Pulumi's protect, and whatever the program says, the stored value prevents the delete, of replica sets too", async () => {
  project.write({ "index.js": programWith({ environment: "PROD", deletionProtection: false }) });
  await succeed(project.pulumi("state unprotect --all --yes"));
  world.calls();
  const { text } = await fail(project.pulumi("destroy --yes --skip-preview"));
  expect(text).toMatch(/readers-test \(\w+\) belongs to service .* protected/);
  expect(text).not.toMatch(/^\s+at .*\.js/m);
  expectNothingLost();
  // The same in an up of a program that has dropped both.
  project.write({ "index.js": "" });
  const dropped = await fail(project.pulumi("up --yes --skip-preview --refresh"));
  expect(dropped.text).toContain("belongs to service");
  expectNothingLost();
});

test("turning the protection off is a separate up without API calls, and then a destroy works", async () => {
  project.write({ "index.js": programWith({ environment: "PROD", deletionProtection: false }) });
  world.calls();
  const { text } = await succeed(project.pulumi("up --yes --skip-preview"));
  expect(text).toMatch(/service orders-test \(\w+\).*no longer protected/);
  expect(services().toSorted()).toEqual(["orders-test", "plain-test"]);
  expect(world.calls().filter((call) => call !== "createService")).toEqual([]);
  await succeed(project.pulumi("preview --expect-no-changes"));
  await succeed(project.pulumi("destroy --yes --skip-preview"));
  expect(services()).toEqual([]);
});

test("a PROD tag from the console protects after a refresh, and a password that a transformation sets is a secret", async () => {
  const password = "put-in-by-a-transformation";
  const text = `
const { Service } = require("pulumi-dbcloud");
const transformations = [({ props, opts }) => ({ props: { ...props, password: "${password}" }, opts })];
new Service("tagged", { regionCode: "us-east-1" }, { transformations });
`;
  const tagged = await world.project("tagged", { "index.js": text });
  const up = await succeed(tagged.pulumi("up --yes --skip-preview --diff"));
  expect(`${up.text} ${await tagged.state()}`).not.toContain(password);
  const [service] = world.emulator.state().services.filter(({ name }) => name === "tagged-test");
  expect(service?.password).toBe(password);
  world.emulator.mutate.service(service?.id ?? "", { environment: "PROD" });
  const destroy = await fail(tagged.pulumi("destroy --yes --skip-preview --refresh"));
  expect(destroy.text).toMatch(/PROD.*protected against deletion/);
  expect(services()).toContain("tagged-test");
});

test("a PROD tag from the console that no refresh has seen prevents delete and replacement", async () => {
  const retagged = await world.project("retagged", { "index.js": programWith({ environment: "DEV" }) }, "other");
  await succeed(retagged.pulumi("up --yes --skip-preview"));
  const { orders, readers } = await retagged.resources();
  world.emulator.mutate.service(orders?.id ?? "", { environment: "PROD" });
  const { text } = await fail(retagged.pulumi("destroy --yes --skip-preview"));
  expect(text).toMatch(/readers.* belongs to service .* PROD/);
  expect(services()).toContain("orders-other");
  expect(world.emulator.state().replicaSets.map(({ id }) => id)).toEqual([readers?.id]);
  world.calls();
  retagged.write({ "index.js": programWith({ environment: "DEV", regionCode: "eu-west-1", allowReplace: true }) });
  const replacing = await fail(retagged.pulumi("up --yes --skip-preview"));
  expect(replacing.text).toMatch(/service orders-other .* PROD.*nothing was created/);
  expect(world.calls()).toEqual([]);
  retagged.write({ "index.js": programWith({ environment: "DEV" }) });
  const setBack = await succeed(retagged.pulumi("preview --refresh"));
  expect(setBack.text).toMatch(/protected against deletion.* environment back to "DEV"/);
  // The way out that all three errors name.
  retagged.write({ "index.js": programWith({ environment: "DEV", deletionProtection: false }) });
  await succeed(retagged.pulumi("up --yes --skip-preview --refresh"));
  await succeed(retagged.pulumi("destroy --yes --skip-preview"));
  expect(services()).not.toContain("orders-other");
});
