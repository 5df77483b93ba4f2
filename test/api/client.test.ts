// The client as its users meet it: what it takes, what it says of itself, what it tells in its debug lines.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSION } from "../../provider/api/version";
import { createClient, fromEnvironment, operations } from "../../provider/client";
import type { ClientOptions } from "../../provider/client";
import { wireBareService } from "./fixtures";
import { API_KEY, openClient, failureOf, inProject, ofService } from "../support/client";
import { textWith } from "../support/matchers";

const configError = (options: Partial<ClientOptions>): unknown => {
  try {
    createClient({ baseUrl: "https://db.example/v1", apiKey: "k", ...options });
  } catch (error) {
    return error;
  }
  return undefined;
};

test.each([
  ["https://db.example/v1", {}, ""],
  ["https://db.example/v1/", {}, ""],
  ["http://127.0.0.1:8787/v1", {}, ""],
  ["http://[::1]:8787/v1", {}, ""],
  ["http://localhost/v1", {}, ""],
  ["http://db.example/v1", { allowInsecure: true }, ""],
  ["db.example/v1", {}, "not a URL"],
  ["ftp://db.example/v1", {}, "not http(s)"],
  ["https://user:pa55word@db.example/v1", {}, "credentials"],
  ["https://db.example/v1?x=1", {}, "a query or a fragment"],
  ["http://db.example/v1", {}, "plain http"],
  ["http://127.0.0.1.example/v1", {}, "plain http"],
  ["http://0.0.0.0/v1", {}, "plain http"],
])("the address %s with %j has the problem %s", (baseUrl, options, problem) => {
  const error = configError({ baseUrl, ...options });
  expect([error === undefined, String(error)]).toEqual([problem === "", textWith(problem)]);
  expect(JSON.stringify(error) + String(error)).not.toContain("pa55word");
});

test.each(["", "  ", "two words", "line\nbreak", "kéy"])("the key %j is refused, and not shown", (apiKey) => {
  const error = configError({ apiKey });
  expect(error).toMatchObject({ code: "CONFIG", hint: textWith("DBCLOUD_API_KEY") });
  expect(String(error)).not.toContain("words");
});

test("without an address or a key, from plain JavaScript, it is an error of the configuration", () => {
  for (const options of [{}, { apiKey: "k" }, { baseUrl: "https://db.example/v1" }]) {
    expect(() => createClient(options as ClientOptions)).toThrow(
      /^the (?:base URL is a string that is not a URL|API key is empty)/,
    );
  }
});

test.each([
  [{ maxRequestsPerSecond: 0 }, "maxRequestsPerSecond"],
  [{ maxRequestsPerSecond: Number.NaN }, "maxRequestsPerSecond"],
  [{ maxConcurrency: 0 }, "maxConcurrency"],
])("the option %j is refused, and the error says %s", (options, words) => {
  expect(configError(options)).toMatchObject({ code: "CONFIG", message: textWith(words) });
});

test("a key with a trailing line break, as in files, is accepted", async () => {
  const { client, server } = await openClient([{ json: [] }], { apiKey: ` ${API_KEY}\n` });
  await client.projects.list();
  expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
});

test("a base URL or key that is missing in the environment is an error that names it", () => {
  const baseUrl = { DBCLOUD_BASE_URL: "https://db.example/v1" };
  expect(() => fromEnvironment({})).toThrow("no base URL is set (DBCLOUD_BASE_URL)");
  expect(() => fromEnvironment(baseUrl)).toThrow("no API key is set (DBCLOUD_API_KEY)");
  expect(() => fromEnvironment({ ...baseUrl, DBCLOUD_API_KEY: "k" })).not.toThrow();
  expect(() => fromEnvironment({ DBCLOUD_BASE_URL: "http://db.example/v1", DBCLOUD_API_KEY: "k" })).toThrow(
    "plain http",
  );
});

test("DBCLOUD_ONLY_BASE_URL applies to the client of the environment, and a refusal shows no credentials of it", async () => {
  const environment = { DBCLOUD_BASE_URL: "https://db.example/v1/", DBCLOUD_API_KEY: "k" };
  const only = (address: string) => () => fromEnvironment({ ...environment, DBCLOUD_ONLY_BASE_URL: address });
  expect(only("https://other.example/v1")).toThrow("DBCLOUD_ONLY_BASE_URL is set");
  expect(only("https://db.example/v1/")).not.toThrow();
  expect(only("HTTPS://db.example:443/v1")).not.toThrow();
  const refused = String(
    await failureOf(Promise.resolve().then(only("https://user:pa55word@other.example/v1?token=pa55word"))),
  );
  expect(refused).toContain('allowed: only "https://other.example/v1"');
  expect(refused).not.toContain("pa55word");
});

test("a misspelt variable of the environment is refused", () => {
  const environment = { DBCLOUD_BASE_URL: "https://db.example/v1", DBCLOUD_API_KEY: "k", DBCLOUD_READONLY: "1" };
  expect(() => fromEnvironment(environment)).toThrow("did you mean DBCLOUD_READ_ONLY?");
});

test("the User-Agent header has package, version and Node, or another name before Node", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(VERSION).toBe(version);
  for (const [userAgent, says] of [
    [undefined, `pulumi-dbcloud/${version}`],
    ["mine/1 (é)", "mine/1 (?)"],
  ] as const) {
    const { client, server } = await openClient([{ json: [] }], { userAgent });
    await client.projects.list();
    expect(server.asked[0]?.headers["user-agent"]).toBe(`${says} node/${process.versions.node}`);
  }
});

test("the client has every operation of the table, the server's time, turns, hide and close, nothing else", () => {
  const client = createClient({ baseUrl: "https://db.example/v1", apiKey: "k" });
  const shape = (of: object): unknown =>
    Object.fromEntries(Object.entries(of).map(([name, group]) => [name, Object.keys(group as object)]));
  expect(shape(client)).toEqual({
    ...(shape(operations) as object),
    serverTime: [],
    inTurn: [],
    hide: [],
    close: [],
  });
  expect(JSON.stringify(client)).not.toContain('k"');
});

test("a hidden text is in no error, and an empty text hides nothing", async () => {
  const { client } = await openClient([{ status: 403, json: { message: "not for s3cret-of-the-state" } }]);
  client.hide(["s3cret-of-the-state", ""]);
  expect(await failureOf(client.projects.list())).toMatchObject({ message: textWith("403 [secret].") });
});

test("debug lines have method, path, status, time, attempt and request id, for every attempt", async () => {
  const headers = { "x-request-id": "abc" };
  const { client, debugLines } = await openClient([
    { status: 503, headers },
    (response) => void response.destroy(),
    { json: { logs: [] }, headers },
  ]);
  await client.services.logs({ ...ofService, search: ["one private word", "two"], cursor: "c" });
  expect(debugLines.map((line) => line.replace(/ \d+ ms/, " 0 ms"))).toEqual([
    "dbcloud GET /projects/prj0000001/services/svc1234567/logs 503 0 ms attempt 1 request-id abc",
    "dbcloud GET /projects/prj0000001/services/svc1234567/logs UND_ERR_SOCKET 0 ms attempt 2",
    "dbcloud GET /projects/prj0000001/services/svc1234567/logs 200 0 ms attempt 3 request-id abc",
  ]);
});

test("debug lines never have a body, a password or the key", async () => {
  const password = "n3w-passw0rd";
  const json = { ...wireBareService, initial_password: "first-passw0rd" };
  const { client, debugLines } = await openClient([{ json, headers: { "x-request-id": `${API_KEY} ${password}` } }]);
  await client.services.updatePassword({ ...ofService, password });
  await client.services.create({ ...inProject, name: "orders" });
  const all = debugLines.join("\n");
  for (const secret of [API_KEY, password, "first-passw0rd", "orders"]) expect(all).not.toContain(secret);
  expect(debugLines).toHaveLength(2);
});

test("a password that was received once stays hidden in later errors", async () => {
  const json = { ...wireBareService, initial_password: "first-passw0rd" };
  const { client } = await openClient([{ json }, { status: 400, text: "is it first-passw0rd?" }]);
  await client.services.create({ ...inProject, name: "orders" });
  expect(await failureOf(client.services.get(ofService))).toMatchObject({ apiMessage: "[secret]" });
});
