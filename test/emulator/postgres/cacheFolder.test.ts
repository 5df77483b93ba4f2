// Where the copy of PostgreSQL is kept.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { cacheFolder } from "../../../emulator/databases/install/account";
import { temporaryFolder } from "../../support/folder";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("a home that cannot be written is replaced by a temporary folder, and XDG_CACHE_HOME is named", () => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  const temporary = temporaryFolder();
  vi.stubEnv("TMPDIR", temporary);
  vi.stubEnv("XDG_CACHE_HOME", "/dev/null/none");
  const own = { owner: undefined, names: [] };
  const folder = cacheFolder(own);
  expect(path.dirname(folder)).toBe(temporary);
  expect(warned).toHaveBeenCalledWith(expect.stringMatching(/ENOTDIR.*XDG_CACHE_HOME names another folder/));
  // Another account has made it first: it would choose the programs.
  vi.spyOn(process, "getuid").mockReturnValue(4_711);
  mkdirSync(path.join(temporary, "pulumi-dbcloud-cache-4711"));
  expect(() => cacheFolder(own)).toThrow("ENOTDIR");
});
