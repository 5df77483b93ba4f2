// `import`: what is left out because the selected stack holds it, and the commands that it says come next.

import { rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../support/folder";
import { textWith } from "../support/matchers";
import { line, useCommandLine, writePulumi } from "./program";

useCommandLine();

const idsIn = (text: string): string[] =>
  (JSON.parse(text) as { resources: { id: string }[] }).resources.map(({ id }) => id);

type Entry = readonly [kind: string, id: string | undefined, projectId: string];

/** A stack that holds these. */
const stackWith = (...entries: Entry[]): object => ({
  version: 3,
  deployment: {
    resources: entries.map(([kind, id, projectId]) => {
      const type = `pulumi-nodejs:dynamic/dbcloud:${kind}`;
      return { urn: `urn:pulumi:dev::shop::${type}::${id}`, type, custom: true, id, outputs: { projectId } };
    }),
  },
});

/** `import` beside the user's own CLI, as far as it is asked. */
const importWith = (...args: string[]) => line.run(["import", ...args], { environment: { PATH: line.folder } });

test("what the selected stack holds already is left out and named, here and not in another project", async () => {
  const { mutate, projectId } = line.emulator;
  const vpc = mutate.createVpc({ name: "net" });
  const held = mutate.createService({ name: "held", vpcId: vpc.id });
  const elsewhere = mutate.createService({ name: "elsewhere" });
  const named = mutate.createService({ name: held.id });
  writePulumi(line.folder, {
    dev: stackWith(
      ["Service", held.id, projectId],
      ["Vpc", vpc.id, projectId],
      ["Service", elsewhere.id, "proj000002"],
    ),
  });
  const ended = await importWith("--all");
  expect(new Set(idsIn(ended.out))).toEqual(new Set([elsewhere.id, named.id]));
  // The stack has a resource of that name, and the import of a second one would be an error.
  expect(ended.out).toContain(`"name": "${held.id}-2"`);
  for (const { id } of [held, vpc]) {
    expect(ended.error).toMatch(new RegExp(`left out, because stack shop/dev manages it: .*${id}`));
  }
  expect(ended.error).toMatch(/Add --all-stacks to leave out such objects.*\nSave the/);
  const nothing = await importWith(`service:${held.id}`);
  expect(idsIn(nothing.out)).toEqual([]);
  expect(nothing.error).toMatch(/^Nothing to import in project \w+\nleft out, .*\n$/);
});

test("a selected stack that cannot be read is said, because nothing of it is left out", async () => {
  const { id } = line.emulator.mutate.createService({ name: "orders" });
  writePulumi(line.folder);
  const ended = await importWith("--all");
  expect(ended).toMatchObject({ code: 0, error: textWith("the selected stack cannot be read: no backend") });
  expect(idsIn(ended.out)).toEqual([id]);
});

test("with the option, objects of any stack of the backend are left out", async () => {
  const { mutate, projectId } = line.emulator;
  const [mine, theirs, nobodys] = [1, 2, 3].map((n) => mutate.createService({ name: `service-${n}` }).id);
  writePulumi(line.folder, {
    mine: stackWith(["Service", mine, projectId]),
    theirs: stackWith(["Service", theirs, projectId]),
  });
  expect(new Set(idsIn((await importWith("--all")).out))).toEqual(new Set([theirs, nobodys]));
  const ended = await importWith("--all", "--all-stacks");
  expect(idsIn(ended.out)).toEqual([nobodys]);
  expect(ended.error).toMatch(new RegExp(`left out, because stack \\S+ manages it: .*${theirs}`));
  expect(ended.error).toContain("Stacks of other backends were not checked");

  // Without an answer about each stack it is not known what may be imported.
  writePulumi(line.folder, { mine: stackWith(["Service", mine, projectId]), theirs: {} });
  const unread = textWith("stack theirs gave no state");
  expect(await importWith("--all", "--all-stacks")).toMatchObject({ code: 1, out: "", error: unread });
  writePulumi(line.folder);
  const error = textWith("the stacks cannot be listed: no backend");
  expect(await importWith("--all", "--all-stacks")).toMatchObject({ code: 1, out: "", error });
});

test("the commands that follow end with an up where something is tagged PROD, and only there", async () => {
  const plain = line.emulator.mutate.createService({ name: "plain", environment: "DEV" });
  line.emulator.mutate.createService({ name: "orders", environment: "PROD" });
  const production = await line.run(["import", "--all", "--program", "all.ts"]);
  expect(production.error).toMatch(/shows no change but `protect`.*\n {2}pulumi up\nwhich sets `protect` on services/);
  expect(line.read("all.ts")).toContain("shows no change but `protect`");
  const other = await line.run(["import", `service:${plain.id}`, "--program", "plain.ts"]);
  expect(other.error).toContain("`pulumi preview` shows no changes.");
  expect(other.error).not.toContain("pulumi up");
  expect(line.read("plain.ts")).toContain("shows no changes");
});

test("for the plugin, Pulumi writes the declarations in the language of the project, unless a program is asked for", async () => {
  line.emulator.mutate.createService({ name: "orders", environment: "PROD" });
  const own = await line.run(["import", "--all", "--native", "--out", "import.json"]);
  expect(own.error).toContain("pulumi import --file import.json --out declarations --protect=false\nThen copy");
  expect(own.error).toContain("`pulumi preview` shows no changes.");
  // A program in another language has no other form.
  writeFiles(line.folder, { "Pulumi.yaml": "name: shop\nruntime: yaml\n" });
  rmSync(path.join(line.folder, "import.json"));
  expect(await line.run(["import", "--all", "--out", "import.json"])).toEqual(own);
  const program = await line.run(["import", "--all", "--native", "--program", "all.ts"]);
  expect(program.error).toContain("--generate-code=false --protect=false");
});
