// Names that resources of one program share or hand on, on the real engine: what cannot be is an error in the preview.

import { beforeAll, expect, test } from "vitest";
import { fail, succeed } from "../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";

let world: EngineWorld;

beforeAll(async () => {
  world = await openEngineWorld();
  return () => world.close();
});

const programOf = (...services: readonly string[]): Readonly<Record<string, string>> => ({
  "index.js": `const { Service } = require("pulumi-dbcloud");\n${services.join("\n")}\n`,
});

test("a new service gets the name that another gives up in the same run, and two get one name only by the word", async () => {
  const project = await world.project("names", programOf(`new Service("a", { name: "primary" });`));
  await succeed(project.pulumi("up --yes --skip-preview"));
  project.write(programOf(`new Service("b", { name: "primary" });`, `new Service("a", { name: "primary-old" });`));
  world.calls();
  await succeed(project.pulumi("up --yes"));
  expect(world.calls().toSorted()).toEqual(["createService", "renameService"]);
  const { a, b } = await project.resources();
  const names = new Map(world.emulator.state().services.map(({ id, name }) => [id, name]));
  expect([names.get(a?.id ?? ""), names.get(b?.id ?? "")]).toEqual(["primary-old", "primary"]);

  const both = (more: string): string[] =>
    ["a", "b"].map((name) => `new Service("${name}", { name: "three"${more} });`);
  project.write(programOf(...both("")));
  // The engine checks the two in no order.
  expect((await fail(project.pulumi("preview"))).text).toMatch(/name: .*three.* by [ab]\b/);
  expect(world.calls()).toEqual([]);
  project.write(programOf(...both(", allowDuplicateName: true")));
  await succeed(project.pulumi("up --yes"));
  expect(world.calls()).toEqual(["renameService", "renameService"]);
});
