// The README's way from nothing to psql: exactly its lines, in a folder with the packages that its first line installs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folderWithPackages } from "../../support/cli/project";
import { runCommand } from "../../support/cliProcess";
import { root } from "../../support/engineWorld";
import { needPostgres } from "../../support/postgres/required";
import { useEngineWorld, world } from "../world";

const readme = readFileSync(path.join(root, "README.md"), "utf8");
const [, section = ""] = /## From nothing to psql\n([^]*?)\n## /.exec(readme) ?? [];
const blocks = [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block);
/** The first block installs the packages. */
const lines = blocks.slice(1).join("");

useEngineWorld({ postgres: "auto" });

/** What a user has in the environment: nothing of this package, and no backend. */
function ofUser(): Record<string, string | undefined> {
  const own = Object.entries(world.environment).filter(([name]) => !/^DBCLOUD_|^PULUMI_(?:BACKEND|CONFIG)/.test(name));
  return Object.fromEntries(own);
}

test("the lines of the README lead from an empty folder to psql", async ({ skip }) => {
  needPostgres(world.emulator.state(), skip);
  const { code } = await runCommand("sh", ["-c", "command -v psql"], { cwd: root, environment: ofUser() });
  skip(code !== 0, "no psql on the PATH");
  const folder = folderWithPackages(world.folder, "nothing");
  const bin = path.join(folder, "node_modules/.bin");
  mkdirSync(bin);
  writeFileSync(path.join(folder, "package.json"), "{}");
  const main = path.join(root, "dist/cli/main.js");
  writeFileSync(path.join(bin, "pulumi-dbcloud"), `#!/bin/sh\nexec node '${main}' "$@"\n`, { mode: 0o755 });

  // A line that fails must not leave an emulator behind. The last line sends the emulator its signal and does not wait for its end.
  const script = `trap 'kill $EMULATOR 2>/dev/null || true' EXIT\nset -e\n${lines}\nwait $EMULATOR`;
  const ended = await runCommand("bash", ["-c", script], { cwd: folder, environment: ofUser() });
  expect(ended.text).toMatch(/PostgreSQL \d+/);
  expect(ended.text).toMatch(/Resources:\n\s+- 2 deleted/);
  expect(ended.code).toBe(0);
  expect(lines.trim().split("\n").length).toBeLessThanOrEqual(12);
  expect(readFileSync(path.join(folder, "emulator.log"), "utf8")).toContain("emulator ended");
});
