// What an archive of a release holds.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { writeArchives } from "../../scripts/release/archives";
import { temporaryFolder, writeFiles } from "../support/folder";

const listOf = (file: string): string[] => execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n");

test("archives are named by version and platform", () => {
  const root = temporaryFolder();
  writeFiles(root, {
    "package.json": JSON.stringify({ version: "1.2.3" }),
    "dist/plugin/main.js": "",
    "sdks/python/pyproject.toml": "",
    "sdks/go/dbcloud/go.mod": "",
  });
  const to = path.join(root, "out");
  const { plugins, python, go } = writeArchives({ root, sdks: path.join(root, "sdks"), to });
  expect(plugins).toContain(path.join(to, "pulumi-resource-dbcloud-v1.2.3-linux-amd64.tar.gz"));
  for (const file of plugins) expect(listOf(file)).toEqual(["./", "./main.js"]);
  expect(python).toBe(path.join(to, "pulumi-dbcloud-python-v1.2.3.tar.gz"));
  expect(listOf(python)).toEqual(["python/", "python/pyproject.toml"]);
  expect(listOf(go)).toEqual(["dbcloud/", "dbcloud/go.mod"]);
});
