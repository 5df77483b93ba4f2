// The plugin when a run ends early: a Ctrl-C ends the waits, and nobody is left behind.

import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliRun, fail, isAlive, succeed, until } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import type { Project } from "../../support/cli/project";

const program = `
const { Service } = require("pulumi-dbcloud/native");
new Service("db", { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2, poolerEnabled: true });
`;
const PS_MS = 100;
const CREATE_MS = 20_000;

let world: EngineWorld;
let project: Project;
let run: CliRun;

beforeEach(async () => {
  world = await openEngineWorld({ timings: { create: CREATE_MS } });
  project = await world.project("early", { "index.js": program });
  run = project.start("up --yes --skip-preview", { PULUMI_SKIP_CHECKPOINTS: undefined });
  await until(() => world.emulator.state().services.length > 0, PS_MS);
});

afterEach(async () => {
  run.sweep();
  await world.close();
});

test("Ctrl-C during a create: it ends at once, the id is in the state, and the next up completes the one service", async () => {
  const sinceMs = performance.now();
  run.interrupt();
  const { text } = await fail(run.outcome);
  expect(performance.now() - sinceMs).toBeLessThan(CREATE_MS / 2);
  expect(text).toContain("the command was canceled, and nothing more is sent");
  const { services } = world.emulator.state();
  const { db } = await project.resources();
  expect(db?.id).toBe(services[0]?.id);
  expect(db?.initErrors?.join("\n")).toContain("is kept in the state, but is not as declared yet");
  world.emulator.settle();
  world.calls();
  await succeed(project.pulumi("up --yes --skip-preview"));
  expect(world.calls()).toEqual(["enablePooler"]);
  expect(world.emulator.state().services).toHaveLength(1);
  await succeed(project.pulumi("preview --expect-no-changes"));
});

test("SIGKILL of the CLI: the plugin exits, and the next up names the service", async () => {
  const plugins = run.providers();
  expect(plugins).toHaveLength(1);
  run.kill("the CLI");
  await run.outcome;
  await until(() => !plugins.some(isAlive), PS_MS);
  world.emulator.settle();
  await succeed(project.pulumi("cancel --yes"));
  const [service] = world.emulator.state().services;
  const { text } = await fail(project.pulumi("up --yes --skip-preview"));
  expect(text).toContain(`DBCLOUD_ADOPT=${service?.id}`);
  await succeed(project.pulumi("up --yes --skip-preview", { DBCLOUD_ADOPT: service?.id }));
  expect(world.emulator.state().services.map(({ id }) => id)).toEqual([service?.id]);
});
