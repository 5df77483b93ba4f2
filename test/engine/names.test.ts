// Names that resources of one program share or hand on, on the real engine: what cannot be is an error in the preview.

import { afterAll, beforeAll, expect, test } from "vitest";
import { succeed } from "../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";
import type { Project } from "../support/cli/project";

let world: EngineWorld;

beforeAll(async () => {
  world = await openEngineWorld();
});

afterAll(() => world.close());

function programOf(...services: readonly string[]): Readonly<Record<string, string>> {
  return { "index.js": `const { Service } = require("pulumi-dbcloud");\n${services.join("\n")}\n` };
}

async function upped(name: string, ...services: readonly string[]): Promise<Project> {
  const project = await world.project(name, programOf(...services));
  await succeed(project.pulumi("up --yes --skip-preview"));
  world.calls();
  return project;
}

function namesOf(ids: readonly (string | undefined)[]): (string | undefined)[] {
  return ids.map((id) => world.emulator.state().services.find((service) => service.id === id)?.name);
}

const renamed = `const a = new Service("a", { name: "primary-old" });`;

test.each([
  ["first", [renamed, `new Service("b", { name: "primary" });`]],
  ["last", [`new Service("b", { name: "primary" });`, renamed]],
  ["on which it depends", [renamed, `new Service("b", { name: "primary" }, { dependsOn: a });`]],
])("a new service gets the name that another, declared %s, gives up in the same run", async (place, services) => {
  const project = await upped(`handed-${place.length}`, `new Service("a", { name: "primary" });`);
  const { a } = await project.resources();
  project.write(programOf(...services));
  await succeed(project.pulumi("preview"));
  await succeed(project.pulumi("up --yes --skip-preview"));
  const { b } = await project.resources();
  expect(namesOf([a?.id, b?.id])).toEqual(["primary-old", "primary"]);
  expect(world.calls().toSorted()).toEqual(["createService", "renameService"]);
  await succeed(project.pulumi("preview --expect-no-changes"));
  await succeed(project.pulumi("destroy --yes --skip-preview"));
  world.calls();
});

test("two services that are renamed to one name are an error in the preview, as two new ones are", async () => {
  const project = await upped("both", `new Service("a", { name: "one" });`, `new Service("b", { name: "two" });`);
  const both = (more: string): string[] =>
    ["a", "b"].map((name) => `new Service("${name}", { name: "three"${more} });`);
  project.write(programOf(...both("")));
  const { code, text } = await project.pulumi("preview");
  expect(code).not.toBe(0);
  // The engine checks the two in no order.
  expect(text).toMatch(/name: service three is declared twice, also by [ab]\. Give one of them another `name`/);
  expect(world.calls()).toEqual([]);
  project.write(programOf(...both(", allowDuplicateName: true")));
  await succeed(project.pulumi("up --yes"));
  expect(world.calls()).toEqual(["renameService", "renameService"]);
});
