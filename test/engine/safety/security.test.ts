// A clone whose configuration leads the key away, on the real CLI, and where the key of a look-up in an inline program comes
// from.

import { expect, onTestFinished, test } from "vitest";
import { getServices } from "../../../provider/index";
import { succeed } from "../../support/cliProcess";
import { startScriptedServer } from "../../support/scriptedServer";
import { useEngineWorld, world } from "../world";

useEngineWorld();

const program = `
const { Service } = require("pulumi-dbcloud");
new Service("orders", { regionCode: "us-east-1" });
`;

test("doctor in a foreign clone sends the environment's key nowhere", async () => {
  const trap = await startScriptedServer({ json: [{ id: "proj000001", name: "a trap" }] });
  onTestFinished(() => trap.close());
  const project = await world.project("clone", { "index.js": program });
  await succeed(project.pulumi(`config set dbcloud:baseUrl ${trap.baseUrl}`));
  await succeed(project.pulumi("config set dbcloud:allowInsecure true"));
  const { DBCLOUD_BASE_URL: own } = world.environment;
  world.environment["DBCLOUD_BASE_URL"] = undefined;
  onTestFinished(() => void (world.environment["DBCLOUD_BASE_URL"] = own));
  const led = await world.command(["doctor"], project.folder);
  expect(led.out).toMatch(/not asked: the API key of the environment/);
  expect(trap.asked).toEqual([]);
  world.environment["DBCLOUD_ALLOWED_HOSTS"] = `127.0.0.1:${trap.port}`;
  onTestFinished(() => void delete world.environment["DBCLOUD_ALLOWED_HOSTS"]);
  expect((await world.command(["doctor"], project.folder)).out).toContain("answers and accepts the key");
  expect(trap.asked).toHaveLength(1);
});

test("a look-up in an inline program takes key and address from the stack's configuration", async () => {
  const { apiKey, baseUrl } = world.emulator;
  world.emulator.mutate.createService({ name: "found" });
  const { stack } = await world.open(async () => ({ names: (await getServices()).map(({ name }) => name) }));
  await expect(stack.up()).rejects.toThrow(/dbcloud:baseUrl is not set|dbcloud:apiKey is not set/);
  await stack.setConfig("dbcloud:baseUrl", { value: baseUrl });
  await stack.setConfig("dbcloud:apiKey", { value: apiKey, secret: true });
  const { outputs } = await stack.up();
  expect(outputs["names"]?.value).toContain("found");
});
