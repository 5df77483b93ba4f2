// Processes of one run hear each other, and nobody hears an earlier run, another engine or a process that has ended.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createOtherProcesses, runsFolder } from "../../provider/host/otherProcesses";
import type { OtherProcesses } from "../../provider/lifecycle/view/runView";
import { temporaryFolder } from "../support/folder";

const OBJECT = "service/svc1";
const KEPT = { is: "kept", by: "db" } as const;

let folder: string;
let child: ChildProcess;
beforeEach(() => {
  folder = path.join(temporaryFolder(), "dbcloud", "runs");
  child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
});
afterEach(async () => {
  if (child.exitCode === null) await end();
});

async function end(): Promise<void> {
  const ended = once(child, "exit");
  child.stdin?.end();
  await ended;
}

function processOf(pid: number | undefined, engine = "127.0.0.1:4711"): OtherProcesses {
  return createOtherProcesses({ engine, folder, pid: pid ?? 0, isGlobal: (object) => object.startsWith("service/") });
}

test("what a resource of one process keeps or wants, the others know, by its last word", () => {
  const [one, other] = [processOf(child.pid), processOf(process.pid)];
  expect(other.claimOn(OBJECT)).toBeUndefined();
  one.announce(OBJECT, { is: "wanted", by: "db" });
  expect(other.claimOn(OBJECT)).toEqual({ is: "wanted", by: "db" });
  one.announce(OBJECT, KEPT);
  expect(other.claimOn(OBJECT)).toEqual(KEPT);
  expect([other.claimOn("service/svc2"), one.claimOn(OBJECT)]).toEqual([undefined, undefined]);
  one.announce(OBJECT, { is: "none", by: "db" });
  expect(other.claimOn(OBJECT)).toBeUndefined();
});

test("an id that another deployment may have as well is not shared", () => {
  processOf(child.pid).announce("vpc/1", KEPT);
  expect(processOf(process.pid).claimOn("vpc/1")).toBeUndefined();
});

test("an engine hears only its own processes, and those that have ended no more", async () => {
  processOf(child.pid).announce(OBJECT, KEPT);
  expect(processOf(process.pid, "127.0.0.1:4712").claimOn(OBJECT)).toBeUndefined();
  await end();
  expect(processOf(process.pid).claimOn(OBJECT)).toBeUndefined();
});

test("the folder is its owner's alone; old files go, and a line that was cut off is passed over", () => {
  const one = processOf(child.pid);
  one.announce(OBJECT, KEPT);
  expect(statSync(folder).mode & 0o077).toBe(0);
  for (const name of readdirSync(folder)) {
    appendFileSync(path.join(folder, name), '["service/svc1",{"is":');
    appendFileSync(path.join(folder, `old-${name}`), "");
    utimesSync(path.join(folder, `old-${name}`), 0, 0);
  }
  const other = processOf(process.pid);
  expect(other.claimOn(OBJECT)).toEqual(KEPT);
  other.announce("service/svc2", KEPT);
  expect(readdirSync(folder).filter((name) => name.startsWith("old-"))).toEqual([]);
});

test("a folder that cannot be made fails no handler, and its process knows that no other one hears it", () => {
  const none = createOtherProcesses({ engine: "e", folder: "/dev/null/runs", isGlobal: () => true });
  expect([none.announce(OBJECT, KEPT), processOf(process.pid).announce(OBJECT, KEPT)]).toEqual([false, true]);
  expect(none.claimOn(OBJECT)).toBeUndefined();
});

test("the folder is below Pulumi's own", () => {
  expect(runsFolder({ PULUMI_HOME: "/home/me/pulumi" })).toBe(path.join("/home/me/pulumi", "dbcloud", "runs"));
});
