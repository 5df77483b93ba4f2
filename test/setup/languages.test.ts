// Where the tools of other languages come from. The programs are small scripts; nothing here needs a network.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureLanguages } from "../../scripts/setup/languages.mjs";

const pinned = ["hosts/go.sum", "codegen/go.sum", "codegen/go.mod", "codegen/main.go", "python/requirements.txt"];

let folder: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "dbcloud-languages-"));
  lines = [];
  for (const name of [...pinned.map((file) => path.join("tools", "pulumi", file)), "plugin/schema.json"]) {
    write(path.join("root", name), "go 1.26.0\n");
  }
  write("root/tools/pulumi/hosts/go.mod", "go 1.26.0\n");
  program("python3", pythonOf("3.12.1"));
  program("go", goOf(path.join(folder, "sdk")));
  write("sdk/python/cmd/pulumi-language-python-exec", "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
}

function program(name: string, text: string): void {
  write(path.join("path", name), text);
  chmodSync(path.join(folder, "path", name), 0o755);
}

/** Notes its calls; an environment that it makes has itself as its Python. */
const pythonOf = (version: string) => `#!/bin/sh
echo "$*" >> "${folder}/calls"
case $2 in
  "") echo "Python ${version}";;
  venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python";;
esac
`;

/** Makes each program that it is asked for, by its last folder; the generator makes the folders of the SDKs. */
const goOf = (sdk: string) => `#!/bin/sh
echo "go $*" >> "${folder}/calls"
case $1 in
  version) echo "go version go1.99.0 linux/amd64";;
  list) echo "${sdk}";;
  build)
    while [ "$1" != -o ]; do shift; done
    for source; do
      name=$(basename "$source"); [ "$name" = . ] && name=pulumi-codegen
      printf '#!/bin/sh\\nmkdir "$2/python" "$2/go"' > "$2$name"; chmod +x "$2$name"
    done;;
esac
`;

const ensure = () =>
  ensureLanguages({
    root: path.join(folder, "root"),
    env: { PATH: `${path.join(folder, "path")}:/usr/bin:/bin` },
    cache: path.join(folder, "cache"),
    tell: (line) => lines.push(line),
  });

const calls = (): string[] => readFileSync(path.join(folder, "calls"), "utf8").trim().split("\n");

test("hosts, Python and SDKs are made once, from what this repository pins, and each step has a reason", async () => {
  const [found, again] = await Promise.all([ensure(), ensure()]);
  expect(again).toEqual(found);
  expect(readdirSync(found.bin)).toEqual(
    expect.arrayContaining(["pulumi-language-go", "pulumi-language-python", "pulumi-language-yaml"]),
  );
  expect(lines.filter((line) => !line.includes("waiting"))).toEqual([
    expect.stringMatching(/^hosts of Python, Go and YAML: none in .*; building them, once, about 3 minutes/),
    expect.stringMatching(/^hosts of Python, Go and YAML: ready in /),
    "SDKs for Python and Go: generating them, because none match the schema",
    expect.stringMatching(/^SDKs for Python and Go: ready in /),
  ]);
  const builds = calls().filter((call) => call.startsWith("go build"));
  expect(builds).toHaveLength(2);
  for (const call of builds) expect(call).toMatch(/^go build -mod=readonly -trimpath /);
  expect(calls().filter((call) => call.includes("requirements.txt"))).toEqual([
    expect.stringContaining("--require-hashes --only-binary :all:"),
  ]);
});

test("another schema makes other SDKs in the same place, and no other tools", async () => {
  const { sdks } = await ensure();
  lines = [];
  write("root/plugin/schema.json", "{}");
  expect((await ensure()).sdks).toBe(sdks);
  expect(lines.map((line) => line.split(":")[0])).toEqual(["SDKs for Python and Go", "SDKs for Python and Go"]);
});

test("without a Python that is new enough, or without Go, the error says what to install", async () => {
  program("python3", pythonOf("3.9.18"));
  await expect(ensure()).rejects.toThrow("programs in Python need Python 3.10.0 or newer: this is Python 3.9.18");
  program("python3", pythonOf("3.13.0"));
  rmSync(path.join(folder, "path", "go"));
  await expect(ensure()).rejects.toThrow(
    /could not be built: building with Go needs 1\.26\.0 or newer: it is not on PATH/,
  );
});
