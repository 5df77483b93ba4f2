// The lock of an emulator that has ended while nobody reaps it, as in a container without an init.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../../emulator/index";
import { livingOwner, ownerText } from "../../../emulator/ownerProcess";

test.runIf(process.platform === "linux")("the lock of a zombie does not count", async () => {
  const parent = spawn("sh", ["-c", "sleep 60 >&- & echo $!; exec sleep 60 >&-"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill());
  const pid = Number(await text(parent.stdout));
  const lock = ownerText(pid);
  expect([livingOwner(lock), lock]).toEqual([pid, expect.stringMatching(/^\d+ \d+$/)]);
  // Both have begun: the parent too is a program that asks after no child.
  await expect.poll(() => readFileSync(`/proc/${parent.pid ?? 0}/comm`, "utf8")).toBe("sleep\n");
  process.kill(pid, "SIGKILL");
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
  expect([livingOwner(lock), ownerText(pid)]).toEqual([undefined, `${pid} ended`]);
  const data = mkdtempSync(path.join(tmpdir(), "dbcloud-data-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  writeFileSync(path.join(data, "lock"), lock);
  await using emulator = await createEmulator({ data });
  expect(emulator.state().services).toEqual([]);
});
