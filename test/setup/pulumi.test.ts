// Which program on PATH is run, and which Pulumi CLI is used. The programs are small scripts that answer `version`.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "../../scripts/setup/paths.mjs";
import { fromPath } from "../../scripts/setup/pulumi.mjs";
import { temporaryFolder, writeFiles } from "../support/folder";

const companions = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

/** What is made of a CLI on PATH that answers so, in a folder of that name. */
async function chosen(name: string, answer: string, others = companions) {
  const bin = path.join(temporaryFolder(), name);
  writeFiles(bin, { pulumi: `#!/bin/sh\n${answer}\n` }, 0o755);
  writeFiles(bin, Object.fromEntries(others.map((other) => [other, ""])));
  return { bin, choice: await fromPath({ PATH: `${bin}:/usr/bin:/bin` }, "no-such-cache") };
}

test("the CLI on PATH is used when it is new enough, with the root that the Automation API wants", async () => {
  const usual = await chosen("bin", "echo v3.254.0");
  expect(usual.choice).toEqual({ bin: usual.bin, root: path.dirname(usual.bin) });
  // It has no root in a folder that is not named bin.
  const shims = await chosen("shims", "echo v3.1000.0");
  expect(shims.choice).toEqual({ bin: shims.bin });
});

test.each([
  ["echo v3.253.9", companions, /pulumi is 3\.253\.9, older than 3\.254\.0$/],
  ["echo nonsense", companions, /pulumi is of an unknown version/],
  ["exit 3", companions, /pulumi is not working \(Command failed/],
  ["echo v3.259.0", ["pulumi-language-nodejs"], /comes without pulumi-resource-pulumi-nodejs$/],
])("the CLI on PATH is refused with a reason: %s with %j", async (answer, others, reason) => {
  const { choice } = await chosen("bin", answer, others);
  expect(choice).toEqual({ reason: expect.stringMatching(reason) as string });
});

test("the first file of a name is found, no folder and nothing from relative entries", () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "a", "pulumi"), { recursive: true });
  writeFiles(folder, { "b/pulumi": "", "c/pulumi": "" });
  const PATH = [".", "no-such", ...["a", "b", "c"].map((name) => path.join(folder, name))].join(":");
  expect(findProgram("pulumi", { PATH })).toBe(path.join(folder, "b", "pulumi"));
  expect(findProgram("package.json", { PATH })).toBeUndefined();
  expect(findProgram("pulumi", {})).toBeUndefined();
});
