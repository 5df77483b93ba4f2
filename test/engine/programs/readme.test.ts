// From nothing to psql, and on to a project of one's own: exactly the lines of the README and of `getting-started`, in a folder
// with the packages that the first line installs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "../../../scripts/setup/paths.mjs";
import { blocksOf, root, textOf } from "../../support/repository";
import { folderWithPackages } from "../../support/cli/project";
import { runCommand } from "../../support/cliProcess";
import { isBuildServer } from "../../support/repeats";
import { needPostgres } from "../../support/required";
import { useEngineWorld, world } from "../world";

const [, section = ""] = /## From nothing to psql\n([^]*?)\n## /.exec(textOf("README.md")) ?? [];
/** The first block installs the packages. */
const [, ...first] = blocksOf(section);
const [end = ""] = first.splice(-1);
const next = blocksOf(textOf("docs/getting-started.md"));
const [account = ""] = next.splice(-1);
const lines = [...first, ...next].join("");

useEngineWorld({ postgres: "auto" });

/** What a user has in the environment: nothing of this package, and no backend. */
function ofUser(): Record<string, string | undefined> {
  const own = Object.entries(world.environment).filter(([name]) => !/^DBCLOUD_|^PULUMI_(?:BACKEND|CONFIG)/.test(name));
  return Object.fromEntries(own);
}

test.runIf(isBuildServer)("the lines of the README lead from an empty folder to psql", async ({ skip }) => {
  needPostgres(world.emulator.state(), skip);
  const { code } = await runCommand("sh", ["-c", "command -v psql"], { cwd: root, environment: ofUser() });
  skip(code !== 0, "no psql on the PATH");
  const folder = folderWithPackages(world.folder, "nothing");
  const bin = path.join(folder, "node_modules/.bin");
  mkdirSync(bin);
  writeFileSync(path.join(folder, "package.json"), "{}");
  const main = path.join(root, "dist/cli/main.js");
  writeFileSync(path.join(bin, "pulumi-dbcloud"), `#!/bin/sh\nexec node '${main}' "$@"\n`, { mode: 0o755 });

  const cli = findProgram("pulumi", world.environment) ?? "";
  writeFileSync(path.join(bin, "pulumi"), `#!/bin/sh\nexec '${cli}' "$@"\n`, { mode: 0o755 });

  // A line that fails must not leave an emulator behind.
  const script = `trap 'npx pulumi-dbcloud emulator --stop 2>/dev/null || true' EXIT\nset -e\n${lines}`;
  const ended = await runCommand("bash", ["-c", script], { cwd: folder, environment: ofUser() });
  const told = [
    /PostgreSQL \d+/,
    /resize restarts the service/,
    /2000.*\n.*exit code 2\n/s,
    /No drift/,
    /the database is still there\n/,
    /Resources:\n\s+- 2 deleted/,
  ];
  expect(told.filter((one) => !one.test(ended.text))).toEqual([]);
  expect(ended.code).toBe(0);
  expect(lines).toContain(end);
  expect(first.join("").trim().split("\n").length).toBeLessThanOrEqual(5);
  expect(readFileSync(path.join(folder, ".dbcloud-emulator.log"), "utf8")).toContain("emulator ended");

  const backend = { PULUMI_BACKEND_URL: `file://${folder}`, PULUMI_CONFIG_PASSPHRASE: "local" };
  const preview = await runCommand("sh", ["-ec", account], { cwd: folder, environment: { ...ofUser(), ...backend } });
  expect(preview.text).toMatch(/\+ 2 to create/);
});
