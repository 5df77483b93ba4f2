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
import { createCompanions } from "../../provider/host/companions";
import type { Companions } from "../../provider/lifecycle/state/memory";
import { startUnreaped } from "../support/zombie";

const HERE = ["https://control.example/v1"];
const OBJECT = "service/svc1";

let parent: string;
let folder: string;
let alive: Set<number>;
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), "companions-"));
  folder = path.join(parent, "runs");
  alive = new Set([1, 2]);
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function companions(pid: number, engine = "127.0.0.1:4711"): Companions {
  return createCompanions({ engine, folder, pid, isAlive: (one) => alive.has(one) });
}

test("what one process goes on with, the others keep, at that address", () => {
  const [one, other] = [companions(1), companions(2)];
  expect(other.keep(OBJECT, HERE)).toBe(false);
  one.tell(OBJECT, HERE);
  expect(other.keep(OBJECT, HERE)).toBe(true);
  expect(other.keep(OBJECT, ["https://another.example/v1"])).toBe(false);
  expect(other.keep("service/svc2", HERE)).toBe(false);
  expect(other.keep(OBJECT, [])).toBe(true);
  // A process knows its own resources better.
  expect(one.keep(OBJECT, HERE)).toBe(false);
});

test("what it replaces after all, they delete", () => {
  const [one, other] = [companions(1), companions(2)];
  one.tell(OBJECT, HERE);
  one.takeBack(OBJECT, []);
  expect(other.keep(OBJECT, HERE)).toBe(false);
});

test.runIf(process.platform === "linux")(
  "a process that has ended is not heard, though nobody has reaped it",
  async () => {
    const { pid, end } = await startUnreaped();
    const engine = "127.0.0.1:4711";
    createCompanions({ engine, folder, pid }).tell(OBJECT, HERE);
    const other = createCompanions({ engine, folder });
    expect(other.keep(OBJECT, HERE)).toBe(true);
    await end();
    expect(other.keep(OBJECT, HERE)).toBe(false);
  },
);

test("an earlier run and another engine are not heard", () => {
  companions(1).tell(OBJECT, HERE);
  expect(companions(2, "127.0.0.1:4712").keep(OBJECT, HERE)).toBe(false);
  alive.delete(1);
  expect(companions(2).keep(OBJECT, HERE)).toBe(false);
});

test("broken lines are passed over, and a folder that others can write in is not used", () => {
  const [one, other] = [companions(1), companions(2)];
  one.tell(OBJECT, HERE);
  const file = path.join(folder, readdirSync(folder)[0] ?? "");
  appendFileSync(file, 'nonsense\n[]\n["1"]\n{"a":1}\n[1,"-"');
  expect(other.keep(OBJECT, HERE)).toBe(true);
  chmodSync(folder, 0o777);
  expect(other.keep(OBJECT, HERE)).toBe(false);
  const before = readFileSync(file, "utf8");
  companions(1).tell("service/svc2", HERE);
  expect(readFileSync(file, "utf8")).toBe(before);
  // Nor is a link.
  chmodSync(folder, 0o700);
  const link = path.join(parent, "link");
  symlinkSync(folder, link);
  expect(
    createCompanions({ engine: "127.0.0.1:4711", folder: link, pid: 2, isAlive: () => true }).keep(OBJECT, HERE),
  ).toBe(false);
});

test("files of days ago are cleared away, and a folder that cannot be made fails nothing", () => {
  companions(1, "127.0.0.1:1").tell(OBJECT, HERE);
  const days = Date.now() / 1_000 - 4 * 86_400;
  utimesSync(path.join(folder, readdirSync(folder)[0] ?? ""), days, days);
  companions(1).tell(OBJECT, HERE);
  expect(readdirSync(folder)).toEqual(["127.0.0.1_4711.run"]);
  const nowhere = createCompanions({ engine: "127.0.0.1:1", folder: path.join(parent, "no", "such", "place") });
  nowhere.tell(OBJECT, HERE);
  expect(nowhere.keep(OBJECT, HERE)).toBe(false);
});
