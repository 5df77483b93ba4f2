// Processes of one run hear each other, and nobody hears an earlier run, another engine or a stranger's file.

import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSiblingProcesses } from "../../provider/host/siblingProcesses";
import type { SiblingProcesses } from "../../provider/lifecycle/state/memory";
import { startUnreaped } from "../support/zombie";

const HERE = ["https://control.example/v1"];
const OBJECT = "service/svc1";

let parent: string;
let folder: string;
let alive: Set<number>;
let enginePid: number | undefined = 40;
let starts: Map<number, string>;
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), "siblings-"));
  folder = path.join(parent, "runs");
  alive = new Set([1, 2]);
  enginePid = 40;
  starts = new Map([40, 1, 2].map((pid) => [pid, `${pid}00`]));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function siblings(pid: number, engine = "127.0.0.1:4711"): SiblingProcesses {
  return createSiblingProcesses({
    engine,
    folder,
    pid,
    isAlive: (one) => alive.has(one),
    enginePid,
    startOf: (one) => starts.get(one),
  });
}

test("what a resource of one process keeps, the others keep, at that address", () => {
  const [one, other] = [siblings(1), siblings(2)];
  expect(other.isKept(OBJECT, HERE)).toBe(false);
  one.announceKept(OBJECT, HERE);
  expect(other.isKept(OBJECT, HERE)).toBe(true);
  expect(other.isKept(OBJECT, ["https://another.example/v1"])).toBe(false);
  expect(other.isKept("service/svc2", HERE)).toBe(false);
  expect(other.isKept(OBJECT, [])).toBe(true);
  // A process knows its own resources better.
  expect(one.isKept(OBJECT, HERE)).toBe(false);
});

test("they delete an object that it replaces after all", () => {
  const [one, other] = [siblings(1), siblings(2)];
  one.announceKept(OBJECT, HERE);
  one.withdraw(OBJECT, []);
  expect(other.isKept(OBJECT, HERE)).toBe(false);
});

test.runIf(process.platform === "linux")(
  "a process that has ended is not heard, though nobody has reaped it",
  async () => {
    const { pid, end } = await startUnreaped();
    const engine = "127.0.0.1:4711";
    createSiblingProcesses({ engine, folder, pid }).announceKept(OBJECT, HERE);
    const other = createSiblingProcesses({ engine, folder, enginePid: 40 });
    expect(other.isKept(OBJECT, HERE)).toBe(true);
    await end();
    expect(other.isKept(OBJECT, HERE)).toBe(false);
  },
);

test("an earlier run and another engine are not heard", () => {
  siblings(1).announceKept(OBJECT, HERE);
  expect(siblings(2, "127.0.0.1:4712").isKept(OBJECT, HERE)).toBe(false);
  alive.delete(1);
  enginePid = 41;
  expect(siblings(2).isKept(OBJECT, HERE)).toBe(false);
  enginePid = undefined;
  expect(siblings(2).isKept(OBJECT, HERE)).toBe(false);
});

test("a process that was killed in this run is heard: what it adopted is still kept", () => {
  const one = siblings(1);
  one.announceKept(OBJECT, HERE);
  one.announceProtection(OBJECT, "protected");
  alive.delete(1);
  const other = siblings(2);
  expect([other.isKept(OBJECT, HERE), other.protectionOf(OBJECT)]).toEqual([true, "protected"]);
});

test("an earlier run at the same address is not heard, though its processes had the ids of this one's", () => {
  siblings(1).announceKept(OBJECT, HERE);
  for (const pid of [40, 1, 2]) starts.set(pid, `${pid}99`);
  expect(siblings(2).isKept(OBJECT, HERE)).toBe(false);
  expect(siblings(1).isKept(OBJECT, HERE)).toBe(false);
  siblings(1).announceKept(OBJECT, HERE);
  expect(siblings(2).isKept(OBJECT, HERE)).toBe(true);
});

test("where the system does not tell when a process began, its id names it", () => {
  starts.clear();
  siblings(1).announceKept(OBJECT, HERE);
  expect([siblings(2).isKept(OBJECT, HERE), siblings(1).isKept(OBJECT, HERE)]).toEqual([true, false]);
});

test("broken lines are passed over, and a folder that others can write in is not used", () => {
  const [one, other] = [siblings(1), siblings(2)];
  one.announceKept(OBJECT, HERE);
  const file = path.join(folder, readdirSync(folder)[0] ?? "");
  appendFileSync(file, 'nonsense\n[]\n["1"]\n{"a":1}\n[1,"-"');
  expect(other.isKept(OBJECT, HERE)).toBe(true);
  chmodSync(folder, 0o777);
  expect(other.isKept(OBJECT, HERE)).toBe(false);
  const before = readFileSync(file, "utf8");
  siblings(1).announceKept("service/svc2", HERE);
  expect(readFileSync(file, "utf8")).toBe(before);
  // Nor is a link.
  chmodSync(folder, 0o700);
  const link = path.join(parent, "link");
  symlinkSync(folder, link);
  expect(
    createSiblingProcesses({ engine: "127.0.0.1:4711", folder: link, pid: 2, isAlive: () => true }).isKept(
      OBJECT,
      HERE,
    ),
  ).toBe(false);
});

test("files of days ago are cleared away, and a folder that cannot be made fails nothing", () => {
  siblings(1, "127.0.0.1:1").announceKept(OBJECT, HERE);
  const days = Date.now() / 1_000 - 4 * 86_400;
  utimesSync(path.join(folder, readdirSync(folder)[0] ?? ""), days, days);
  siblings(1).announceKept(OBJECT, HERE);
  expect(readdirSync(folder)).toEqual(["127.0.0.1_4711.run"]);
  const nowhere = createSiblingProcesses({ engine: "127.0.0.1:1", folder: path.join(parent, "no", "such", "place") });
  nowhere.announceKept(OBJECT, HERE);
  expect(nowhere.isKept(OBJECT, HERE)).toBe(false);
});

test("the protection that another living process announced last, and none of its own", () => {
  const [one, other] = [siblings(1), siblings(2)];
  expect(other.protectionOf(OBJECT)).toBeUndefined();
  one.announceProtection(OBJECT, "protected");
  one.announceKept(OBJECT, HERE);
  expect(other.protectionOf(OBJECT)).toBe("protected");
  expect(other.isKept(OBJECT, HERE)).toBe(true);
  one.announceProtection(OBJECT, "unprotected");
  expect(other.protectionOf(OBJECT)).toBe("unprotected");
  expect(other.isKept(OBJECT, HERE)).toBe(true);
  expect([one.protectionOf(OBJECT), other.protectionOf("service/other")]).toEqual([undefined, undefined]);
  alive.delete(1);
  enginePid = 41;
  expect(siblings(2).protectionOf(OBJECT)).toBeUndefined();
});
