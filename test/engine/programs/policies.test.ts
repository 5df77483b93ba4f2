// The policy pack of docs/policies.md, as printed, on the real engine: one policy of each kind, for both forms.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { blocksOf, root, textOf } from "../../support/repository";
import { fail, succeed } from "../../support/cliProcess";
import { isBuildServer } from "../../support/repeats";
import { useEngineWorld, world } from "../world";

useEngineWorld();

/** Pulumi: where no language host has the name of a runtime, the engine starts a program of this name for its packs. */
const RUNTIME = "node-without-host";

const [pack = ""] = blocksOf(textOf("docs/policies.md"), "js");

const program = `const { Service } = require("pulumi-dbcloud");
const native = require("pulumi-dbcloud/native");
const standby = process.env.WITH_STANDBY ? { haReplicas: { replicaCount: 1 } } : {};
new Service("plain", { cpuMillis: 500, memoryGbs: 2 });
new native.Service("plugin", { cpuMillis: 500, memoryGbs: 2 });
new Service("first", { environment: "PROD", cpuMillis: 500, memoryGbs: 2, ...standby });
new native.Service("second", { environment: "PROD", cpuMillis: 500, memoryGbs: 2, ...standby });
`;

test.runIf(isBuildServer)("the pack of the page refuses, warns and completes", async () => {
  const project = await world.project("checked", { "index.js": program });
  const folder = path.join(project.folder, "policies");
  const bin = path.join(world.folder, "bin");
  for (const one of [folder, bin]) mkdirSync(one);
  symlinkSync(path.join(root, "node_modules/@pulumi/policy"), path.join(project.folder, "node_modules/@pulumi/policy"));
  project.write({ "policies/index.js": pack, "policies/PulumiPolicy.yaml": `runtime: ${RUNTIME}\n` });
  project.write({ "policies/package.json": `{ "name": "policies", "version": "0.0.1", "main": "index.js" }` });
  const start = `exec node node_modules/@pulumi/pulumi/cmd/run-policy-pack "$@"`;
  writeFileSync(path.join(bin, `pulumi-analyzer-policy-${RUNTIME}`), `#!/bin/sh\n${start}\n`, { mode: 0o755 });
  world.environment["PATH"] = [bin, world.environment["PATH"]].join(path.delimiter);
  symlinkSync(path.join(project.folder, "node_modules"), path.join(folder, "node_modules"));

  const args = "up --yes --skip-preview --policy-pack policies";
  const refused = (await fail(project.pulumi(args))).text;
  expect(refused).toMatch(/mandatory.*production-has-standby[^]*Set haReplicas/);
  const up = (await succeed(project.pulumi(args, { WITH_STANDBY: "1" }))).text;
  expect(up).toMatch(/advisory.*one-production-service[^]*Use a stack for each/);
  expect(up).toMatch(/remediate.*tagged/);
  const tags = world.emulator.state().services.map(({ name, environment }) => `${name} ${environment}`);
  expect(tags.toSorted()).toEqual([
    "checked-first-test PROD",
    "checked-plain-test DEV",
    "checked-plugin-test DEV",
    "checked-second-test PROD",
  ]);
  // The tag that the pack adds is in the state, so that the program without it shows no change.
  await succeed(project.pulumi("preview --expect-no-changes --policy-pack policies", { WITH_STANDBY: "1" }));
});
