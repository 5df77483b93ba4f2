// A service that moves to another provider by an adoption, without an alias: the delete of the entry that it leaves comes
// last, from another process, and must not delete it.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { succeed } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";

let world: EngineWorld;
/** The temporary folder of the runs: the only process ids in it are those of their own provider processes. */
let own: string;
beforeAll(async () => {
  own = mkdtempSync(path.join(tmpdir(), "moved-"));
  world = await openEngineWorld();
});
afterAll(async () => {
  await world.close();
  rmSync(own, { recursive: true });
});

const before = (args: object): string => `
const { Service } = require("pulumi-dbcloud");
new Service("db", ${JSON.stringify(args)});
`;

const after = (args: object, host: string, rest = ""): string => `
const { Provider, Service } = require("pulumi-dbcloud");
const { DBCLOUD_API_KEY: apiKey, DBCLOUD_BASE_URL } = process.env;
const baseUrl = DBCLOUD_BASE_URL.replace("127.0.0.1", ${JSON.stringify(host)});
const provider = new Provider("other", { apiKey, baseUrl, projectId: "proj000001" });
const moved = new Service("database", ${JSON.stringify(args)}, { provider });
${rest}
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
  expect(text).toContain("is kept: a resource of this program still has it under another provider");
  expect(world.calls()).toEqual([]);
});

/** The living provider process of the run that keeps the object. */
function keeperOf(object: string): number | undefined {
  const folders = readdirSync(own).filter((name) => name.startsWith("pulumi-dbcloud-"));
  const files = folders.flatMap((name) => readdirSync(path.join(own, name)).map((file) => path.join(own, name, file)));
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n")).filter((line) => line.includes(object));
  const pids = lines.map((line) => Number.parseInt((JSON.parse(line) as [string])[0], 10));
  const isOurs = (pid: number): boolean => {
    const environment = path.join("/proc", String(pid), "environ");
    return existsSync(environment) && readFileSync(environment, "utf8").includes(`TMPDIR=${own}`);
  };
  return pids.findLast(isOurs);
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && !isSo(); tries += 1) await delay(50);
}

test.runIf(process.platform === "linux")("nor if the adopting process was killed before that delete", async () => {
  const args = { name: "killed", regionCode: "us-east-1" };
  const project = await world.project("killed", { "index.js": before(args) });
  await succeed(project.pulumi("up --yes --skip-preview"));
  const id = idOf("killed");
  world.calls();
  const [taken, goOn] = [path.join(own, "taken"), path.join(own, "go-on")];
  // The program ends only after the test has killed the process.
  const wait = `exports.done = moved.status.apply(async () => {
  const { existsSync, writeFileSync } = require("node:fs");
  writeFileSync(${JSON.stringify(taken)}, "");
  while (!existsSync(${JSON.stringify(goOn)})) await new Promise((resolve) => setTimeout(resolve, 50));
});`;
  project.write({ "index.js": after({ ...args, adoptId: id }, "127.0.0.1", wait) });
  const running = project.pulumi("up --yes --skip-preview", { TMPDIR: own });
  await until(() => existsSync(taken));
  const keeper = keeperOf(`"service/${id}"`);
  if (keeper !== undefined) process.kill(keeper, "SIGKILL");
  writeFileSync(goOn, "");
  const { text } = await running;
  expect(keeper).toBeDefined();
  expect(text).toContain("is kept: a resource of this program still has it under another provider");
  expect(world.calls()).toEqual([]);
});
