// Where the Pulumi CLI, the tools of other languages and the SDKs of a release come from: what the set-up fetches and runs is
// checked against sums in this repository. The programs are small scripts; nothing here needs a network.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { goBuild } from "../../scripts/setup/go.mjs";
import { ensureLanguages } from "../../scripts/setup/languages.mjs";
import { buildPulumi } from "../../scripts/setup/pulumiBuild.mjs";
import { temporaryFolder, writeFiles } from "../support/folder";
import { root, textOf } from "../support/repository";

/** Notes its calls; an environment that it makes has itself as its Python. */
const python = (folder: string) => `#!/bin/sh
echo "$*" >> "${folder}/calls"
case $2 in
  "") echo "Python 3.12.1";;
  venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python";;
esac
`;

/**
 * Notes its flags and arguments, and makes each program that it is asked for, by its last folder; the generator makes the
 * folders of the SDKs. The module that it lists has the scripts that are copied.
 */
const go = (folder: string, begin: string) => `#!/bin/sh
${begin}
case $1 in
  version) echo "go version go1.99.0 linux/amd64";;
  list) echo "${folder}/sdk";;
  build)
    echo "$GOFLAGS|$GOWORK|$GOOS|$*" >> "${folder}/builds"
    while [ "$1" != -o ]; do shift; done
    for source; do
      name=$(basename "$source"); [ "$name" = . ] && name=pulumi-codegen
      printf '#!/bin/sh\\nmkdir -p "$2/python/pulumi_dbcloud" "$2/go" && : > "$2/python/pulumi_dbcloud/README.md"' > "$2$name"; chmod +x "$2$name"
    done;;
esac
`;

/** A folder with a `go`, which does this first, a `python3`, and the environment of a shell with flags of its own for Go. */
function openFolder(begin = "") {
  const folder = temporaryFolder();
  writeFiles(folder, { "path/python3": python(folder), "path/go": go(folder, begin) }, 0o755);
  const scripts = ["python/cmd/pulumi-language-python-exec", "nodejs/dist/pulumi-resource-pulumi-nodejs"];
  writeFiles(path.join(folder, "sdk"), Object.fromEntries(scripts.map((name) => [name, ""])));
  const flags = { GOFLAGS: "-modfile=/elsewhere/go.mod", GOOS: "plan9", GOWORK: "/elsewhere" };
  const env = { PATH: `${path.join(folder, "path")}:/usr/bin:/bin`, ...flags };
  const linesOf = (name: string): string[] => readFileSync(path.join(folder, name), "utf8").trim().split("\n");
  return { folder, env, linesOf };
}

/** From modules that go.sum pins, whatever flags the shell has for Go. */
const pinnedBuild = /^-mod=readonly\|off\|\|build -mod=readonly -trimpath /;

async function build(begin?: string) {
  const { folder, env, linesOf } = openFolder(begin);
  const bin = path.join(folder, "out", "bin");
  mkdirSync(bin, { recursive: true });
  await buildPulumi({ root, env, version: "3.259.0", folder: path.dirname(bin) });
  return { bin, builds: linesOf("builds") };
}

test("both programs of the Pulumi CLI are built from pinned modules, and the starter of providers is copied", async () => {
  const { bin, builds } = await build();
  expect(builds).toHaveLength(2);
  for (const line of builds) expect(line).toMatch(pinnedBuild);
  expect(readdirSync(bin)).toContain("pulumi-resource-pulumi-nodejs");
});

test("a build says how many packages are compiled, and counts no download", async () => {
  const { folder, env } =
    openFolder(`[ "$1" = build ] && { echo "go: downloading example v1.0.0"; echo fmt; echo net/http; } >&2
    while [ ! -e "$(dirname "$0")/../seen" ]; do sleep 0.05; done`);
  vi.useFakeTimers({ toFake: ["setInterval"] });
  let said = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => Boolean((said += String(text))));
  onTestFinished(() => void vi.useRealTimers().restoreAllMocks());
  const built = goBuild("building", { cwd: folder, env, bin: folder }, ["program"], "1,680");
  while (!said.includes("2 packages")) {
    vi.advanceTimersByTime(15_000);
    await setTimeout(10);
  }
  writeFiles(folder, { seen: "" });
  await built;
  expect(said).toContain("… building, 2 packages compiled of about 1,680\n");
});

test("a module whose sum differs ends the build with Go's own words", async () => {
  const begin = `[ "$1" = build ] && { echo "verifying module: checksum mismatch" >&2; exit 1; }`;
  await expect(build(begin)).rejects.toThrow("verifying module: checksum mismatch");
});

test("hosts, Python and SDKs are made once, from what this repository pins; another schema makes other SDKs", async () => {
  const { folder, env, linesOf } = openFolder();
  const lines: string[] = [];
  const modules = ["hosts", "yaml", "codegen"].flatMap((name) => [`${name}/go.sum`, `${name}/go.mod`]);
  const pinned = [...modules, "codegen/main.go"];
  for (const name of [...pinned, "python/requirements.txt"]) {
    writeFiles(folder, { [`root/tools/pulumi/${name}`]: "go 1.26.0\n" });
  }
  writeFiles(folder, { "root/plugin/schema.json": "" });
  const [own, cache] = [path.join(folder, "root"), path.join(folder, "cache")];
  const ensure = () => ensureLanguages({ root: own, env, cache, tell: (line) => lines.push(line) });

  const [found, again] = await Promise.all([ensure(), ensure()]);
  expect(again).toEqual(found);
  const names = ["go", "python", "yaml"].map((language) => `pulumi-language-${language}`);
  expect(readdirSync(found.bin)).toEqual(expect.arrayContaining(names));
  expect(linesOf("builds")).toHaveLength(3);
  for (const line of linesOf("builds")) expect(line).toMatch(pinnedBuild);
  expect(linesOf("calls").filter((call) => call.includes("requirements.txt"))).toEqual([
    expect.stringContaining("--require-hashes --only-binary :all:"),
  ]);

  lines.length = 0;
  writeFiles(folder, { "root/plugin/schema.json": "{}" });
  expect((await ensure()).sdks).toBe(found.sdks);
  expect(new Set(lines.map((line) => line.split(":")[0]))).toEqual(new Set(["SDKs for Python and Go"]));
});

test("no script but that of the Pulumi CLI downloads a program by itself, or runs an installer that does", () => {
  const scripts = readdirSync(path.join(root, "scripts"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.m?[jt]s$/.test(name))
    .map((name) => ({ name, text: textOf("scripts", name) }));
  const loaders =
    /(?<!\.)\bfetch\(|globalThis\.fetch|node:https?"|\bcurl\b|\bwget\b|PulumiCommand\.install|get\.pulumi\.com/;
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter(({ text }) => loaders.test(text)).map(({ name }) => name)).toEqual(["setup/pulumiFetch.mjs"]);
});
