// A disk that is full, or fails, under the folder of `data`.

import fs, { rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, test, vi } from "vitest";
import { createEmulator } from "../../../emulator/index";
import { run } from "../support/command";
import { newFolder, openKept, someService } from "../support/emulator";
import { httpClientFor } from "../support/httpClient";

/** Every write fails with this code, also in modules that are loaded already. */
function refuseWrites(code: string): void {
  const refuse = (): never => {
    throw Object.assign(new Error(`${code}: refused, write`), { code, syscall: "write" });
  };
  vi.spyOn(fs, "writeSync").mockImplementation(refuse);
  vi.spyOn(fs, "writeFileSync").mockImplementation(refuse);
  syncBuiltinESMExports();
}

function allowWrites(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

afterEach(allowWrites);

const namesIn = async (data: string): Promise<(string | undefined)[]> =>
  (await openKept(data)).emulator.state().services.map(({ name }) => name);

test.each([
  ["ENOSPC", "world is full (ENOSPC)"],
  ["EDQUOT", "world is full: the quota"],
  ["EIO", "world cannot be written: its disk fails (EIO)"],
  ["EACCES", "world cannot be written: this user may not (EACCES)"],
  ["EROFS", "world cannot be written any more (EROFS)"],
  ["EMFILE", "world cannot be written: this process has too many open files (EMFILE)"],
  ["EBADF", "world cannot be written (EBADF)"],
])("%s: a change answers 507 with the reason and is undone, also over the admin API", async (code, text) => {
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
});

test("at whatever write a first start has ended, the next one takes the folder", async () => {
  const write = fs.writeFileSync;
  for (let written = 0; ; written += 1) {
    const data = newFolder();
    let left = written;
    vi.spyOn(fs, "writeFileSync").mockImplementation((...args) => {
      if (left === 0) throw Object.assign(new Error("ENOSPC: refused, write"), { code: "ENOSPC", syscall: "write" });
      left -= 1;
      write(...args);
    });
    syncBuiltinESMExports();
    const isStarted = await createEmulator({ data }).then(
      (emulator) => emulator.close().then(() => true),
      () => false,
    );
    allowWrites();
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
  refuseWrites("ENOSPC");
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
  refuseWrites("ENOSPC");
  await ask(507, "POST", services, someService);
  end();
  expect(await code).toBe(0);
  allowWrites();
  expect(await namesIn(data)).toEqual([]);
});

test("a start names the folder too", async () => {
  const data = newFolder();
  refuseWrites("ENOSPC");
  await expect(createEmulator({ data })).rejects.toThrow("world is full (ENOSPC)");
});
