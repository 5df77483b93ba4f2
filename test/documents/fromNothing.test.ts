// The README's way from nothing to psql, where its emulator cannot start. That it works is seen with the real engine.

import { expect, test } from "vitest";
import { runCommand } from "../support/cliProcess";
import { temporaryFolder, writeFiles } from "../support/folder";
import { blocksOf, textOf } from "../support/repository";

const [, section = ""] = /## From nothing to psql\n([^]*?)\n## /.exec(textOf("README.md")) ?? [];
/** The first block installs the packages, the second begins with the emulator. */
const [, second = ""] = blocksOf(section);
const start = second.split("\n").slice(0, 2).join("\n");

test.each(["sh", "bash"])("%s: if the emulator does not start, the next lines reach nothing", async (shell) => {
  const folder = temporaryFolder();
  const program = "#!/bin/sh\necho 'pulumi-dbcloud emulator: port 0 is in use' >&2\necho false\nexit 1\n";
  writeFiles(folder, { "bin/npx": program }, 0o755);
  // Shells read no settings of the user here.
  const production = { DBCLOUD_BASE_URL: "https://production.example/v1", DBCLOUD_API_KEY: "key" };
  const environment = { PATH: `${folder}/bin:${process.env["PATH"]}`, HOME: folder, ...production };
  // The lines that follow find no address and no key, not even those that the user had.
  const script = `${start}\ncode=$?; printf %s "$DBCLOUD_BASE_URL$DBCLOUD_API_KEY"; exit $code`;
  const ended = await runCommand(shell, ["-c", script], { cwd: folder, environment });
  expect(start).toContain("emulator --background");
  expect(ended).toMatchObject({ code: 1, out: "", error: "pulumi-dbcloud emulator: port 0 is in use\n" });
});
