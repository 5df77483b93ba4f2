// In a folder with somebody else's stack: no command sends the environment's key where that stack says, and none hands
// it to the programs that it starts.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startScriptedServer, type ScriptedServer } from "../support/scriptedServer";
import { type CommandLine, type Ended, openCommandLine } from "./program";

const key = "the-environments-key-0123456789";
let line: CommandLine;
let elsewhere: ScriptedServer;

beforeEach(async () => {
  line = await openCommandLine();
  elsewhere = await startScriptedServer({ json: [{ id: "proj000001", name: "a trap" }] });
});

afterEach(async () => {
  await line.close();
  await elsewhere.close();
});

/** A `pulumi` that has one stack, with this configuration, and writes down the environment that it was given. */
function pulumi(config: Record<string, string>): void {
  const settings = Object.entries(config).map(([name, value]) => [`dbcloud:${name}`, { value, secret: false }]);
  const answer = JSON.stringify(Object.fromEntries(settings) as object);
  const script = `#!${process.execPath}
require("node:fs").appendFileSync(${JSON.stringify(seenFile())}, JSON.stringify(process.env) + "\\n");
console.log(process.argv[2] === "version" ? "v3.259.0" : ${JSON.stringify(answer)});
`;
  writeFileSync(path.join(line.folder, "pulumi"), script, { mode: 0o755 });
}

const seenFile = (): string => path.join(line.folder, "seen");

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
  expect(out).toContain("note     the API was not asked: the API key of the environment is not sent to");
  expect(out).toContain(`set DBCLOUD_BASE_URL=${elsewhere.baseUrl} or give --base-url`);
  expect(out).toContain(`DBCLOUD_ALLOWED_HOSTS=127.0.0.1:${elsewhere.port}`);
  expect(out).not.toContain(key);
});

test("the address to copy is quoted: a repository chose its path", async () => {
  const address = `${elsewhere.baseUrl}/$(touch owned);'/v1`;
  pulumi({ baseUrl: address });
  const { out } = await run(["doctor"]);
  expect(out).toContain(`set DBCLOUD_BASE_URL='${address.replace("'", String.raw`'\''`)}' or`);
});

test.each([
  ["a flag", (): [string[], Record<string, string>] => [["--base-url", elsewhere.baseUrl], {}]],
  ["the environment", (): [string[], Record<string, string>] => [[], { DBCLOUD_BASE_URL: elsewhere.baseUrl }]],
  [
    "a host that the environment allows",
    (): [string[], Record<string, string>] => [[], { DBCLOUD_ALLOWED_HOSTS: `127.0.0.1:${elsewhere.port}` }],
  ],
])("doctor asks after %s", async (_, say) => {
  pulumi({ baseUrl: elsewhere.baseUrl });
  const [args, environment] = say();
  const { out } = await run(["doctor", ...args], environment);
  expect(elsewhere.asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
  expect(out).toContain("answers and accepts the key");
});

test("plain http to another machine is not allowed for the environment's key by the stack", async () => {
  pulumi({ allowInsecure: "true" });
  const { out } = await run(["doctor"], { DBCLOUD_BASE_URL: `http://0.0.0.0:${elsewhere.port}/v1` });
  expect(out).toContain("is plain http");
  expect(out).toContain("DBCLOUD_ALLOW_INSECURE");
  expect(elsewhere.asked).toEqual([]);
});

test.each([[["import", "--all"]], [["logs", "orders"]]])("%j knows no stack", async (args) => {
  pulumi({ baseUrl: elsewhere.baseUrl });
  const ended = await run(args);
  expect(ended).toMatchObject({ code: 1, out: "" });
  expect(ended.error).toContain("DBCLOUD_BASE_URL is not set");
  expect(elsewhere.asked).toEqual([]);
});

test("the programs that a command starts are not given the key", async () => {
  pulumi({});
  await run(["doctor"], { DBCLOUD_BASE_URL: line.emulator.baseUrl });
  await run(["import", "--all"], { DBCLOUD_BASE_URL: line.emulator.baseUrl, DBCLOUD_API_KEY: line.emulator.apiKey });
  expect(existsSync(seenFile())).toBe(true);
  const seen = readFileSync(seenFile(), "utf8");
  expect(seen.trim().split("\n")).toHaveLength(4);
  expect(seen).not.toContain("DBCLOUD_API_KEY");
  expect(seen).not.toContain(key);
  expect(seen).not.toContain(line.emulator.apiKey);
});
