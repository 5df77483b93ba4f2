// The lock between processes, with real processes.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "../../scripts/setup/lock.mjs";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dbcloud-lock-"));
  file = join(folder, "locks", "one.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Another process that takes the lock, writes that it is in, stays a moment and writes that it is out. */
function contender(name: string, journal: string): Promise<number | null> {
  const source = `
    import { appendFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { withLock } from ${JSON.stringify(pathToFileURL("scripts/setup/lock.mjs").href)};
    await withLock(${JSON.stringify(file)}, async () => {
      appendFileSync(${JSON.stringify(journal)}, "${name} in\\n");
      await sleep(20);
      appendFileSync(${JSON.stringify(journal)}, "${name} out\\n");
    }, { pollMs: 5 });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve) => {
    child.on("close", resolve);
  });
}

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await new Promise((resolve) => {
    child.on("close", resolve);
  });
  return child.pid ?? 0;
}

async function lockLeftBy(owner: { pid: number; host: string }): Promise<void> {
  await withLock(file, () => undefined);
  writeFileSync(file, JSON.stringify({ ...owner, token: "left" }));
}

test("processes enter one after the other", async () => {
  const journal = join(folder, "journal");
  expect(await Promise.all(["a", "b", "c"].map((name) => contender(name, journal)))).toEqual([0, 0, 0]);
  const lines = readFileSync(journal, "utf8").trim().split("\n");
  expect(lines).toHaveLength(6);
  for (let index = 0; index < lines.length; index += 2) {
    expect(lines[index + 1]).toBe(lines[index]?.replace(" in", " out"));
  }
  expect(existsSync(file)).toBe(false);
});

test("the result is passed on, and a failure frees the lock", async () => {
  await expect(withLock(file, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await withLock(file, () => 42)).toBe(42);
});

test("the lock of a process that is gone is taken over by all who wait, one at a time", async () => {
  await lockLeftBy({ pid: await deadPid(), host: hostname() });
  const journal = join(folder, "journal");
  await Promise.all(["a", "b", "c"].map((name) => contender(name, journal)));
  expect(readFileSync(journal, "utf8")).toMatch(/^(?:(\w) in\n\1 out\n){3}$/);
});

test("a waiting process names the live owner that it waits for", async () => {
  await lockLeftBy({ pid: process.pid, host: hostname() });
  const waits: (number | undefined)[] = [];
  const onWait = (owner: { pid: number } | undefined) => {
    waits.push(owner?.pid);
    if (waits.length === 2) rmSync(file);
  };
  expect(await withLock(file, () => "done", { pollMs: 1, signMs: 5, onWait })).toBe("done");
  expect(waits).toEqual([process.pid, process.pid]);
});

test("an owner on another machine counts as gone when it has not touched the lock for long", async () => {
  await lockLeftBy({ pid: 1, host: "another-machine" });
  utimesSync(file, new Date(), new Date(Date.now() - 61_000));
  expect(await withLock(file, () => "mine", { pollMs: 1 })).toBe("mine");
});

test("half a lock, as it is for a moment while it is written, is respected", async () => {
  await withLock(file, () => undefined);
  writeFileSync(file, "{");
  let waited = false;
  const onWait = () => {
    waited = true;
    rmSync(file);
  };
  await withLock(file, () => undefined, { pollMs: 1, onWait });
  expect(waited).toBe(true);
});
