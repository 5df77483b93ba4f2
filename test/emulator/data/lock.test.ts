// The lock of a folder of `data`: whose it is, and that it ends with its process.

import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { createEmulator } from "../../../emulator/index";
import { livingOwner, ownerText } from "../../../emulator/ownerProcess";
import { newFolder, openKept } from "../support/emulator";

/** What another emulator does to the folder that it has. */
const holder = `
  const { DatabaseSync } = require("node:sqlite");
  const lock = new DatabaseSync(process.argv[1]);
  lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA user_version = " + process.pid + "; COMMIT");
  console.log("held");
  setInterval(() => undefined, 60_000);`;

async function heldElsewhere(data: string) {
  const child = spawn(process.execPath, ["-e", holder, path.join(data, "world.db")]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return { pid: child.pid, kill: () => child.kill("SIGKILL"), ended: new Promise((end) => child.once("exit", end)) };
}

test("one emulator at a time, in this process and elsewhere; the lock of a killed one ends with it", async () => {
  const data = newFolder();
  const { emulator } = await openKept(data);
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(createEmulator({ data })).rejects.toThrow(`world is in use by an emulator, process ${process.pid}: `);
  expect(statSync(path.join(data, "world.db")).mode & 0o077).toBe(0);
  await emulator.close();
  const other = await heldElsewhere(data);
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(createEmulator({ data })).rejects.toThrow(
      `world is in use by an emulator, process ${String(other.pid)}: `,
    );
  other.kill();
  await other.ended;
  await openKept(data);
});

test("an emulator that was refused has not taken the lock from the one that has it", async () => {
  const data = newFolder();
  await openKept(data);
  await expect(createEmulator({ data })).rejects.toThrow("is in use");
  const other = spawn(process.execPath, ["-e", holder, path.join(data, "world.db")]);
  expect(await text(other.stderr)).toContain("database is locked");
});

test("it says nothing about the way that it takes it", async () => {
  const warned = vi.spyOn(process, "emitWarning");
  await openKept(newFolder());
  expect(warned).not.toHaveBeenCalled();
  process.emitWarning("is told again");
  expect(warned).toHaveBeenCalledTimes(1);
});

// As in a container without an init, where nobody reaps what has ended.
test.runIf(process.platform === "linux")("a zombie owns nothing", async () => {
  // The parent ends with the test. It becomes a program that never reaps its child.
  const command = "sleep 60 >&- & echo $!; exec sleep 60 >&-";
  const parent = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill());
  const pid = Number(await text(parent.stdout));
  const owner = ownerText(pid);
  expect([livingOwner(owner), owner]).toEqual([pid, expect.stringMatching(/^\d+ \d+$/)]);
  await expect.poll(() => readFileSync(`/proc/${parent.pid ?? 0}/comm`, "utf8")).toBe("sleep\n");
  process.kill(pid, "SIGKILL");
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
  expect([livingOwner(owner), ownerText(pid)]).toEqual([undefined, `${pid} ended`]);
});
