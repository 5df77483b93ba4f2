// Key and address on the real CLI: what is missing or wrong is said at the start of an up, with the place to
// set it; what is right is used from the stack's configuration as well, and kept as a secret.

import { expect, test } from "vitest";
import { getServices } from "../../provider/index";
import { fail, succeed } from "../support/cliProcess";
import type { Project } from "../support/cli/project";
import { useEngineWorld, world } from "./world";

const program = `
const pulumi = require("@pulumi/pulumi");
const { Service } = require("pulumi-dbcloud");
const config = new pulumi.Config();
const service = new Service("orders", { password: config.getSecret("password") });
exports.password = service.password;
exports.initialPassword = service.initialPassword;
exports.url = service.connectionString();
`;

const password = "a-password-from-the-configuration";

let project: Project;

// A random key may begin with a dash, which the CLI takes for a flag.
useEngineWorld({ apiKey: "key-of-the-emulator" }, async () => {
  project = await world.project("configuration", { "index.js": program });
});

test("a wrong key is an error at the start of an up that says where it comes from", async () => {
  const { text } = await fail(project.pulumi("up --yes --skip-preview", { DBCLOUD_API_KEY: "a-key-of-nobody" }));
  expect(text).toMatch(/401/);
  expect(text).toMatch(/comes from the environment variable DBCLOUD_API_KEY/);
  expect(text).not.toContain("a-key-of-nobody");
  expect(text).not.toMatch(/^\s+at .*\.js/m);
  expect(world.emulator.ledger()).toEqual([]);
});

test("stack configuration is enough, and neither the key nor passwords are readable in state, outputs and debug logs", async () => {
  const { apiKey, baseUrl } = world.emulator;
  const bare = { DBCLOUD_API_KEY: undefined, DBCLOUD_BASE_URL: undefined, DBCLOUD_DEBUG: "1" };
  await succeed(project.pulumi(`config set --secret dbcloud:apiKey ${apiKey}`));
  await succeed(project.pulumi(`config set dbcloud:baseUrl ${baseUrl}`));
  await succeed(project.pulumi(`config set --secret password ${password}`));
  const loudly = "up --yes --skip-preview -v=9 --logtostderr --logflow";
  const text = withoutEngineLog((await succeed(project.pulumi(loudly, bare))).text);
  const [service] = world.emulator.state().services;
  expect(service?.password).toBe(password);
  // One line per call, with all that helps and nothing that hurts.
  expect(text).toMatch(/POST .*\/services 20\d/);

  const outputs = await succeed(project.pulumi("stack output", bare));
  const everything = [text, outputs.text, await project.state()].join("\n");
  for (const secret of [apiKey, password, service?.initialPassword ?? "", encodeURIComponent(password)]) {
    expect(everything).not.toContain(secret);
  }
  expect(outputs.text.match(/\[secret\]/g)).toHaveLength(3);

  // Refresh and destroy see the configuration that is kept in the state.
  const refreshed = await succeed(project.pulumi("refresh --yes --skip-preview", bare));
  const misspelt = { ...bare, DBCLOUD_READONLY: "1" };
  const { text: said } = await fail(project.pulumi("destroy --yes --skip-preview", misspelt));
  expect(said).toMatch(/DBCLOUD_READONLY: .*did you mean DBCLOUD_READ_ONLY\?/);
  expect(world.emulator.state().services).toHaveLength(1);
  const own = { ...bare, DBCLOUD_PROJECT: "a-project-of-mine", DBCLOUD_BASEURL: "https://mine.example" };
  // No request to this machine, the connection to the engine included, goes through a proxy.
  Object.assign(own, { https_proxy: "http://127.0.0.1:1", no_proxy: undefined, NO_PROXY: undefined });
  const destroyed = await succeed(project.pulumi("destroy --yes --skip-preview", own));
  expect(destroyed.text).toMatch(/warning: .*DBCLOUD_BASEURL: .*did you mean DBCLOUD_BASE_URL\?/);
  expect(destroyed.text).toMatch(/warning: .*DBCLOUD_PROJECT: .*did you mean DBCLOUD_PROJECT_ID\?/);
  expect(refreshed.text + destroyed.text).not.toContain(apiKey);
  expect(world.emulator.state().services).toEqual([]);
});

/** At its loudest the engine itself writes down every value that passes; these lines are its own. */
function withoutEngineLog(text: string): string {
  const lines = text.split("\n");
  return lines.filter((line) => !line.startsWith('{"time":') && !/\b[IWE]\d{4} \d\d:/.test(line)).join("\n");
}

test("a look-up in an inline program takes key and address from the stack's configuration", async () => {
  const { apiKey, baseUrl } = world.emulator;
  world.emulator.mutate.createService({ name: "found" });
  const { stack } = await world.open(async () => ({ names: (await getServices()).map(({ name }) => name) }));
  await expect(stack.up()).rejects.toThrow(/no base URL is set|no API key is set/);
  await stack.setConfig("dbcloud:baseUrl", { value: baseUrl });
  await stack.setConfig("dbcloud:apiKey", { value: apiKey, secret: true });
  const { outputs } = await stack.up();
  expect(outputs["names"]?.value).toContain("found");
});
