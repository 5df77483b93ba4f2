// A disk that is full, or fails, under the folder of `data`.

import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { createEmulator } from "../../../emulator/index";
import { run } from "../support/command";
import { newFolder, openKept, someService } from "../support/emulator";
import { httpClientFor } from "../support/httpClient";

/** SQLite ends its statements from this one on with a code of its own. */
function refuseWrites(errcode: number, isFrom = (text: string): boolean => text === "COMMIT"): void {
  const exec: unknown = Reflect.get(DatabaseSync.prototype, "exec");
  let isBegun = false;
  vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, text: string) {
    isBegun ||= isFrom(text);
    if (isBegun && text !== "ROLLBACK") throw Object.assign(new Error("refused"), { errcode });
    Reflect.apply(exec as (text: string) => void, this, [text]);
  });
}

const allowWrites = (): void => void vi.restoreAllMocks();

const full = 13;

const namesIn = async (data: string): Promise<(string | undefined)[]> =>
  (await openKept(data)).emulator.state().services.map(({ name }) => name);

test.each([
  [full, "world is full (ENOSPC)"],
  [778, "world cannot be written (EIO)"],
  [8, "world cannot be written (EROFS)"],
  [7, "world cannot be written (refused)"],
])(
  "code %i of SQLite: a change answers 507 with the reason and is undone, also over the admin API",
  async (code, text) => {
    const data = newFolder();
    const { emulator, ask, paths } = await openKept(data);
    const { id } = emulator.mutate.createService({ name: "zero" });
    const before = { ...emulator.snapshot(), clock: undefined, sum: undefined };
    refuseWrites(code);
    const refused = await ask(507, "POST", paths.services, { ...someService, name: "one" });
    expect(refused).toMatchObject({ code: "INSUFFICIENT_STORAGE", message: expect.stringContaining(text) as string });
    expect(emulator.requests().at(-1)).toMatchObject({ status: 507, committed: false });
    await ask(507, "DELETE", paths.service(id));
    const admin = httpClientFor({ baseUrl: emulator.adminUrl, apiKey: emulator.adminKey });
    const made = await admin.call("POST", "/services", { name: "two" });
    expect([made.status, made.text]).toEqual([507, expect.stringContaining(text)]);
    expect({ ...emulator.snapshot(), clock: undefined, sum: undefined }).toEqual(before);
    allowWrites();
    await ask(202, "POST", paths.services, { ...someService, name: "one" });
    await emulator.close();
    expect(await namesIn(data)).toEqual(["zero", "one"]);
  },
);

test("all changes that come together are refused and undone, and a read that came with them shows none", async () => {
  const data = newFolder();
  const { emulator, call, ask, paths } = await openKept(data);
  const { id } = emulator.mutate.createService({ name: "zero" });
  refuseWrites(full);
  const creates = Array.from({ length: 10 }, () => call("POST", paths.services, someService));
  const renamed = call("POST", `${paths.service(id)}/rename`, { name: "other" });
  const answers = await Promise.all([...creates, renamed, call("GET", paths.service(id))]);
  const read = answers.pop();
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 507));
  expect(read?.text).not.toContain("other");
  allowWrites();
  expect(await ask(200, "GET", paths.service(id))).toMatchObject({ name: "zero" });
  expect(emulator.state().services).toHaveLength(1);
});

test("at whatever write a first start has ended, the next one takes the folder", async () => {
  for (let written = 0; ; written += 1) {
    const data = newFolder();
    let left = written;
    refuseWrites(full, (text) => /BEGIN|COMMIT/.test(text) && (left -= 1) < 0);
    const isStarted = await createEmulator({ data }).then(
      (emulator) => emulator.close().then(() => true),
      () => false,
    );
    allowWrites();
    // An empty file tells nothing of what was in it.
    if (statSync(path.join(data, "world.db")).size === 0) rmSync(path.join(data, "world.db"));
    await (await openKept(data)).emulator.close();
    if (!isStarted) continue;
    expect(written).toBeGreaterThan(1);
    return;
  }
});

test("a folder that is removed is no reason to make a change in memory alone", async () => {
  const data = newFolder();
  const { emulator, ask, paths } = await openKept(data);
  rmSync(data, { recursive: true });
  const refused = await ask(507, "POST", paths.services, someService);
  expect(refused["message"]).toContain("world is gone, or cannot be made (ENOENT); nothing was changed");
  expect(emulator.state().services).toEqual([]);
});

test("a reset and a restore that cannot be stored are undone too", async () => {
  const data = newFolder();
  const { emulator } = await openKept(data);
  const empty = emulator.snapshot();
  emulator.mutate.createService({ name: "before" });
  refuseWrites(full);
  expect(() => emulator.reset()).toThrow("world is full (ENOSPC)");
  expect(() => emulator.restore(empty)).toThrow("world is full (ENOSPC)");
  expect(emulator.state().services).toMatchObject([{ name: "before" }]);
  allowWrites();
  await emulator.close();
  expect(await namesIn(data)).toEqual(["before"]);
});

test("after refused changes the command ends with 0: nothing is lost", async () => {
  const data = newFolder();
  const { ready, code, end } = run("--data", data);
  const { ask, services } = await ready();
  refuseWrites(full);
  await ask(507, "POST", services, someService);
  end();
  expect(await code).toBe(0);
  allowWrites();
  expect(await namesIn(data)).toEqual([]);
});

test("a start names the folder too", async () => {
  const data = newFolder();
  refuseWrites(full);
  await expect(createEmulator({ data })).rejects.toThrow("world is full (ENOSPC)");
});
