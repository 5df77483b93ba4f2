import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandLine, openCommandLine } from "./program";

const from = Date.parse("2026-01-31T12:00:00Z");
let line: CommandLine;
let serviceId: string;

beforeAll(async () => {
  line = await openCommandLine();
  const { mutate } = line.emulator;
  serviceId = mutate.createService({ name: "orders" }).id;
  mutate.createService({ name: "twin" });
  mutate.createService({ name: "twin" });
  mutate.logs(
    serviceId,
    Array.from({ length: 1_200 }, (_, index) => ({
      message: `entry ${index}`,
      severity: index % 10 === 0 ? "ERROR" : "LOG",
      at: from + index * 1_000,
      node: index % 2,
    })),
  );
});

afterAll(() => line.close());

const messages = (out: string): string[] => out.split("\n").flatMap((text) => /entry \d+$/.exec(text)?.[0] ?? []);
const since = ["--since", "2026-01-31T11:00:00Z", "--until", "2026-01-31T13:00:00Z"];

test("the newest entries, oldest first, with time and severity; by name or by id", async () => {
  const byName = await line.run(["logs", "orders", ...since, "--limit", "3"]);
  expect(byName).toEqual({
    code: 0,
    out: [
      "2026-01-31T12:19:57.000Z LOG entry 1197\n",
      "2026-01-31T12:19:58.000Z LOG entry 1198\n",
      "2026-01-31T12:19:59.000Z LOG entry 1199\n",
    ].join(""),
    error: "",
  });
  expect((await line.run(["logs", serviceId, ...since, "--limit", "3"])).out).toBe(byName.out);
  expect(messages((await line.run(["logs", "orders", ...since])).out)).toHaveLength(100);
});

test("--limit 0 means all of them, over every page", async () => {
  const { out } = await line.run(["logs", "orders", ...since, "--limit", "0"]);
  expect(messages(out)).toEqual(Array.from({ length: 1_200 }, (_, index) => `entry ${index}`));
});

test("filters reach the server", async () => {
  const args = ["--severity", "error", "--severity", "FATAL", "--search", "entry", "--search", "0", "--node", "0"];
  const { out } = await line.run(["logs", "orders", ...since, ...args, "--json", "--limit", "2"]);
  expect(
    out
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as unknown),
  ).toEqual([
    { message: "entry 1180", severity: "ERROR", timestamp: "2026-01-31T12:19:40.000Z" },
    { message: "entry 1190", severity: "ERROR", timestamp: "2026-01-31T12:19:50.000Z" },
  ]);
  const { query } = line.emulator.requests().at(-1) ?? {};
  expect(query).toMatchObject({ search: ["entry", "0"], severities: ["error", "FATAL"], node: ["0"] });
});

test("--since takes how long ago", async () => {
  line.emulator.mutate.logs(serviceId, [{ message: "just said" }]);
  const { out } = await line.run(["logs", "orders", "--since", "10m", "--search", "just said"]);
  expect(out).toMatch(/^\S+ LOG just said\n$/);
});

test.each([
  [["--since", "yesterday"], /--since wants an RFC 3339 time/],
  [["--limit", "many"], /--limit wants a whole number/],
  [["--node", "-1"], /--node/],
  [["--follow", "--until", "1m"], /leave out --until/],
])("%j is refused before anything is asked", async (args, hint) => {
  const requests = line.emulator.requests().length;
  const ended = await line.run(["logs", "orders", ...args]);
  expect(ended).toMatchObject({ code: 2, out: "" });
  expect(ended.error).toMatch(hint);
  expect(line.emulator.requests()).toHaveLength(requests);
});

test("a service that is not there, or not the only one, is an error that lists what to choose from", async () => {
  const missing = await line.run(["logs", "absent"]);
  expect(missing).toMatchObject({ code: 1, out: "" });
  expect(missing.error).toContain("there is no service absent");
  expect(missing.error).toContain(serviceId);
  const twins = await line.run(["logs", "twin"]);
  expect(twins.error).toMatch(/there are 2 services named twin/);
  expect(twins.error.match(/ {2}\S+ {2}twin/g)).toHaveLength(2);
});

test("an entry cannot steer the terminal", async () => {
  line.emulator.mutate.logs(serviceId, [{ message: "red \u001b[31m\u0007alert\u009b2J" }]);
  const { out } = await line.run(["logs", "orders", "--search", "alert"]);
  expect(out).toMatch(/LOG red \\u001b\[31m\\u0007alert\\u009b2J\n$/);
});

test("--follow prints what is new, each entry once, and ends with the signal", async () => {
  const end = new AbortController();
  const { mutate } = line.emulator;
  const said: string[] = [];
  mutate.logs(serviceId, [{ message: "chat a" }, { message: "chat b" }]);
  const ended = await line.run(["logs", "orders", "--follow", "--search", "chat", "--since", "1h"], {
    environment: { DBCLOUD_POLL_INTERVAL: "5ms" },
    signal: end.signal,
    onOut: (text) => {
      said.push(text.trim().slice(-6));
      if (said.length === 2) mutate.logs(serviceId, [{ message: "chat c" }, { message: "chat c" }]);
      if (said.length === 4) end.abort();
    },
  });
  expect(ended.code).toBe(0);
  expect(said).toEqual(["chat a", "chat b", "chat c", "chat c"]);
});
