// The lock of a folder of `data` where process ids tell nothing: its holder is in another container, or on another machine.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { livingOwner, ownerText } from "../../../emulator/ownerProcess";
import { newFolder, someService } from "../support/emulator";
import { httpClientFor, pathsOf } from "../support/httpClient";

const ELSEWHERE = "7 4711\nbox 0a1b2c3d pid:[4026531999]";

function newLock(): { data: string; lock: string } {
  const data = newFolder();
  mkdirSync(data);
  return { data, lock: path.join(data, "lock") };
}

/** With a clock of its own for what is done every few seconds. */
async function open(data: string): Promise<Emulator> {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const emulator = await createEmulator({ data });
  onTestFinished(() => emulator.close().catch(() => undefined));
  return emulator;
}

const renewals = (): void => void vi.advanceTimersByTime(2_000);

function age(file: string, seconds: number): void {
  const time = Date.now() / 1_000 - seconds;
  utimesSync(file, time, time);
}

test("the lock of another machine is valid as long as it is renewed", async () => {
  const { data, lock } = newLock();
  writeFileSync(lock, ELSEWHERE);
  age(lock, 10);
  await expect(createEmulator({ data })).rejects.toThrow(/in another container .*\(process 7 on box, .* \d+ s ago\)/);
  expect(readFileSync(lock, "utf8")).toBe(ELSEWHERE);
  // Clocks of two machines differ.
  age(lock, -60);
  await expect(createEmulator({ data })).rejects.toThrow("lock 0 s ago");
  age(lock, 21);
  const emulator = await open(data);
  expect(readFileSync(lock, "utf8")).not.toBe(ELSEWHERE);
  await emulator.close();
  expect(readdirSync(data).filter((name) => name.startsWith("lock"))).toEqual([]);
});

test("the holder renews its lock until it is closed, and makes it again where somebody removed it", async () => {
  const { data, lock } = newLock();
  const emulator = await open(data);
  const own = readFileSync(lock, "utf8");
  utimesSync(lock, 0, 0);
  renewals();
  expect(statSync(lock).mtimeMs).toBeGreaterThan(0);
  rmSync(lock);
  renewals();
  expect(readFileSync(lock, "utf8")).toBe(own);
  await emulator.close();
  renewals();
  expect(existsSync(lock)).toBe(false);
});

test("an emulator that lost its folder writes nothing more there, and reports it", async () => {
  const { data, lock } = newLock();
  const emulator = await open(data);
  emulator.mutate.createService({ name: "kept" });
  writeFileSync(lock, ELSEWHERE);
  renewals();
  const world = readFileSync(path.join(data, "world.json"), "utf8");
  const { ask } = httpClientFor(emulator);
  const { message } = await ask(507, "POST", pathsOf(emulator).services, someService);
  expect(message).toMatch(/taken over .* nothing was changed$/);
  expect(message).toContain(data);
  expect(emulator.state().services).toMatchObject([{ name: "kept" }]);
  await emulator.close();
  expect(readFileSync(path.join(data, "world.json"), "utf8")).toBe(world);
  expect(readFileSync(lock, "utf8")).toBe(ELSEWHERE);
});

test("one failed renewal of the lock is not an error", async () => {
  const { data, lock } = newLock();
  const emulator = await open(data);
  rmSync(lock);
  mkdirSync(lock);
  renewals();
  expect(emulator.mutate.createService({ name: "one" }).name).toBe("one");
  rmSync(lock, { recursive: true });
  renewals();
  expect(existsSync(lock)).toBe(true);
});

// As in a container without an init, where nobody reaps an emulator that has ended.
test.runIf(process.platform === "linux")("the lock of a zombie does not count", async () => {
  // The parent ends with the test. It becomes a program that never reaps its child.
  const command = "sleep 60 >&- & echo $!; exec sleep 60 >&-";
  const parent = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill());
  const pid = Number(await text(parent.stdout));
  const lock = ownerText(pid);
  expect([livingOwner(lock), lock]).toEqual([pid, expect.stringMatching(/^\d+ \d+$/)]);
  await expect.poll(() => readFileSync(`/proc/${parent.pid ?? 0}/comm`, "utf8")).toBe("sleep\n");
  process.kill(pid, "SIGKILL");
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
  expect([livingOwner(lock), ownerText(pid)]).toEqual([undefined, `${pid} ended`]);
  const { data, lock: file } = newLock();
  writeFileSync(file, lock);
  await using emulator = await createEmulator({ data });
  expect(emulator.state().services).toEqual([]);
});
