// A replica set under another provider than its service: the processes of both know whether the service is protected.

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

test("a destroy refuses to delete service and replica set while the service is protected, and deletes both afterwards", async () => {
  const project = await world.project("elsewhere", { "index.js": program({ deletionProtection: true }) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  await succeed(project.pulumi("state unprotect --all --yes"));
  world.calls();
  const refused = await project.pulumi("destroy --yes --skip-preview");
  expect(refused.code).not.toBe(0);
  expect(refused.text).toContain("which is protected against deletion (deletionProtection is stored as true)");
  expect(world.calls()).toEqual([]);
  project.write({ "index.js": program({ deletionProtection: false }) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  await succeed(project.pulumi("destroy --yes --skip-preview"));
  expect(world.calls()).toEqual(["deleteReplicaSet", "deleteService"]);
});
