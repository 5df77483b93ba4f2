// The HTTP of it, below every operation: names, paths, methods, and bodies that are too large or are no text.

import { connect } from "node:net";
import { expect, test } from "vitest";
import { textWith } from "../../support/matchers";
import { openEmulator, someService } from "../support/emulator";

/** Sends bytes as they are and resolves with all that comes back until `until` shows, or the other side ends. */
function exchangeRaw(baseUrl: string, bytes: string | Buffer, until = "\r\n\r\n"): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => {
      text += part;
      if (text.includes(until)) socket.destroy();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

const requestText = (line: string, headers: Record<string, string | number>): string =>
  `${line} HTTP/1.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;

/** An emulator, and what it answers to a POST of a service that is sent as bytes. */
async function openRaw() {
  const world = await openEmulator();
  const { emulator, paths } = world;
  const authorization = `Bearer ${emulator.apiKey}`;
  const post = (headers: Record<string, string | number>, body: string | Buffer = "", until?: string) => {
    const own = { Host: "localhost", Authorization: authorization, "Content-Type": "application/json" };
    const head = requestText(`POST /api/v1${paths.services}`, { ...own, ...headers });
    return exchangeRaw(emulator.baseUrl, Buffer.concat([Buffer.from(head), Buffer.from(body)]), until);
  };
  return { emulator, post };
}

const statusOf = (answer: string): number => Number(answer.split(" ")[1]);

test.each(["__proto__=1", "constructor=1", "toString", "__proto__=1&__proto__=2"])(
  "?%s is a parameter like any other: 400, never 500",
  async (query) => {
    const { call, paths, emulator } = await openEmulator();
    const answer = await call("GET", `${paths.services}?${query}`);
    expect([answer.status, answer.json]).toMatchObject([400, { code: "INVALID_REQUEST" }]);
    expect(Object.keys(emulator.requests().at(-1)?.query ?? {})).toEqual([query.split("=")[0]]);
  },
);

test("a defect does not show a stack to the client", async () => {
  const warned: string[] = [];
  const listen = (warning: Error): number => warned.push(warning.message);
  process.on("warning", listen);
  const { call, emulator } = await openEmulator();
  emulator.faults.add({
    kind: "status",
    status: 500,
    match: () => {
      throw new Error("thrown on purpose");
    },
  });
  const answer = await call("GET", "/projects");
  expect([answer.status, answer.json]).toMatchObject([500, { code: "INTERNAL" }]);
  expect(answer.text).not.toMatch(/purpose|\bat |\.ts/);
  await expect.poll(() => warned.join("\n")).toContain("thrown on purpose");
  process.removeListener("warning", listen);
});

test.each([
  ["evil.example", 421],
  ["evil.example:8787", 421],
  ["127.0.0.1.evil.example", 421],
  ["localhost.evil.example", 421],
  ["10.0.0.7", 421],
  ["", 421],
  ["127.0.0.1", 200],
  ["localhost:1", 200],
  ["LOCALHOST", 200],
  ["[::1]:8787", 200],
])("Host %j is answered with %i, whatever the key", async (host, status) => {
  const { emulator } = await openEmulator();
  const headers = { Host: host, Authorization: `Bearer ${emulator.apiKey}` };
  expect(statusOf(await exchangeRaw(emulator.baseUrl, requestText("GET /api/v1/projects", headers)))).toBe(status);
  expect(emulator.requests().at(-1)).toMatchObject({ status, committed: false });
});

test.each(["/", "/projects", "/v1/projects", "/api/v1", "/api/v2/projects", "/api/v1projects"])(
  "%s is outside the API: 404 that says where it is, without a key too",
  async (path) => {
    const { emulator } = await openEmulator();
    const response = await fetch(new URL(path, emulator.baseUrl));
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { code: "NOT_FOUND", message: textWith(`GET ${emulator.baseUrl}/projects`) },
    ]);
  },
);

test("a slash at the end and an unknown path are 404 that says what is wrong", async () => {
  const { call, emulator, paths } = await openEmulator();
  expect((await call("GET", `${paths.services}/`)).json).toMatchObject({ message: textWith("slash at the end") });
  for (const path of ["/nowhere", "/projects/p/services/s/unknown", "//projects"])
    expect((await call("GET", path)).json).toMatchObject({ code: "NOT_FOUND", message: textWith(emulator.baseUrl) });
});

test("a body above 16 KiB is 413, after the key was checked", async () => {
  const { call, paths, emulator } = await openEmulator();
  const large = { name: "n".repeat(70_000) };
  const answer = await call("POST", paths.services, large);
  expect([answer.status, answer.json]).toMatchObject([413, { message: textWith("16384 bytes") }]);
  expect(emulator.requests().at(-1)).toMatchObject({ status: 413, body: "[not read]", committed: false });
  expect((await call("POST", paths.services, large, { token: "wrong" })).status).toBe(401);
  expect((await call("POST", "/nowhere", large)).status).toBe(404);
  await call("POST", paths.services, someService);
  expect(emulator.state().services).toHaveLength(1);
});

test("a body that is announced as too large is refused before it comes, one in pieces while it comes", async () => {
  const { post } = await openRaw();
  const announced = { "Content-Length": 1_000_000_000 };
  const piece = `2000\r\n${"x".repeat(0x2000)}\r\n`;
  expect(statusOf(await post(announced))).toBe(413);
  expect(statusOf(await post({ "Transfer-Encoding": "chunked" }, piece.repeat(3)))).toBe(413);
});

test("a body that is not UTF-8 is refused and not kept", async () => {
  const { post, emulator } = await openRaw();
  const body = Buffer.from('{"name":"caf\u00e9"}', "latin1");
  expect(statusOf(await post({ "Content-Length": body.length }, body, "UTF-8"))).toBe(400);
  expect(emulator.state().services).toEqual([]);
});

test("the request log is bounded by bytes, not by count", async () => {
  const { call, paths, emulator } = await openEmulator();
  const large = { name: "n".repeat(16_000) };
  for (let index = 0; index < 20; index += 1) expect((await call("POST", paths.services, large)).status).toBe(400);
  await call("POST", paths.services, undefined, { rawBody: `{"name":${"[".repeat(4_000)}${"]".repeat(4_000)}}` });
  expect(JSON.stringify(emulator.requests()).length).toBeLessThan(20_000);
  expect(emulator.requests().at(0)?.body).toBe("[16011 characters, not kept]");
  expect(emulator.requests().at(-1)?.body).toBe("[8009 characters that are not JSON, or too deep]");
});
