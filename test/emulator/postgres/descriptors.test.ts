// A process without a free descriptor: nothing can be started, and nothing else may end for that.

import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { openDatabases } from "./support";

const pid = String(process.pid);

/** Lets this process open no further file, until the returned function is called. */
function exhaust(): () => void {
  const asked = ["--pid", pid, "--nofile", "--noheadings", "--output", "SOFT"];
  const soft = execFileSync("prlimit", asked, { encoding: "utf8" }).trim();
  const limitTo = (most: number | string) => execFileSync("prlimit", ["--pid", pid, `--nofile=${most}:`]);
  const held: number[] = [];
  const release = (): void => {
    held.splice(0).forEach((file) => closeSync(file));
    limitTo(soft);
  };
  onTestFinished(release);
  limitTo(Math.max(...readdirSync("/proc/self/fd").map(Number)) + 20);
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    return release;
  }
}

test.runIf(process.platform === "linux")("a service that lacks descriptors is made once there are some", async () => {
  const { emulator, create, namesIn, put, reach } = await openDatabases();
  const { url } = await create();
  await put(url, "one");
  const release = exhaust();
  const { id } = emulator.mutate.createService();
  await expect.poll(() => JSON.stringify(emulator.snapshot())).toContain("cannot be started: this user has too many");
  release();
  await reach(id, "READY");
  expect(await namesIn(url)).toEqual(["one"]);
});
