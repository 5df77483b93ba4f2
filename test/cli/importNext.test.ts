// `import`: what is left out because the selected stack holds it, and the commands that it says come next.

import { readFileSync, writeFileSync } from "node:fs";
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
  const named = mutate.createService({ name: held.id });
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
  writeFileSync(path.join(line.folder, "pulumi"), script, { mode: 0o755 });
  const environment = { PATH: line.folder };
  const ended = await line.run(["import", "--all"], { environment });
  expect(new Set(idsIn(ended.out))).toEqual(new Set([elsewhere.id, named.id]));
  // The stack has a resource of that name, and the import of a second one would be an error.
  expect(ended.out).toContain(`"name": "${held.id}-2"`);
  expect(ended.error).toMatch(new RegExp(`left out, because stack shop/dev holds it: .*${held.id}`));
  expect(ended.error).toMatch(new RegExp(`left out, because stack shop/dev holds it: .*${vpc.id}`));
  expect(ended.error).toMatch(
    /What another stack manages must not be imported, .* --all-stacks leaves it out.*\nSave the/,
  );
  const nothing = await line.run(["import", `service:${held.id}`], { environment });
  expect(idsIn(nothing.out)).toEqual([]);
  expect(nothing.error).toMatch(/^Nothing to import of project \w+\nleft out, .*\n$/);
});

test("a selected stack that cannot be read is said, because nothing of it is left out", async () => {
  const { id } = line.emulator.mutate.createService({ name: "orders" });
  const script = `#!/bin/sh\n[ "$1" = version ] && echo v3.259.0 && exit\necho "error: no backend" >&2\nexit 1\n`;
  writeFileSync(path.join(line.folder, "pulumi"), script, { mode: 0o755 });
  const ended = await line.run(["import", "--all"], { environment: { PATH: line.folder } });
  expect(ended.code).toBe(0);
  expect(idsIn(ended.out)).toEqual([id]);
  expect(ended.error).toMatch(/nothing was left out: the selected stack cannot be read: no backend\. What it holds/);
});

test("with the option, objects of any stack of the backend are left out", async () => {
  const { mutate, projectId } = line.emulator;
  const [mine, theirs, nobodys] = [1, 2, 3].map((n) => mutate.createService({ name: `service-${n}` }).id);
  const stateWith = (id: string | undefined): string => {
    const type = "pulumi-nodejs:dynamic/dbcloud:Service";
    const resources = [{ urn: `urn:pulumi:dev::p::${type}::db`, type, custom: true, id, outputs: { projectId } }];
    return JSON.stringify({ version: 3, deployment: { resources } });
  };
  writeFileSync(path.join(line.folder, "mine.json"), stateWith(mine));
  writeFileSync(path.join(line.folder, "theirs.json"), stateWith(theirs));
  const stacks = JSON.stringify([{ name: "mine" }, { name: "theirs" }]);
  const script = `#!/bin/sh
case "$*" in
  "stack ls"*) echo '${stacks}' ;;
  "stack export"*theirs*) exec /bin/cat theirs.json ;;
  "stack export"*) exec /bin/cat mine.json ;;
  *) echo v3.259.0 ;;
esac
`;
  writeFileSync(path.join(line.folder, "pulumi"), script, { mode: 0o755 });
  const environment = { PATH: line.folder };
  const beside = idsIn((await line.run(["import", "--all"], { environment })).out);
  expect(new Set(beside)).toEqual(new Set([theirs, nobodys]));
  const ended = await line.run(["import", "--all", "--all-stacks"], { environment });
  expect(idsIn(ended.out)).toEqual([nobodys]);
  expect(ended.error).toMatch(new RegExp(`left out, because stack \\S+ holds it: .*${theirs}`));
  expect(ended.error).toContain("Stacks of other backends were not asked");

  // Without an answer it is not known what may be imported.
  writeFileSync(path.join(line.folder, "pulumi"), "#!/bin/sh\necho no backend >&2\nexit 1\n");
  const failed = await line.run(["import", "--all", "--all-stacks"], { environment });
  expect(failed).toMatchObject({ code: 1, out: "" });
  expect(failed.error).toMatch(/the stacks cannot be listed: no backend[^]*Without --all-stacks/);
});

test("the commands that follow end with an up where something is tagged PROD, and only there", async () => {
  const plain = line.emulator.mutate.createService({ name: "plain", environment: "DEV" });
  line.emulator.mutate.createService({ name: "orders", environment: "PROD" });
  const production = await line.run(["import", "--all", "--program", "all.ts"]);
  expect(production.error).toMatch(/shows no change but `protect`.*\n {2}pulumi up\nwhich sets `protect` on services/);
  expect(production.error).not.toContain("shows no changes");
  expect(read("all.ts")).toContain("shows no change but `protect`");
  const other = await line.run(["import", `service:${plain.id}`, "--program", "plain.ts"]);
  expect(other.error).toContain("`pulumi preview` shows no changes.");
  expect(other.error).not.toContain("pulumi up");
  expect(read("plain.ts")).toContain("shows no changes");
});
