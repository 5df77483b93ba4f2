// What a release needs, what it writes into the changelog, and what its archives hold.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { writeArchives } from "../../scripts/release/archives";
import { addressesOf, withAbsoluteLinks } from "../../scripts/release/addresses";
import { refusalsOf, type Wanted, withRelease } from "../../scripts/release/changelog";
import { temporaryFolder, writeFiles } from "../support/folder";
import { textOf } from "../support/repository";

const changelog = "# Changelog\n\n## Unreleased\n\n- a feature\n\n## 1.2.0 (2026-01-01)\n\n- the one before\n";
const ready: Wanted = {
  version: "1.10.0",
  current: "1.2.0",
  changelog,
  changed: [],
  branch: "main",
  hasRepository: true,
};

test("a clean tree on main with something to tell is released", () => {
  expect(refusalsOf(ready)).toEqual([]);
  expect(refusalsOf({ ...ready, version: "2.0.0" })).toEqual([]);
  expect(withRelease(changelog, "1.10.0", "2026-02-03")).toBe(
    changelog.replace("- a feature", "## 1.10.0 (2026-02-03)\n\n- a feature"),
  );
});

test.each<[reason: string, wanted: Partial<Wanted>]>([
  ["1.1.9 is older than 1.2.0", { version: "1.1.9" }],
  ["next is no version", { version: "next", current: "next" }],
  ["an entry for 1.2.0 already", { version: "1.2.0" }],
  ["nothing under Unreleased", { changelog: changelog.replace("- a feature", "") }],
  ["not committed: M README.md", { changed: ["M README.md"] }],
  ["names no repository", { hasRepository: false }],
  ["a release is made from main", { branch: "topic" }],
])("there is no release: %s", (reason, wanted) => {
  expect(refusalsOf({ ...ready, ...wanted })).toEqual([expect.stringContaining(reason)]);
});

test.each([
  [{ repository: { url: "git+https://git.example/acme/dbcloud.git" } }],
  [{ repository: "https://git.example/acme/dbcloud" }],
])("%j says where the package comes from", (described) => {
  expect(addressesOf(described)).toEqual({
    repository: "https://git.example/acme/dbcloud",
    bugs: "https://git.example/acme/dbcloud/issues",
    homepage: "https://git.example/acme/dbcloud#readme",
  });
});

test.each([
  [{}],
  [{ repository: "" }],
  [{ repository: { url: "../elsewhere" } }],
  [{ repository: "https://git.example" }],
])("%j does not", (described) => {
  expect(addressesOf(described)).toBeUndefined();
});

test("no link of a released README is relative", () => {
  const readme = textOf("README.md");
  const addresses = addressesOf({ repository: "https://git.example/acme/dbcloud" });
  if (addresses === undefined) throw new Error("an address is one");
  const released = withAbsoluteLinks(readme, addresses, "1.2.3");
  const targets = (text: string): string[] => Array.from(text.matchAll(/\]\(([^)]*)\)/g), ([, target = ""]) => target);
  expect(targets(readme).length).toBeGreaterThan(20);
  expect(targets(released)).toHaveLength(targets(readme).length);
  expect(targets(released).filter((target) => !/^(?:https:|#)/.test(target))).toEqual([]);
  expect(released).toContain("(https://git.example/acme/dbcloud/blob/v1.2.3/docs/reliability.md)");
  expect(withAbsoluteLinks("![a](docs/a.svg) [b](#c) [d](https://e.f/)", addresses, "1.2.3")).toBe(
    "![a](https://git.example/acme/dbcloud/raw/v1.2.3/docs/a.svg) [b](#c) [d](https://e.f/)",
  );
});

const listOf = (file: string): string[] => execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n");

test("archives are named by version and platform", () => {
  const root = temporaryFolder();
  writeFiles(root, {
    "package.json": JSON.stringify({ version: "1.2.3" }),
    "dist/plugin/main.js": "",
    "sdks/python/pyproject.toml": "",
    "sdks/go/dbcloud/go.mod": "",
    // Builds as setuptools does, into the folder that is its last argument.
    "bin/python": '#!/bin/sh\ncp pyproject.toml "$3/pulumi_dbcloud-1.2.3-py3-none-any.whl"\n',
  });
  chmodSync(path.join(root, "bin/python"), 0o755);
  const to = path.join(root, "out");
  const [sdks, bin] = ["sdks", "bin"].map((name) => path.join(root, name)) as [string, string];
  const { plugins, python, go } = writeArchives({ root, sdks, python: bin, to });
  expect(plugins).toContain(path.join(to, "pulumi-resource-dbcloud-v1.2.3-linux-amd64.tar.gz"));
  for (const file of plugins) expect(listOf(file)).toEqual(["./", "./main.js"]);
  expect(python).toEqual([path.join(to, "pulumi_dbcloud-1.2.3-py3-none-any.whl")]);
  expect(python.map((file) => existsSync(file))).toEqual([true]);
  expect(existsSync(path.join(root, "sdks/python/built"))).toBe(false);
  expect(listOf(go)).toEqual(["dbcloud/", "dbcloud/go.mod"]);
});
