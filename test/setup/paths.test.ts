// PATH and the cache folder by the rules of each platform.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cacheFolder, findProgram, withPath } from "../../scripts/setup/paths.mjs";

describe("withPath", () => {
  test("puts the folders in front, in their order, each once", () => {
    const env = withPath({ PATH: "/usr/bin:/repo/.bin::/bin", HOME: "/home/me" }, ["/repo/.bin", "/node/bin"]);
    expect(env).toEqual({ PATH: "/repo/.bin:/node/bin:/usr/bin:/bin", HOME: "/home/me" });
  });

  test("makes a PATH where there is none", () => {
    expect(withPath({}, ["/node/bin"])).toEqual({ PATH: "/node/bin" });
  });
});

describe("cacheFolder", () => {
  test.each([
    ["linux", {}, "/home/me", "/home/me/.cache/pulumi-dbcloud"],
    ["linux", { XDG_CACHE_HOME: "/var/cache/me" }, "/home/me", "/var/cache/me/pulumi-dbcloud"],
    ["linux", { XDG_CACHE_HOME: "relative" }, "/home/me", "/home/me/.cache/pulumi-dbcloud"],
    ["darwin", { XDG_CACHE_HOME: "/ignored" }, "/Users/me", "/Users/me/Library/Caches/pulumi-dbcloud"],
    ["linux", { DBCLOUD_TOOLS_CACHE: "/shared/tools", XDG_CACHE_HOME: "/x" }, "/home/me", "/shared/tools"],
  ])("on %s with %o and home %s: %s", (platform, env, home, expected) => {
    expect(cacheFolder(env, home, platform)).toBe(expected);
  });
});

describe("findProgram", () => {
  const folder = mkdtempSync(join(tmpdir(), "dbcloud-paths-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("takes the first file of that name, no folder and nothing from relative entries", () => {
    mkdirSync(join(folder, "a", "pulumi"), { recursive: true });
    for (const name of ["b", "c"]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "pulumi"), "");
    }
    const PATH = [".", "no-such", ...["a", "b", "c"].map((name) => join(folder, name))].join(":");
    expect(findProgram("pulumi", { PATH })).toBe(join(folder, "b", "pulumi"));
    expect(findProgram("no-such-program", { PATH })).toBeUndefined();
    expect(findProgram("pulumi", {})).toBeUndefined();
  });
});
