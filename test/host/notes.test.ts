// What one run tells the later ones of its user, in real files.

import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openNotes } from "../../provider/host/runFiles";
import { temporaryFolder } from "../support/folder";

const KEY = "sent http://here service orders";

test("a note is read by another run of the same user, until it is taken back", () => {
  const environment = { PULUMI_HOME: temporaryFolder() };
  const folder = path.join(environment.PULUMI_HOME, "dbcloud/notes");
  const [one, other] = [openNotes(environment), openNotes(environment)];
  expect(one.read(KEY)).toBeUndefined();
  one.write(KEY, undefined);
  one.write(KEY, "1");
  one.write(KEY, "2");
  expect([other.read(KEY), other.read("another")]).toEqual(["2", undefined]);
  other.write(KEY, undefined);
  expect(one.read(KEY)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test("a note is for its user alone, and its file shows no word of the key", () => {
  const environment = { PULUMI_HOME: temporaryFolder() };
  const folder = path.join(environment.PULUMI_HOME, "dbcloud/notes");
  openNotes(environment).write(KEY, "1");
  const [name = ""] = readdirSync(folder);
  expect([folder, path.join(folder, name)].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(name + readFileSync(path.join(folder, name), "utf8")).not.toContain("orders");
});

test("a folder that cannot be written or read keeps nobody from a create or a delete", () => {
  const home = temporaryFolder();
  writeFileSync(path.join(home, "dbcloud"), "a file in its place");
  const notes = openNotes({ PULUMI_HOME: home });
  notes.write(KEY, "1");
  notes.write(KEY, undefined);
  expect(notes.read(KEY)).toBeUndefined();
  chmodSync(home, 0o500);
  notes.write(KEY, "1");
  chmodSync(home, 0o700);
  expect(notes.read(KEY)).toBeUndefined();
});
