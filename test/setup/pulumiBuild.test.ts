// What the set-up fetches and runs is checked against sums in this repository.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { buildPulumi } from "../../scripts/setup/pulumiBuild.mjs";
import { temporaryFolder, writeFiles } from "../support/folder";

const root = path.resolve(__dirname, "../..");

/** Builds with a `go` that notes its flags and arguments; `go list` answers a module with the script that starts providers. */
async function build(script = ""): Promise<string> {
  const folder = temporaryFolder();
  const go = `#!/bin/sh
${script}
case $1 in
  version) echo "go version go1.99.0 linux/amd64";;
  list) echo "${folder}/sdk";;
  build) echo "$GOFLAGS|$GOWORK|$GOOS|$*" >> "${folder}/builds";;
esac
`;
  writeFiles(folder, { go }, 0o755);
  for (const ending of ["", ".cmd"])
    writeFiles(folder, { [`sdk/nodejs/dist/pulumi-resource-pulumi-nodejs${ending}`]: "" });
  mkdirSync(path.join(folder, "out", "bin"), { recursive: true });
  const flags = { GOFLAGS: "-modfile=/elsewhere/go.mod", GOOS: "plan9", GOWORK: "/elsewhere" };
  const env = { PATH: `${folder}:/usr/bin:/bin`, ...flags };
  await buildPulumi({ root, env, version: "3.259.0", folder: path.join(folder, "out") });
  return folder;
}

test("both programs are built from modules that go.sum pins, whatever flags the shell has for Go", async () => {
  const folder = await build();
  const builds = readFileSync(path.join(folder, "builds"), "utf8").trim().split("\n");
  expect(builds).toHaveLength(2);
  for (const line of builds) expect(line).toMatch(/^-mod=readonly\|off\|\|build -mod=readonly -trimpath /);
  expect(readdirSync(path.join(folder, "out", "bin"))).toContain("pulumi-resource-pulumi-nodejs");
});

test("a module whose sum differs ends the build with Go's own words", async () => {
  const script = `[ "$1" = build ] && { echo "verifying module: checksum mismatch" >&2; exit 1; }`;
  await expect(build(script)).rejects.toThrow("verifying module: checksum mismatch");
});

test("no script downloads a program by itself, or runs an installer that does", () => {
  const scripts = readdirSync(path.join(root, "scripts"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.m?[jt]s$/.test(name))
    .map((name) => ({ name, text: readFileSync(path.join(root, "scripts", name), "utf8") }));
  const loaders = /\bfetch\(|node:https?"|\bcurl\b|\bwget\b|PulumiCommand\.install|get\.pulumi\.com/;
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter(({ text }) => loaders.test(text)).map(({ name }) => name)).toEqual([]);
});
