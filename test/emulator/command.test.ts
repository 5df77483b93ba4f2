// The command: what it prints, how it ends, and what it refuses.

import { afterEach, expect, test } from "vitest";
import { emulatorCommand } from "../../emulator/command";
import { callerFor } from "./caller";
import { someService } from "./world";

const running = new Set<AbortController>();

afterEach(() => {
  for (const controller of running) controller.abort();
  running.clear();
});

function run(...argv: string[]) {
  const controller = new AbortController();
  running.add(controller);
  const [out, error]: [string[], string[]] = [[], []];
  const io = {
    out: (line: string) => out.push(line),
    error: (line: string) => error.push(line),
    signal: controller.signal,
  };
  const code = emulatorCommand(argv, io);
  const value = (name: string): string => out.join("\n").match(new RegExp(`export ${name}=(\\S+)`))?.[1] ?? "";
  const ready = async () => {
    await expect.poll(() => out.join("\n")).toContain("Ctrl-C");
    return {
      baseUrl: value("DBCLOUD_BASE_URL"),
      apiKey: value("DBCLOUD_API_KEY"),
      projectId: value("DBCLOUD_PROJECT_ID"),
    };
  };
  return { code, out, error, ready, end: () => controller.abort() };
}

test("it says where it is and how to use it, prints a line per request, and ends with 0", async () => {
  const { ready, out, code, end } = run("--port", "0", "--quick");
  const target = await ready();
  expect(target).toMatchObject({ apiKey: "emulator-key", projectId: "proj000001" });
  expect(out[0]).toBe(`emulator ready at ${target.baseUrl}`);
  const { ask, call } = callerFor(target);
  await ask(202, "POST", `/projects/${target.projectId}/services`, someService);
  await call("GET", "/nowhere");
  await expect.poll(() => out).toContain("GET    /nowhere 404 -");
  expect(out).toContain(`POST   /projects/${target.projectId}/services 202 createService`);
  expect(out.join("\n")).not.toContain("Bearer");
  end();
  expect(await code).toBe(0);
  await expect(fetch(target.baseUrl)).rejects.toThrow("fetch failed");
});

test("a signal ends it and its listeners are gone afterwards", async () => {
  const before = process.listenerCount("SIGTERM");
  const { ready, code } = run("--port", "0");
  await ready();
  expect(process.listenerCount("SIGTERM")).toBe(before + 1);
  process.emit("SIGTERM");
  expect(await code).toBe(0);
  expect(process.listenerCount("SIGTERM")).toBe(before);
});

test("options: key, project, profile, quiet, timing, rate limit", async () => {
  const argv = ["--api-key", "k", "--project", "p", "--profile", "documented", "--quiet"];
  const { ready, out } = run(
    "--port",
    "0",
    ...argv,
    "--timing",
    "create=0",
    "--timing",
    "queued=0-0",
    "--rate-limit",
    "2",
  );
  const target = await ready();
  expect(target).toMatchObject({ apiKey: "k", projectId: "p" });
  const { call } = callerFor(target);
  const lines = out.length;
  const made = await call("POST", "/projects/p/services", someService);
  expect(made.json).toMatchObject({ status: "READY" });
  const { service_id: id } = made.json as { service_id: string };
  expect((await call("DELETE", `/projects/p/services/${id}`)).status).toBe(405);
  const limited = await call("GET", "/projects");
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(out).toHaveLength(lines);
});

test("--help tells every flag", async () => {
  const { code, out } = run("--help");
  expect(await code).toBe(0);
  for (const flag of ["--port", "--profile", "--api-key", "--project", "--seed", "--quick", "--timing", "--quiet"]) {
    expect(out[0]).toContain(flag);
  }
});

test.each([
  [["--port", "eight"], "--port wants a whole number"],
  [["--profile", "half"], "--profile wants full or documented"],
  [["--timing", "create"], "--timing wants STEP=MS"],
  [["--timing", "sleep=5"], "--timing wants STEP=MS"],
  [["--nonsense"], "--nonsense"],
  [["stray"], "stray"],
])("%j is refused with 2", async (argv, text) => {
  const { code, error } = run(...argv);
  expect(await code).toBe(2);
  expect(error[0]).toContain(text);
});

test("a port that is taken ends with 1", async () => {
  const first = run("--port", "0");
  const { baseUrl } = await first.ready();
  const second = run("--port", new URL(baseUrl).port);
  expect(await second.code).toBe(1);
  expect(second.error[0]).toContain("EADDRINUSE");
});
