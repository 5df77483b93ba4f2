// PATH and the cache folder by the rules of each platform, whichever one the test runs on.
import { expect, test } from "vitest";
import { cacheFolder, withPath } from "../../scripts/setup/paths.mjs";

test.each([
  ["linux", { PATH: "/usr/bin:/tools::/bin" }, ["/tools", "/node"], { PATH: "/tools:/node:/usr/bin:/bin" }],
  ["win32", { Path: "C:\\Windows" }, ["C:\\tools"], { Path: "C:\\tools;C:\\Windows" }],
  ["darwin", {}, ["/tools"], { PATH: "/tools" }],
] as const)("the folders come first on PATH on %s, each once", (platform, env, folders, expected) => {
  expect(withPath(env, [...folders], platform)).toEqual(expected);
});

test.each([
  ["linux", {}, "/home/me", "/home/me/.cache/pulumi-dbcloud"],
  ["linux", { XDG_CACHE_HOME: "/var/cache/me" }, "/home/me", "/var/cache/me/pulumi-dbcloud"],
  ["linux", { XDG_CACHE_HOME: "relative" }, "/home/me", "/home/me/.cache/pulumi-dbcloud"],
  ["darwin", { XDG_CACHE_HOME: "/ignored" }, "/Users/me", "/Users/me/Library/Caches/pulumi-dbcloud"],
  ["win32", { LOCALAPPDATA: "D:\\Local" }, "C:\\Users\\me", "D:\\Local\\pulumi-dbcloud"],
  ["linux", { DBCLOUD_TOOLS_CACHE: "/shared/tools", XDG_CACHE_HOME: "/x" }, "/home/me", "/shared/tools"],
])("the cache folder on %s with %o and home %s is %s", (platform, env, home, expected) => {
  expect(cacheFolder(env, home, platform)).toBe(expected);
});
