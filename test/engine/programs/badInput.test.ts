// Bad input on the real CLI: an error in preview with the property's path, what was given and what is allowed. And names that
// resources of one program share or hand on.

import { expect, test } from "vitest";
import { fail, succeed } from "../../support/cliProcess";
import type { Project } from "../../support/cli/project";
import { useEngineWorld, world } from "../world";

let project: Project;

useEngineWorld({}, async () => {
  project = await world.project("bad-input", { "index.js": "" });
});

const programOf = (...services: readonly string[]): Readonly<Record<string, string>> => ({
  "index.js": `const { Service } = require("pulumi-dbcloud");\n${services.join("\n")}\n`,
});

async function preview(declaration: string): Promise<string> {
  project.write(programOf(declaration));
  const { text } = await fail(project.pulumi("preview"));
  expect(text).not.toMatch(/^\s+at .*\.js/m);
  expect(text).not.toContain("&{{"); // how the engine prints the value of a property that is blamed
  return text;
}

test("every mistake is in the preview with what was given and what is allowed, without a secret", async () => {
  const text = await preview(`new Service("orders", {
    haReplicas: { replicaCount: 1, syncReplicaCount: 2 },
    environment: "STAGING",
    region_code: "us-east-1",
    password: 12345678,
  })`);
  for (const line of [
    "haReplicas.syncReplicaCount: given 2; allowed: ",
    'environment: given "STAGING"; allowed: "DEV" or "PROD"',
    "region_code: there is no such argument; did you mean regionCode?",
    "password: given [secret]; allowed: ",
  ]) {
    expect(text).toContain(line);
  }
  expect(text).not.toContain("12345678");
});

test("a change of an input that cannot change names both values and the remedy", async () => {
  const service = (region: string) => `new Service("orders", { regionCode: "${region}" })`;
  project.write(programOf(service("us-east-1")));
  await succeed(project.pulumi("up --yes --skip-preview"));
  const moved = await preview(service("eu-west-1"));
  expect(moved).toMatch(/regionCode: cannot change from "us-east-1" to "eu-west-1"\. .*allowReplace: true/);
});
