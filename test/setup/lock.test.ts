// The lock between processes, with real processes.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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

/** A lock that was last touched so long ago. */
async function lockTouched(agoMs: number): Promise<void> {
  await withLock(file, () => undefined);
  writeFileSync(file, "4711");
  utimesSync(file, new Date(), new Date(Date.now() - agoMs));
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

test("a lock that was left behind is taken over by all who wait, one at a time", async () => {
  await lockTouched(31_000);
  const journal = join(folder, "journal");
  await Promise.all(["a", "b", "c"].map((name) => contender(name, journal)));
  expect(readFileSync(journal, "utf8")).toMatch(/^(?:(\w) in\n\1 out\n){3}$/);
});

test("a waiting process names the owner that it waits for", async () => {
  await lockTouched(0);
  const waits: string[] = [];
  const onWait = (owner: string) => {
    waits.push(owner);
    if (waits.length === 2) rmSync(file);
  };
  expect(await withLock(file, () => "done", { pollMs: 1, signMs: 5, onWait })).toBe("done");
  expect(waits).toEqual(["4711", "4711"]);
});

test("a lock that another process has taken over is left to it", async () => {
  await withLock(file, () => writeFileSync(file, "4711"));
  expect(readFileSync(file, "utf8")).toBe("4711");
});
