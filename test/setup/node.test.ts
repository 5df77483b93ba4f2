// Which Node is chosen, and what is said where npm has none to offer.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ensureNode } from "../../scripts/setup/node.mjs";

const here = { root: process.cwd(), env: {}, cache: "no-such-cache" };

test("a Node that is new enough is used", async () => {
  const running = { version: "v22.19.0", execPath: "/opt/node/bin/node", platform: "linux", arch: "x64" };
  expect(await ensureNode({ ...here, running })).toBe("/opt/node/bin/node");
});

test("an older one on a platform that npm has no Node for: what to do by hand", async () => {
  const running = { version: "v20.20.2", execPath: "/usr/bin/node", platform: "freebsd", arch: "x64" };
  await expect(ensureNode({ ...here, running })).rejects.toThrow(
    /this Node is v20.20.2 and >=22.19.0 is needed, but npm has none for freebsd on x64\nBy hand: install a newer Node/,
  );
});

test(".nvmrc names the Node that the set-up installs", () => {
  const manifest = JSON.parse(readFileSync("tools/node/package.json", "utf8")) as Record<string, object>;
  const versions = Object.values(manifest["optionalDependencies"] ?? {}) as string[];
  expect(new Set(versions)).toEqual(new Set([readFileSync(".nvmrc", "utf8").trim()]));
});
