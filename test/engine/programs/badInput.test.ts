// Bad input on the real CLI: an error in preview with the property's path, what was given and what is allowed.

import { afterAll, beforeAll, expect, test } from "vitest";
import { fail, succeed } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import type { Project } from "../../support/cli/project";

let world: EngineWorld;
let project: Project;

beforeAll(async () => {
  world = await openEngineWorld();
  project = await world.project("bad-input", { "index.js": "" });
});

afterAll(async () => {
  await world.close();
});

async function preview(declaration: string): Promise<string> {
  project.write({ "index.js": `const { ReadReplicaSet, Service, Vpc } = require("pulumi-dbcloud");\n${declaration};` });
  const { text } = await fail(project.pulumi("preview"));
  expect(text).not.toMatch(/^\s+at .*\.js/m);
  expect(text).not.toContain("&{{"); // how the engine prints the value of a property that is blamed
  return text;
}

test("a VPC", async () => {
  const text = await preview(`new Vpc("net", { cidr: "10.0.0.0/33", region: "us-east-1" })`);
  expect(text).toContain('cidr: given "10.0.0.0/33"; allowed: ');
  expect(text).toContain("region: there is no such argument; did you mean regionCode?");
  expect(text).toContain("regionCode: is missing; allowed: ");
});

test("a service", async () => {
  const text = await preview(`new Service("orders", {
    cpuMillis: 500,
    haReplicas: { replicaCount: 1, syncReplicaCount: 2 },
    forkFrom: { serviceId: "svc1234567", strategy: "PITR" },
    regionCode: "us-east-1",
    addons: ["ai"],
    environment: "STAGING",
    region_code: "us-east-1",
    password: 12345678,
    timeouts: { create: "soon" },
  })`);
  for (const line of [
    "memoryGbs: is missing; allowed: both sizes or none (cpuMillis is given)",
    "haReplicas.syncReplicaCount: given 2; allowed: at most replicaCount, which is 1 and counts all of them",
    'forkFrom.targetTime: is missing; allowed: an RFC 3339 time, which the strategy "PITR" needs',
    'regionCode: given "us-east-1"; allowed: nothing, because a fork inherits it',
    'addons: given ["ai"]; allowed: nothing, because a fork inherits it',
    'environment: given "STAGING"; allowed: "DEV" or "PROD"',
    "region_code: there is no such argument; did you mean regionCode?",
    "password: given [secret]; allowed: ",
    'timeouts.create: given "soon"; allowed: ',
  ]) {
    expect(text).toContain(line);
  }
  expect(text).not.toContain("12345678");
});

test("a change of an input that cannot change names both values and the remedy", async () => {
  project.write({
    "index.js": `
      const { Service } = require("pulumi-dbcloud");
      new Service("orders", { regionCode: "us-east-1", cpuMillis: "shared", memoryGbs: "shared" });
    `,
  });
  await succeed(project.pulumi("up --yes --skip-preview"));
  const resized = await preview(`new Service("orders", { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 })`);
  expect(resized).toContain('cpuMillis: cannot change from "shared" to 500. ');
  expect(resized).toContain("fork the service to another size");
  const moved = await preview(
    `new Service("orders", { regionCode: "eu-west-1", cpuMillis: "shared", memoryGbs: "shared" })`,
  );
  expect(moved).toContain('regionCode: cannot change from "us-east-1" to "eu-west-1". ');
  expect(moved).toContain("allowReplace: true");
  await succeed(project.pulumi("destroy --yes --skip-preview"));
});
