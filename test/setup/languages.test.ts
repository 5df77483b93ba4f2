// Where the tools of other languages, and the SDKs of a release, come from. The programs are small scripts; nothing here
// needs a network.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ensureLanguages } from "../../scripts/setup/languages.mjs";
import { temporaryFolder, writeFiles } from "../support/folder";

const pinned = ["hosts/go.sum", "hosts/go.mod", "codegen/go.sum", "codegen/go.mod", "codegen/main.go"];

/** Notes its calls; an environment that it makes has itself as its Python. */
const python = (folder: string) => `#!/bin/sh
echo "$*" >> "${folder}/calls"
case $2 in
  "") echo "Python 3.12.1";;
  venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python";;
esac
`;

/** Makes each program that it is asked for, by its last folder; the generator makes the folders of the SDKs. */
const go = (folder: string) => `#!/bin/sh
echo "go $*" >> "${folder}/calls"
case $1 in
  version) echo "go version go1.99.0 linux/amd64";;
  list) echo "${folder}/sdk";;
  build)
    while [ "$1" != -o ]; do shift; done
    for source; do
      name=$(basename "$source"); [ "$name" = . ] && name=pulumi-codegen
      printf '#!/bin/sh\\nmkdir "$2/python" "$2/go"' > "$2$name"; chmod +x "$2$name"
    done;;
esac
`;

test("hosts, Python and SDKs are made once, from what this repository pins; another schema makes other SDKs", async () => {
  const folder = temporaryFolder();
  const lines: string[] = [];
  for (const name of [...pinned, "python/requirements.txt"]) {
    writeFiles(folder, { [`root/tools/pulumi/${name}`]: "go 1.26.0\n" });
  }
  writeFiles(folder, { "root/plugin/schema.json": "", "sdk/python/cmd/pulumi-language-python-exec": "" });
  writeFiles(folder, { "path/python3": python(folder), "path/go": go(folder) }, 0o755);
  const ensure = () =>
    ensureLanguages({
      root: path.join(folder, "root"),
      env: { PATH: `${path.join(folder, "path")}:/usr/bin:/bin` },
      cache: path.join(folder, "cache"),
      tell: (line) => lines.push(line),
    });

  const [found, again] = await Promise.all([ensure(), ensure()]);
  expect(again).toEqual(found);
  expect(readdirSync(found.bin)).toEqual(
    expect.arrayContaining(["pulumi-language-go", "pulumi-language-python", "pulumi-language-yaml"]),
  );
  const calls = readFileSync(path.join(folder, "calls"), "utf8").trim().split("\n");
  const builds = calls.filter((call) => call.startsWith("go build"));
  expect(builds).toHaveLength(2);
  for (const call of builds) expect(call).toMatch(/^go build -mod=readonly -trimpath /);
  expect(calls.filter((call) => call.includes("requirements.txt"))).toEqual([
    expect.stringContaining("--require-hashes --only-binary :all:"),
  ]);

  lines.length = 0;
  writeFiles(folder, { "root/plugin/schema.json": "{}" });
  expect((await ensure()).sdks).toBe(found.sdks);
  expect(new Set(lines.map((line) => line.split(":")[0]))).toEqual(new Set(["SDKs for Python and Go"]));
});
