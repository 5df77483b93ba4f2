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

test("a replacement that `replacementTrigger` asks for needs `deleteBeforeReplace`, and is refused where it is protected", async () => {
  const text = (trigger: number, args: object = {}, options = ""): string => `
const { Service } = require("pulumi-dbcloud");
new Service("turned", ${JSON.stringify(args)}, { replacementTrigger: ${trigger}${options} });
`;
  const turned = await world.project("turned", { "index.js": text(1) });
  await succeed(turned.pulumi("up --yes --skip-preview"));
  const made = () => world.emulator.state().services.filter(({ name }) => name === "turned-test");
  const [before] = made();
  turned.write({ "index.js": text(2) });
  const { text: taken } = await fail(turned.pulumi("up --yes --skip-preview"));
  expect(taken).toMatch(/there is already service "turned-test".*set the option `deleteBeforeReplace: true`/s);
  expect(made()).toEqual([before]);
  turned.write({ "index.js": text(2, {}, ", deleteBeforeReplace: true") });
  await succeed(turned.pulumi("up --yes --skip-preview"));
  const [after, ...others] = made();
  expect([others, after === undefined, after?.id === before?.id]).toEqual([[], false, false]);
  const guarded = (trigger: number): string =>
    text(trigger, { deletionProtection: true }, ", deleteBeforeReplace: true");
  turned.write({ "index.js": guarded(2) });
  await succeed(turned.pulumi("up --yes --skip-preview"));
  turned.write({ "index.js": guarded(3) });
  // The classes set Pulumi's protection, which ends the run too; without it the provider's own counts.
  const { text: refused } = await fail(turned.pulumi("up --yes --skip-preview --ignore-protect"));
  expect(refused).toMatch(/turned-test .*is protected against deletion.*nothing was deleted/s);
  expect(made()).toMatchObject([{ id: after?.id, status: "READY" }]);
});

test("an index that shifts in the program renames no production database to the name of another", async () => {
  const text = (...names: string[]): string => `
const { Service } = require("pulumi-dbcloud");
${JSON.stringify(names)}.forEach((name, index) => {
  const environment = index === 1 ? "PROD" : "DEV";
  new Service("db-" + index, { name, environment });
});
`;
  const shifted = await world.project("shifted", { "index.js": text("alpha", "beta", "gamma") });
  await succeed(shifted.pulumi("up --yes --skip-preview"));
  const before = services();
  const moves = (name: string, from: string, to: string, guarded: string) =>
    new RegExp(
      `the name "${name}" moves from service ${from} .* to service ${to} .*, and service ${guarded} .* is protected`,
    );
  shifted.write({ "index.js": text("beta", "gamma") });
  expect((await fail(shifted.pulumi("up --yes"))).text).toMatch(moves("beta", "beta", "alpha", "beta"));
  // What the program no longer has is known after a refresh.
  shifted.write({ "index.js": text("alpha", "gamma") });
  for (const command of ["preview --refresh", "up --yes --skip-preview --refresh"]) {
    expect((await fail(shifted.pulumi(command))).text).toMatch(moves("gamma", "gamma", "beta", "beta"));
  }
  expect(services()).toEqual(before);
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
