// The lock between processes that set up the same clone, with real processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "dbcloud-lock-"));
  file = path.join(folder, "one.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Three processes that take the lock, and what each notes while it has it. */
async function contend(): Promise<string> {
  const journal = path.join(folder, "journal");
  const source = `
    import { appendFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { withLock } from ${JSON.stringify(pathToFileURL("scripts/setup/lock.mjs").href)};
    await withLock(${JSON.stringify(file)}, async () => {
      appendFileSync(${JSON.stringify(journal)}, process.argv[1] + " in\\n");
      await sleep(20);
      appendFileSync(${JSON.stringify(journal)}, process.argv[1] + " out\\n");
    }, { pollMs: 5 });`;
  const children = ["a", "b", "c"].map((name) => {
    return spawn(process.execPath, ["--input-type=module", "-e", source, name], { stdio: "ignore" });
  });
  await Promise.all(children.map((child) => once(child, "close")));
  return readFileSync(journal, "utf8");
}

test("processes enter one after the other, also after an owner that was killed half a minute ago", async () => {
  const inTurn = /^(?:(\w) in\n\1 out\n){3}$/;
  expect(await contend()).toMatch(inTurn);
  expect(existsSync(file)).toBe(false);
  rmSync(path.join(folder, "journal"));
  writeFileSync(file, "4194304999");
  utimesSync(file, new Date(), new Date(Date.now() - 31_000));
  expect(await contend()).toMatch(inTurn);
});
