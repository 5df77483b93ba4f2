import { expect, test, onTestFinished } from "vitest";
import { line, useCommandLine } from "./program";

const from = Date.parse("2026-01-31T12:00:00Z");
let serviceId: string;

useCommandLine({}, () => {
  const { mutate } = line.emulator;
  serviceId = mutate.createService({ name: "orders" }).id;
  mutate.createService({ name: "duplicate" });
  mutate.createService({ name: "duplicate" });
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
  expect(query).toMatchObject({ search: ["entry", "0"], severities: ["ERROR", "FATAL"], node: ["0"] });
});

test.each([
  ["[31] LOG: ready", "LOG", "[31] LOG: ready"],
  ["[31] postgres@shop ERROR: no such table\nSTATEMENT: SELECT 1", "ERROR", "[31] postgres@shop ERROR: no such table"],
  ["FATAL: the end", "FATAL", "FATAL: the end"],
  ["[31] LOG: upstream said ERROR: no", "ERROR", "ERROR [31] LOG: upstream said ERROR: no"],
  ["upstream LOG: ready", "LOG", "LOG upstream LOG: ready"],
])("%j of severity %s tells the severity once", async (message, severity, shown) => {
  const { id } = line.emulator.mutate.createService({ name: "talkative" });
  onTestFinished(() => line.emulator.mutate.deleteService(id));
  line.emulator.mutate.logs(id, [{ message, severity }]);
  const { out } = await line.run(["logs", id, "--limit", "1"]);
  expect(out.split("\n")[0]?.replace(/^\S+ /, "")).toBe(shown);
});

test.each([
  [["--severity", "EROR"], 'severities: given "EROR"; allowed: DEBUG'],
  [["--since", "5x"], 'since: given "5x"; allowed: an RFC 3339 time'],
  [["--since", "1h", "--until", "2h"], "allowed: before until"],
])("%j is an error before anything is asked", async (args, words) => {
  const asked = line.emulator.requests().length;
  const { code, out, error } = await line.run(["logs", serviceId, ...args]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(error).toContain(words);
  expect(line.emulator.requests()).toHaveLength(asked);
});

test("a service that is not there, or not the only one, is an error that lists what to choose from", async () => {
  const missing = await line.run(["logs", "absent"]);
  expect(missing).toMatchObject({ code: 1, out: "" });
  expect(missing.error).toContain("there is no service absent");
  expect(missing.error).toContain(serviceId);
  const ambiguous = await line.run(["logs", "duplicate"]);
  expect(ambiguous.error).toMatch(/there are 2 services named duplicate/);
  expect(ambiguous.error.match(/ {2}\S+ {2}duplicate/g)).toHaveLength(2);
});

test("--follow prints new entries, each once, and ends with the signal", async () => {
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

test("--follow with a limit prints nothing that is older than what it began with", async () => {
  const end = new AbortController();
  const { mutate } = line.emulator;
  const { id } = mutate.createService({ name: "burst" });
  const now = Date.now();
  mutate.logs(
    id,
    Array.from({ length: 700 }, (_, index) => ({ message: `burst ${index}`, at: now - 3_000 + index / 7 })),
  );
  const said: string[] = [];
  let reads = 0;
  await line.run(["logs", id, "--follow", "--search", "burst", "--limit", "2"], {
    environment: { DBCLOUD_POLL_INTERVAL: "5ms" },
    signal: end.signal,
    onOut: (text) => {
      said.push(/burst \d+/.exec(text)?.[0] ?? text);
      if (said.length === 2) {
        const before = line.emulator.requests().length;
        const more = setInterval(() => {
          reads = line.emulator.requests().length - before;
          // Several reads have found nothing new; then there is something.
          if (reads < 6) return;
          clearInterval(more);
          mutate.logs(id, [{ message: "burst 1000" }]);
        }, 1);
      }
      if (text.includes("burst 1000")) end.abort();
    },
  });
  expect(said).toEqual(["burst 698", "burst 699", "burst 1000"]);
});
