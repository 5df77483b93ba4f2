// Protection by the tag on the real CLI, from the first up to the end: a destroy stops before it begins, and works after
// the protection was turned off. What a delete refuses without Pulumi's own protection is in ../walk/sequences.ts.

import { expect, test } from "vitest";
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

test("the tag PROD protects a service: deletionProtection is stored, and Pulumi's protect is set", async () => {
  expect(firstUp).toMatch(/orders.*: protected against deletion.*PROD/);
  expect(firstUp).not.toMatch(/plain .* protected against deletion/);
  const { orders, plain } = await project.resources();
  expect(orders).toMatchObject({ protect: true, outputs: { deletionProtection: true } });
  expect(plain).toMatchObject({ outputs: { deletionProtection: false } });
});

test("a destroy stops before it begins", async () => {
  world.methods();
  const { text } = await fail(project.pulumi("destroy --yes"));
  expect(text).toContain("cannot be deleted");
  expect(world.methods()).toEqual([]);
});

test("turning the protection off is a separate up without API calls, and then a destroy works", async () => {
  project.write({ "index.js": programWith({ environment: "PROD", deletionProtection: false }) });
  world.calls();
  const { text } = await succeed(project.pulumi("up --yes --skip-preview"));
  expect(text).toMatch(/service protection-orders-test \(\w+\).*no longer protected/);
  expect(services().toSorted()).toEqual(["protection-orders-test", "protection-plain-test"]);
  expect(world.calls()).toEqual([]);
  await succeed(project.pulumi("preview --expect-no-changes"));
  await succeed(project.pulumi("destroy --yes --skip-preview"));
  expect(services()).toEqual([]);
});

test("a service with `paused` and `retainOnDelete` stays, stopped, when the program gives it up", async () => {
  const text = `
const { Service } = require("pulumi-dbcloud");
new Service("left", { paused: true }, { retainOnDelete: true });
`;
  const left = await world.project("left", {
    "index.js": text.replace("{ paused: true }, { retainOnDelete: true }", "{}"),
  });
  await succeed(left.pulumi("up --yes --skip-preview"));
  left.write({ "index.js": text });
  await succeed(left.pulumi("up --yes --skip-preview"));
  world.calls();
  left.write({ "index.js": "" });
  await succeed(left.pulumi("up --yes --skip-preview"));
  expect([world.calls(), (await left.resources())["left"]]).toEqual([[], undefined]);
  const stays = world.emulator.state().services.filter(({ name }) => name === "left-test");
  expect(stays).toMatchObject([{ status: "PAUSED" }]);
  for (const { id } of stays) world.emulator.mutate.deleteService(id);
});

test("the setting of a stack, and of a provider, protects what does not say false, in both forms, with Pulumi's protect", async () => {
  const text = (from: string): string => `
const { Provider, Service } = require("${from}");
new Service("said", { deletionProtection: false });
new Service("unsaid", {});
new Service("other", {}, { provider: new Provider("open", {}) });
`;
  const set = await world.project("set", { "index.js": text("pulumi-dbcloud") });
  await succeed(set.pulumi("up --yes --skip-preview"));
  await succeed(set.pulumi("config set dbcloud:deletionProtection true"));
  world.calls();
  const { text: told } = await succeed(set.pulumi("up --yes --skip-preview"));
  expect(told).toMatch(/set-unsaid-test.*protected against deletion \(deletionProtection: true\)/);
  expect(world.calls()).toEqual([]);
  const { said, unsaid, other } = await set.resources();
  expect([said, unsaid, other].map((one) => [one?.protect ?? false, one?.outputs?.["deletionProtection"]])).toEqual([
    [false, false],
    [true, true],
    [false, false],
  ]);
  // The other form changes the provider alone.
  set.write({ "index.js": text("pulumi-dbcloud/native") });
  expect((await succeed(set.pulumi("preview"))).text).toContain("4 unchanged");
  await fail(set.pulumi("destroy --yes --skip-preview"));
  expect(services()).toContain("set-unsaid-test");
});

test("a password that a transformation sets is a secret", async () => {
  const password = "put-in-by-a-transformation";
  const text = `
const { Service } = require("pulumi-dbcloud");
const transformations = [({ props, opts }) => ({ props: { ...props, password: "${password}" }, opts })];
new Service("given", { regionCode: "us-east-1" }, { transformations });
`;
  const given = await world.project("given", { "index.js": text });
  const up = await succeed(given.pulumi("up --yes --skip-preview --diff"));
  expect(`${up.text} ${await given.state()}`).not.toContain(password);
  const [service] = world.emulator.state().services.filter(({ name }) => name === "given-test");
  expect(service?.password).toBe(password);
});

test("an `up` ends at its preview where that cannot know whether a service is replaced", async () => {
  const programOf = (tag: string, region: string): string => `
const { Service } = require("pulumi-dbcloud");
const other = new Service("other", { regionCode: "us-east-1", environment: "${tag}", deletionProtection: false });
new Service("orders", { regionCode: other.status.apply(() => "${region}"), allowReplace: true });
`;
  const moving = await world.project("moving", { "index.js": programOf("DEV", "us-east-1") });
  await succeed(moving.pulumi("up --yes --skip-preview"));
  world.calls();
  moving.write({ "index.js": programOf("PROD", "us-west-2") });
  const { text } = await fail(moving.pulumi("up --yes"));
  expect(text).toContain("regionCode is not known yet, and `allowReplace` is set");
  expect(world.calls()).toEqual([]);
  await succeed(moving.pulumi("destroy --yes --skip-preview"));
});
