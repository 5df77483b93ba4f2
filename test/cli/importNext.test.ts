// `import`: what is left out because the selected stack holds it, and the commands that it says come next.

import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CommandLine, openCommandLine } from "./program";

let line: CommandLine;

beforeEach(async () => {
  line = await openCommandLine();
});

afterEach(() => line.close());

const read = (file: string): string => readFileSync(path.join(line.folder, file), "utf8");
const idsIn = (text: string): string[] =>
  (JSON.parse(text) as { resources: { id: string }[] }).resources.map(({ id }) => id);

test("what the selected stack holds already is left out and named, here and not in another project", async () => {
  const { mutate, projectId } = line.emulator;
  const vpc = mutate.createVpc({ name: "net" });
  const held = mutate.createService({ name: "held", vpcId: vpc.id });
  const elsewhere = mutate.createService({ name: "elsewhere" });
  const resource = (kind: string, id: string, project: string): object => ({
    urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:${kind}::${id}`,
    type: `pulumi-nodejs:dynamic/dbcloud:${kind}`,
    custom: true,
    id,
    outputs: { projectId: project },
  });
  const resources = [
    resource("Service", held.id, projectId),
    resource("Vpc", vpc.id, projectId),
    resource("Service", elsewhere.id, "proj000002"),
  ];
  writeFileSync(path.join(line.folder, "state.json"), JSON.stringify({ version: 3, deployment: { resources } }));
  // The user's own CLI, as far as it is asked.
  const script = `#!/bin/sh\n[ "$1 $2" = "stack export" ] && exec /bin/cat state.json\necho v3.259.0\n`;
  writeFileSync(path.join(line.folder, "pulumi"), script);
  chmodSync(path.join(line.folder, "pulumi"), 0o755);
  const environment = { PATH: line.folder };
  const ended = await line.run(["import", "--all"], { environment });
  expect(idsIn(ended.out)).toEqual([elsewhere.id]);
  expect(ended.error).toMatch(new RegExp(`left out, because stack shop/dev holds it: .*${held.id}`));
  expect(ended.error).toMatch(new RegExp(`left out, because stack shop/dev holds it: .*${vpc.id}`));
  expect(ended.error).toMatch(
    /`pulumi-dbcloud drift --all-stacks` names what no stack manages; what another stack manages .*\nSave the/,
  );
  const nothing = await line.run(["import", `service:${held.id}`], { environment });
  expect(idsIn(nothing.out)).toEqual([]);
  expect(nothing.error).toMatch(/^Nothing to import of project \w+\nleft out, .*\n$/);
});

test("the commands that follow end with an up where something is tagged PROD, and only there", async () => {
  const plain = line.emulator.mutate.createService({ name: "plain", environment: "DEV" });
  line.emulator.mutate.createService({ name: "orders", environment: "PROD" });
  const production = await line.run(["import", "--all", "--program", "all.ts"]);
  expect(production.error).toMatch(/shows no change but `protect`.*\n {2}pulumi up\nwhich saves Pulumi's own lock/);
  expect(production.error).not.toContain("shows no changes");
  expect(read("all.ts")).toContain("shows no change but `protect`");
  const other = await line.run(["import", `service:${plain.id}`, "--program", "plain.ts"]);
  expect(other.error).toContain("`pulumi preview` shows no changes.");
  expect(other.error).not.toContain("pulumi up");
  expect(read("plain.ts")).toContain("shows no changes");
});
