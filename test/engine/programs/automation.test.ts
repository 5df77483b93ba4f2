// The Automation API as docs/automation.md explains it: the example's program, started from a folder without packages.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folderWithPackages } from "../../support/cli/project";
import { fail, runCommand, succeed } from "../../support/cliProcess";
import { textOf } from "../../support/repository";
import { useEngineWorld, world } from "../world";

const program = textOf("examples/automation/index.ts");

useEngineWorld();

test("the example's inline program works from any folder; without `main` it finds no packages there", async () => {
  const folder = folderWithPackages(world.folder, "reviews");
  const cwd = path.join(world.folder, "elsewhere");
  mkdirSync(cwd);
  const run = (text: string) => {
    const file = path.join(folder, "review.mts");
    writeFileSync(file, text);
    return runCommand(process.execPath, [file, "up", "42"], { cwd, environment: world.environment });
  };
  const without = await fail(run(program.replace(", main: import.meta.dirname", "")));
  expect(without.text).toContain("Cannot find module '@pulumi/pulumi/cmd/dynamic-provider'");
  const { out } = await succeed(run(program));
  expect(world.emulator.state().services).toMatchObject([{ id: out.trim(), name: "review-42" }]);
});
