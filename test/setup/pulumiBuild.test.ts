// What the set-up fetches and runs is checked against sums in this repository.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildPulumi } from "../../scripts/setup/pulumiBuild.mjs";

const root = path.resolve(__dirname, "../..");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "dbcloud-go-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A `go` that notes its flags and arguments; `go list` answers a module with the script that starts providers. */
function environmentWithGo(script = ""): Record<string, string> {
  const sdk = path.join(folder, "sdk", "nodejs", "dist");
  mkdirSync(sdk, { recursive: true });
  for (const ending of ["", ".cmd"]) writeFileSync(path.join(sdk, `pulumi-resource-pulumi-nodejs${ending}`), "");
  const go = path.join(folder, "go");
  writeFileSync(
    go,
    `#!/bin/sh
${script}
case $1 in
  version) echo "go version go1.99.0 linux/amd64";;
  list) echo "${path.join(folder, "sdk")}";;
  build) echo "$GOFLAGS|$GOWORK|$GOOS|$*" >> "${path.join(folder, "builds")}";;
esac
`,
  );
  chmodSync(go, 0o755);
  return {
    PATH: `${folder}:/usr/bin:/bin`,
    GOFLAGS: "-modfile=/elsewhere/go.mod",
    GOOS: "plan9",
    GOWORK: "/elsewhere",
  };
}

async function build(env: Record<string, string>): Promise<string[]> {
  const lines: string[] = [];
  mkdirSync(path.join(folder, "out", "bin"), { recursive: true });
  const place = { root, env, version: "3.259.0", folder: path.join(folder, "out") };
  await buildPulumi({ ...place, tell: (line) => lines.push(line) });
  return lines;
}

test("both programs are built from modules that go.sum pins, whatever flags the shell has for Go", async () => {
  const lines = await build(environmentWithGo());
  expect(lines).toEqual(["Pulumi CLI: building 3.259.0 with Go 1.99.0, once, about 5 minutes on 2 cores"]);
  const builds = readFileSync(path.join(folder, "builds"), "utf8").trim().split("\n");
  expect(builds).toHaveLength(2);
  for (const line of builds) expect(line).toMatch(/^-mod=readonly\|off\|\|build -mod=readonly -trimpath /);
  expect(readdirSync(path.join(folder, "out", "bin"))).toContain("pulumi-resource-pulumi-nodejs");
});

test("a module whose sum differs ends the build with Go's own words", async () => {
  const script = `[ "$1" = build ] && { echo "verifying module: checksum mismatch" >&2; exit 1; }`;
  await expect(build(environmentWithGo(script))).rejects.toThrow("verifying module: checksum mismatch");
});

test("no script downloads a program by itself, or runs an installer that does", () => {
  const scripts = readdirSync(path.join(root, "scripts"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.m?[jt]s$/.test(name))
    .map((name) => ({ name, text: readFileSync(path.join(root, "scripts", name), "utf8") }));
  const loaders = /\bfetch\(|node:https?"|\bcurl\b|\bwget\b|PulumiCommand\.install|get\.pulumi\.com/;
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter(({ text }) => loaders.test(text)).map(({ name }) => name)).toEqual([]);
});
