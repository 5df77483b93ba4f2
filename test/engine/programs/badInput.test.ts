// Bad input on the real CLI: an error in the preview with the property's path, what was given and what is allowed.

import { expect, test } from "vitest";
import { fail } from "../../support/cliProcess";
import { useEngineWorld, world } from "../world";

useEngineWorld();

const program = `
const { Service } = require("pulumi-dbcloud");
new Service("orders", {
  haReplicas: { replicaCount: 1, syncReplicaCount: 2 },
  environment: "STAGING",
  region_code: "us-east-1",
  password: 12345678,
});
`;

test("every mistake is in the preview with what was given and what is allowed, without a secret", async () => {
  const project = await world.project("bad-input", { "index.js": program });
  const { text } = await fail(project.pulumi("preview"));
  for (const line of [
    "haReplicas.syncReplicaCount: given 2, but replicaCount is 1 ",
    'environment: given "STAGING"; allowed: "DEV" or "PROD"',
    "region_code: there is no such argument; allowed: name, regionCode, ",
    "password: given [secret]; allowed: ",
  ]) {
    expect(text).toContain(line);
  }
  expect(text).not.toContain("12345678");
  expect(text).not.toMatch(/^\s+at .*\.js/m);
  expect(text).not.toContain("&{{"); // how the engine prints the value of a property that is blamed
});
