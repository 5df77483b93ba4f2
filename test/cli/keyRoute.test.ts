// In a folder with somebody else's stack: no command sends the environment's key where that stack says, and none hands
// it to the programs that it starts.

import { beforeEach, expect, onTestFinished, test } from "vitest";
import { startScriptedServer, type ScriptedServer } from "../support/scriptedServer";
import { type Ended, line, useCommandLine, writePulumi } from "./program";

const key = "the-environments-key-0123456789";
let elsewhere: ScriptedServer;

useCommandLine();

beforeEach(async () => {
  elsewhere = await startScriptedServer({ json: [{ id: "proj000001", name: "a trap" }] });
  onTestFinished(() => elsewhere.close());
});

/** A `pulumi` whose selected stack has this configuration. */
const pulumi = (config: Record<string, string>) => writePulumi(line.folder, { dev: {} }, config);

const run = (args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> =>
  line.run(args, { environment: { PATH: line.folder, DBCLOUD_API_KEY: key, DBCLOUD_BASE_URL: "", ...environment } });

test("doctor does not ask where only the stack's configuration points to, and says what to set", async () => {
  pulumi({
    baseUrl: elsewhere.baseUrl,
    allowInsecure: "true",
    debug: "1",
    allowedHosts: `127.0.0.1:${elsewhere.port}`,
  });
  const { out } = await run(["doctor"]);
  expect(elsewhere.asked).toEqual([]);
  expect(out).toContain(`baseUrl: ${elsewhere.baseUrl} (this stack's configuration)`);
  expect(out).toContain("note     the API was not checked");
  expect(out).toContain(`set DBCLOUD_BASE_URL=${elsewhere.baseUrl} or give --base-url`);
  expect(out).toContain(`DBCLOUD_ALLOWED_HOSTS=127.0.0.1:${elsewhere.port}`);
  expect(out).not.toContain(key);
});

test("the address to copy is quoted: a repository chose its path", async () => {
  const address = `${elsewhere.baseUrl}/$(touch owned);'/v1`;
  pulumi({ baseUrl: address });
  const { out } = await run(["doctor"]);
  expect(out).toContain(`set DBCLOUD_BASE_URL='${address.replace(" ", "%20").replace("'", String.raw`'\''`)}' or`);
});

test.each<[string, () => [args: string[], environment: Record<string, string>]]>([
  ["that a flag names", () => [["--base-url", elsewhere.baseUrl], {}]],
  ["that the environment names", () => [[], { DBCLOUD_BASE_URL: elsewhere.baseUrl }]],
  ["that the environment allows", () => [[], { DBCLOUD_ALLOWED_HOSTS: `127.0.0.1:${elsewhere.port}` }]],
])("doctor asks another server %s", async (_, given) => {
  pulumi({ baseUrl: elsewhere.baseUrl });
  const [args, environment] = given();
  const { out } = await run(["doctor", ...args], environment);
  expect(elsewhere.asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
  expect(out).toContain("answers and accepts the key");
});

test("plain http to another machine is not allowed for the environment's key by the stack", async () => {
  pulumi({ allowInsecure: "true" });
  const { out } = await run(["doctor"], { DBCLOUD_BASE_URL: `http://0.0.0.0:${elsewhere.port}/v1` });
  expect(out).toContain("uses plain http");
  expect(out).toContain("DBCLOUD_ALLOW_INSECURE");
  expect(elsewhere.asked).toEqual([]);
});

test.each([[["import", "--all"]], [["logs", "orders"]]])("%j knows no stack", async (args) => {
  pulumi({ baseUrl: elsewhere.baseUrl });
  const ended = await run(args);
  expect(ended).toMatchObject({ code: 1, out: "" });
  expect(ended.error).toContain("no base URL is set (--base-url or DBCLOUD_BASE_URL)");
  expect(elsewhere.asked).toEqual([]);
});

test("the programs that a command starts are not given the key", async () => {
  const called = pulumi({});
  await run(["doctor"], { DBCLOUD_BASE_URL: line.emulator.baseUrl });
  await run(["import", "--all"], { DBCLOUD_BASE_URL: line.emulator.baseUrl, DBCLOUD_API_KEY: line.emulator.apiKey });
  expect(called()).toHaveLength(3);
  const seen = JSON.stringify(called());
  for (const word of ["DBCLOUD_API_KEY", key, line.emulator.apiKey]) expect(seen).not.toContain(word);
});
