// A replica set under another provider than its service: the tag of the live service protects it.

import { afterAll, beforeAll, expect, test } from "vitest";
import { succeed } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";

let world: EngineWorld;
beforeAll(async () => {
  world = await openEngineWorld();
});
afterAll(() => world.close());

const program = (args: object): string => `
const { Provider, ReadReplicaSet, Service } = require("pulumi-dbcloud");
const { DBCLOUD_API_KEY: apiKey, DBCLOUD_BASE_URL: baseUrl } = process.env;
const provider = new Provider("other", { apiKey, baseUrl, projectId: "proj000001" });
const { serviceId } = new Service("orders", ${JSON.stringify(args)});
new ReadReplicaSet("readers", { serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 }, { provider });
`;

test("a destroy refuses to delete service and replica set while the service is tagged PROD, and deletes both afterwards", async () => {
  const project = await world.project("elsewhere", { "index.js": program({ environment: "PROD" }) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  await succeed(project.pulumi("state unprotect --all --yes"));
  world.calls();
  const refused = await project.pulumi("destroy --yes --skip-preview");
  expect(refused.code).not.toBe(0);
  expect(refused.text).toContain("which has the environment tag PROD");
  expect(world.calls()).toEqual([]);
  project.write({ "index.js": program({ environment: "DEV" }) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  world.calls();
  await succeed(project.pulumi("destroy --yes --skip-preview"));
  expect(world.calls()).toEqual(["deleteReplicaSet", "deleteService"]);
});
