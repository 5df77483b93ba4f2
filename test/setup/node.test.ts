// Which Node is chosen, and what the error says where npm offers none.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ensureNode } from "../../scripts/setup/node.mjs";

const ensured = (version: string, platform: string) =>
  ensureNode({
    root: process.cwd(),
    env: {},
    cache: "no-such-cache",
    running: { version, execPath: "/usr/bin/node", platform, arch: "x64" },
  });

test("a Node that is new enough is used; an older one on a platform without a package of npm is an error", async () => {
  expect(await ensured("v22.19.0", "linux")).toBe("/usr/bin/node");
  await expect(ensured("v20.20.2", "freebsd")).rejects.toThrow(/v20\.20\.2 and >=22\.19\.0.*\n.*https:\/\/nodejs\.org/);
});

test(".nvmrc names the Node that the set-up installs", () => {
  const manifest = JSON.parse(readFileSync("tools/node/package.json", "utf8")) as Record<string, object>;
  const versions = Object.values(manifest["optionalDependencies"] ?? {}) as string[];
  expect(new Set(versions)).toEqual(new Set([readFileSync(".nvmrc", "utf8").trim()]));
});
