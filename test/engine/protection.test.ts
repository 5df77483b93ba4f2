// Protection on the real CLI: a destroy stops before it begins, and what counts is the stored value, whatever the
// program says by then.

import { afterAll, beforeAll, expect, test } from "vitest";
import { fail, succeed } from "../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";
import type { Project } from "../support/project";

const programWith = (args: object): string => `
const { Service } = require("pulumi-dbcloud");
new Service("plain", {});
new Service("orders", ${JSON.stringify(args)});
`;

let world: EngineWorld;
let project: Project;

beforeAll(async () => {
  world = await openEngineWorld();
  project = await world.project("protection", { "index.js": programWith({ environment: "PROD" }) });
  await succeed(project.pulumi("up --yes --skip-preview"));
});

afterAll(async () => {
  await world.close();
});

const services = () => world.emulator.state().services.map(({ name }) => name);

test("PROD protects by itself: the value is stored, and mirrored into Pulumi's own protection", async () => {
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

test("without Pulumi's protection, and whatever the program says, the stored value still refuses", async () => {
  project.write({ "index.js": programWith({ environment: "PROD", deletionProtection: false }) });
  await succeed(project.pulumi("state unprotect --all --yes"));
  world.calls();
  const { text } = await fail(project.pulumi("destroy --yes --skip-preview"));
  expect(text).toContain("service orders-test");
  expect(text).toContain("is protected against deletion (deletionProtection is stored as true)");
  expect(text).toContain("set `deletionProtection: false`, run `pulumi up`");
  expect(text).not.toMatch(/^\s+at .*\.js/m);
  expect(world.calls()).toEqual(["deleteService"]); // the plain one
  expect(services()).toEqual(["orders-test"]);
});

test("nor is a protected service replaced", async () => {
  const regionCode = "eu-west-1";
  project.write({ "index.js": programWith({ environment: "PROD", regionCode, allowReplace: true }) });
  const { text } = await fail(project.pulumi("preview"));
  expect(text).toContain("so it is not replaced either");
});

test("taking the protection away is an up of its own that calls nothing; then a destroy works", async () => {
  project.write({ "index.js": programWith({ environment: "PROD", deletionProtection: false }) });
  world.calls();
  await succeed(project.pulumi("up --yes --skip-preview"));
  expect(world.calls()).toEqual(["createService"]); // the plain one is made again
  await succeed(project.pulumi("destroy --yes --skip-preview"));
  expect(services()).toEqual([]);
});
