// The programs that a user would copy, run as they are: TypeScript, in a folder of their own, up and down again. The
// demo's program, which the repository itself runs, has a test of its own.

import path from "node:path";
import { expect, test } from "vitest";
import { fail, type Outcome, runCommand, succeed } from "../../support/cliProcess";
import { useEngineWorld, world } from "../world";

const labKey = "key-of-the-lab";

useEngineWorld(
  {
    projects: [
      { id: "shop000001", name: "shop" },
      { id: "lab0000001", name: "lab" },
    ],
    callers: [{ token: labKey, kind: "pat", projectId: "lab0000001" }],
  },
  async () => {
    // Pulumi: each run would check the types of the program, which `npm test` checks once.
    world.environment["PULUMI_NODEJS_TRANSPILE_ONLY"] = "true";
  },
);

const services = () => world.emulator.state().services.toSorted((a, b) => a.name.localeCompare(b.name));

test("fork: the program forks a service that it only looks up", async () => {
  const original = world.emulator.mutate.createService({ name: "orders", cpuMillis: 4000, memoryGbs: 16 });
  const fork = await world.example("fork");
  await succeed(fork.pulumi("config set production orders"));
  await succeed(fork.pulumi("up --yes --skip-preview"));
  expect(services()).toMatchObject([
    { name: "copy-test", cpuMillis: 500, forkedFrom: { serviceId: original.id } },
    { id: original.id },
  ]);
  const { text } = await succeed(fork.pulumi("stack output url --show-secrets"));
  expect(text.trim()).toContain(`:${encodeURIComponent(services()[0]?.initialPassword ?? "")}@`);
  await succeed(fork.pulumi("destroy --yes --skip-preview"));
  expect(services()).toMatchObject([{ id: original.id }]);
  world.emulator.mutate.deleteService(original.id);
});

test("several accounts: each resource is created with the key and in the project of its provider", async () => {
  const project = await world.example("several-accounts");
  const plain = ["shopProject=shop000001", "labProject=lab0000001", "deletionProtection=false"];
  const secret = [`shopKey=${world.emulator.apiKey}`, `labKey=${labKey}`];
  const given = [...plain.map((pair) => ["--plaintext", pair]), ...secret.map((pair) => ["--secret", pair])];
  await succeed(project.pulumi(["config", "set-all", ...given.flat()]));
  const { text } = await succeed(project.pulumi("up --yes --skip-preview", { DBCLOUD_API_KEY: undefined }));
  expect(text).toMatch(/labServices: \[\s+\[0\]: "scratch-test"/);
  expect(services()).toMatchObject([
    { name: "orders-test", projectId: "shop000001" },
    { name: "scratch-test", projectId: "lab0000001" },
  ]);
  const state = await project.state();
  expect(state).not.toContain(labKey);
  expect(state).not.toContain(world.emulator.apiKey);
  await succeed(project.pulumi("destroy --yes --skip-preview", { DBCLOUD_API_KEY: undefined }));
  expect(services()).toEqual([]);
});

test("automation: a script creates and destroys a database per pull request", async () => {
  const { folder } = await world.example("automation");
  const run = (args: string[], more: Record<string, string> = {}): Promise<Outcome> => {
    const environment = { ...world.environment, PATH: withPulumi(world.environment["PATH"]), ...more };
    return runCommand(process.execPath, ["index.ts", ...args], { cwd: folder, environment });
  };
  // What fails must not look like a database that is there.
  const refused = await fail(run(["up", "41"], { DBCLOUD_API_KEY: "wrong" }));
  expect(refused.error).toContain("does not accept the API key");
  const { out } = await succeed(run(["up", "42"]));
  expect(services()).toMatchObject([{ id: out.trim(), name: "review-42" }]);
  await succeed(run(["destroy", "42"]));
  expect(services()).toEqual([]);
});

/** The Automation API takes the CLI from PATH. */
function withPulumi(searchPath: string | undefined): string | undefined {
  const cliRoot = process.env["DBCLOUD_PULUMI_ROOT"];
  return cliRoot === undefined ? searchPath : [path.join(cliRoot, "bin"), searchPath].join(path.delimiter);
}
