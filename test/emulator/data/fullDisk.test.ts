// A disk that is full, or fails, under the folder of `data`.

import fs from "node:fs";
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
])(
  "%s: a change answers 507 with the folder, also over the admin API, and is kept once there is room",
  async (code, text) => {
    const data = newFolder();
    const { emulator, ask, paths } = await openKept(data);
    refuseWrites(code);
    const refused = await ask(507, "POST", paths.services, { ...someService, name: "one" });
    expect(refused).toMatchObject({ code: "INSUFFICIENT_STORAGE", message: expect.stringContaining(text) as string });
    expect(emulator.requests().at(-1)).toMatchObject({ status: 507, committed: true });
    const admin = httpClientFor({ baseUrl: emulator.adminUrl, apiKey: emulator.adminKey });
    const made = await admin.call("POST", "/services", { name: "two" });
    expect([made.status, made.text]).toEqual([507, expect.stringContaining(text)]);
    allowWrites();
    await ask(202, "POST", paths.services, { ...someService, name: "three" });
    await emulator.close();
    expect(await namesIn(data)).toEqual(["one", "two", "three"]);
  },
);

test("unwritten changes are stored if the disk has room at the close, also after a restore", async () => {
  const data = newFolder();
  const { emulator } = await openKept(data);
  emulator.mutate.createService({ name: "before" });
  refuseWrites("ENOSPC");
  expect(() => emulator.reset()).toThrow("world is full (ENOSPC)");
  expect(() => emulator.mutate.createService({ name: "after" })).toThrow("world is full (ENOSPC)");
  allowWrites();
  await emulator.close();
  expect(await namesIn(data)).toEqual(["after"]);
});

test("if changes are lost, the command ends with 1 and unlocks the folder", async () => {
  const data = newFolder();
  const { ready, code, error, end } = run("--data", data);
  const { ask, services } = await ready();
  refuseWrites("ENOSPC");
  await ask(507, "POST", services, someService);
  end();
  expect(await code).toBe(1);
  expect(error).toEqual([expect.stringMatching(/world is full \(ENOSPC\): the changes .* are lost$/)]);
  allowWrites();
  expect(await namesIn(data)).toEqual([]);
});

test("a start names the folder too", async () => {
  const data = newFolder();
  refuseWrites("ENOSPC");
  await expect(createEmulator({ data })).rejects.toThrow("world is full (ENOSPC)");
});
