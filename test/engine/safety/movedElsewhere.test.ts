// A service that moves to another provider by an adoption, without an alias: the delete of the entry that it leaves comes
// last, from another process, and must not delete it.

import { afterAll, beforeAll, expect, test } from "vitest";
import { succeed } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";

let world: EngineWorld;
beforeAll(async () => {
  world = await openEngineWorld();
});
afterAll(() => world.close());

const before = (args: object): string => `
const { Service } = require("pulumi-dbcloud");
new Service("db", ${JSON.stringify(args)});
`;

const after = (args: object, host: string): string => `
const { Provider, Service } = require("pulumi-dbcloud");
const { DBCLOUD_API_KEY: apiKey, DBCLOUD_BASE_URL } = process.env;
const baseUrl = DBCLOUD_BASE_URL.replace("127.0.0.1", ${JSON.stringify(host)});
const provider = new Provider("other", { apiKey, baseUrl, projectId: "proj000001" });
new Service("database", ${JSON.stringify(args)}, { provider });
`;

const idOf = (name: string): string => world.emulator.state().services.find((one) => one.name === name)?.id ?? "";

test("adopted by a provider with another address of the deployment: it is not deleted with its old entry", async () => {
  const args = { name: "addressed", regionCode: "us-east-1" };
  const project = await world.project("addressed", { "index.js": before(args) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  const id = idOf("addressed");
  world.calls();
  project.write({ "index.js": after({ ...args, adoptId: id }, "localhost") });
  const { text } = await succeed(project.pulumi("up --yes --skip-preview"));
  expect(text).toContain("(under another provider) of this program has it");
  expect(world.calls()).toEqual([]);
});
