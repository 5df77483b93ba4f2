import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkNode, checkPackage, checkProvider } from "../../cli/checks";
import { line, useCommandLine } from "./program";
import { TWO_PROJECTS } from "../support/client";
import { writeFiles } from "../support/folder";
import { textLike, textWith } from "../support/matchers";

const root = path.resolve(__dirname, "../..");

useCommandLine({
  projects: TWO_PROJECTS,
  callers: [{ token: "key-of-a-user", kind: "oauth" }],
});

// An empty PATH: whether this machine has a Pulumi CLI is not what these tests are about.
const doctor = (environment: Record<string, string> = {}) =>
  line.run(["doctor"], { environment: { PATH: "", ...environment } });

test("settings are shown with where they come from, the key only as set", async () => {
  const { out } = await doctor();
  expect(out).toContain("apiKey: set (environment DBCLOUD_API_KEY)");
  expect(out).toContain(`baseUrl: ${line.emulator.baseUrl} (environment DBCLOUD_BASE_URL)`);
  expect(out).toContain(`projectId: proj000001 (environment DBCLOUD_PROJECT_ID)`);
  expect(out).toContain(`${line.emulator.baseUrl} answers and accepts the key`);
  expect(out).toContain('project proj000001 ("first")');
  expect(out).not.toContain(line.emulator.apiKey);
  const flagged = await line.run(["doctor", "--project", "proj000002"], { environment: { PATH: "" } });
  expect(flagged.out).toContain("projectId: proj000002 (given here, before environment DBCLOUD_PROJECT_ID)");
});

test("a missing CLI, a package that is not found and missing settings are problems with advice", async () => {
  const ended = await doctor({ DBCLOUD_API_KEY: "", DBCLOUD_BASE_URL: "" });
  expect(ended.code).toBe(1);
  expect(ended.out).toMatch(/problem {2}no Pulumi CLI/);
  expect(ended.out).toMatch(/problem {2}.*pulumi-dbcloud\n {9}.*npm install pulumi-dbcloud/);
  expect(ended.out).toMatch(/problem {2}apiKey: .*\n {9}.*DBCLOUD_API_KEY/);
  expect(ended.out).toMatch(/problem {2}baseUrl: /);
  expect(ended.out).toMatch(/\nProblems: 4\.\n$/);
});

test.each([
  [{ DBCLOUD_API_KEY: "wrong-key" }, /problem {2}.*401/],
  [{ DBCLOUD_PROJECT_ID: "proj000002" }, /the key cannot access project proj000002, only proj000001/],
  [
    { DBCLOUD_API_KEY: "key-of-a-user", DBCLOUD_PROJECT_ID: "" },
    /no project is selected, and the key can access proj000001 \("first"\), proj000002/,
  ],
  [{ DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1" }, /cannot be reached/],
  [{ DBCLOUD_BASE_URL: "nowhere" }, /environment variable DBCLOUD_BASE_URL: given a string that is not a URL; allowed/],
  [{ DBCLOUD_BASE_URL: "http://db.example/v1" }, /plain http/],
  [{ DBCLOUD_POLL_INTERVAL: "soon" }, /environment variable DBCLOUD_POLL_INTERVAL: given "soon"/],
])("%j is a problem that is named", async (environment, words) => {
  const ended = await doctor(environment);
  expect(ended.code).toBe(1);
  expect(ended.out).toMatch(words);
  expect(ended.out).not.toMatch(/wrong-key|key-of-a-user/);
});

test("a configuration that Pulumi cannot read is told, and not taken for an empty one", async () => {
  const wanting = async (why: string) => {
    writeFiles(line.folder, { pulumi: `#!/bin/sh\necho 'error: ${why}' >&2\nexit 255\n` }, 0o755);
    return (await doctor({ PATH: line.folder, DBCLOUD_BASE_URL: "" })).out;
  };
  const note = "note     the configuration of the stack was not read: ";
  expect(await wanting("no stack selected; please use `x`")).toContain(`${note}no stack selected; please use`);
  expect(await wanting("no Pulumi.yaml project file found (…): no project file found")).not.toContain(note);
});

test("misspelt variables are listed, those of a guard as problems", async () => {
  const { code, out } = await doctor({
    DBCLOUD_READONLY: "1",
    DBCLOUD_BASEURL: "https://mine",
    DBCLOUD_TEAM: "payments",
    DBCLOUD_EMULATOR_ADMIN_KEY: "x",
  });
  expect(code).toBe(1);
  expect(out).toMatch(
    /problem {2}environment variable DBCLOUD_READONLY: .*did you mean DBCLOUD_READ_ONLY\?\n {9}Rename it, or unset it/,
  );
  expect(out).toMatch(/note {5}environment variable DBCLOUD_BASEURL: .*did you mean DBCLOUD_BASE_URL\?/);
  expect(out).not.toMatch(/EMULATOR_ADMIN|TEAM|payments|mine/);
  // All else is looked at nonetheless.
  expect(out).toContain("answers and accepts the key");
});

test("a missing project is fine if the key can access exactly one", async () => {
  const { out } = await doctor({ DBCLOUD_PROJECT_ID: "" });
  expect(out).toContain('project proj000001 ("first"), the only one that the key can access');
});

test.each([
  "runtime: python",
  "runtime:\n  name: go\n  options: { binary: app }",
  "runtime:\n  options:\n    virtualenv: venv\n  name: python",
  "runtime: # any\n  name: go",
  "runtime:\r\n  name: python\r",
  "runtime: {name: python}",
  "runtime: 'yaml'",
])("a program with %j needs the plugin, and no npm package", async (runtime) => {
  writeFiles(line.folder, { "Pulumi.yaml": `name: shop\n${runtime}\n` });
  const withoutCli = { cwd: line.folder, environment: { PATH: "" } };
  expect(await checkProvider(withoutCli)).toMatchObject([{ verdict: "note" }]);
  writeFiles(line.folder, { "bin/pulumi": "#!/bin/sh\necho '[]'\n" }, 0o755);
  const io = { cwd: line.folder, environment: { PATH: path.join(line.folder, "bin") } };
  const [missing, ...others] = await checkProvider(io);
  expect(others).toEqual([]);
  const text: unknown = expect.stringMatching(/^a program for (?:python|go|yaml) needs the plugin dbcloud/);
  expect(missing).toMatchObject({ verdict: "bad", text });
  expect(missing?.advice).toContain("pulumi plugin install resource dbcloud");
  const entry = (place: string) => `plugins:\n  providers:\n    - name: dbcloud\n      path: ${place}\n`;
  writeFiles(line.folder, { "Pulumi.yaml": `name: shop\n${runtime}\n${entry("./plugin")}` });
  expect(await checkProvider(io)).toMatchObject([{ verdict: "bad", text: textWith("no pulumi-resource-dbcloud") }]);
  writeFiles(line.folder, { "plugin/pulumi-resource-dbcloud": "", "my plugins/pulumi-resource-dbcloud": "" });
  for (const place of ["./plugin", "my plugins # ours", '"my plugins"', "'./my plugins'"]) {
    writeFiles(line.folder, { "Pulumi.yaml": `name: shop\n${runtime}\n${entry(place)}` });
    expect(await checkProvider(io)).toMatchObject([{ verdict: "good" }]);
  }
});

test("what could not be looked at is not called the API", async () => {
  writeFiles(line.folder, { "Pulumi.yaml": "name: shop\nruntime: yaml\n" });
  const answers = '#!/bin/sh\ncase "$1" in version) echo v3.259.0;; config) echo "{}";; *) exit 1; esac\n';
  writeFiles(line.folder, { pulumi: answers }, 0o755);
  const { code, out } = await doctor({ PATH: line.folder });
  expect(out).toMatch(/could not look for the plugin[^]*answers and accepts the key[^]*\n\nNo problem was found; /);
  expect([code, out]).toEqual([0, textLike(/; read the notes\.\n$/)]);
});

test("a Node.js program that names the plugin needs the package and the plugin", async () => {
  const entry = "plugins:\n  providers:\n    - { name: dbcloud, path: ./plugin }\n";
  writeFiles(line.folder, { "Pulumi.yaml": `name: shop\nruntime: nodejs\n${entry}` });
  const found = await checkProvider({ cwd: line.folder, environment: {} });
  expect(found.at(-1)).toMatchObject({ verdict: "bad", text: textWith("no pulumi-resource-dbcloud") });
  expect(found.length).toBeGreaterThan(1);
});

test("the package counts as a program in that folder finds it", () => {
  const folder = path.join(line.folder, "project/deep");
  const files = {
    "project/deep/index.ts": "",
    "project/node_modules/pulumi-dbcloud/package.json": JSON.stringify({ version: "9.9.9" }),
  };
  writeFiles(line.folder, files);
  const [own, sdk] = checkPackage(folder);
  const text = textLike(/^pulumi-dbcloud 9\.9\.9 in .*; this command is version/);
  expect(own).toMatchObject({ verdict: "good", text });
  expect(sdk).toMatchObject({ verdict: "bad", text: textWith("does not find @pulumi/pulumi") });
  const sdks = path.join(line.folder, "project/node_modules/@pulumi");
  symlinkSync(path.join(root, "node_modules/@pulumi"), sdks, "junction");
  expect(checkPackage(folder)[1]).toMatchObject({ verdict: "good" });
});

test.each(["null", "[]", '{ "version": 1 }', "{ version: 1"])(
  "a package.json that is %s is a problem, in our own words",
  (text) => {
    writeFiles(line.folder, { "node_modules/pulumi-dbcloud/package.json": text });
    expect(checkPackage(line.folder)).toEqual([
      {
        verdict: "bad",
        text: textWith("does not find pulumi-dbcloud"),
        advice: textWith("npm install pulumi-dbcloud"),
      },
    ]);
  },
);

test("a Node that is too old is a problem", () => {
  expect(checkNode({ node: "20.20.0" })).toMatchObject([{ verdict: "bad" }]);
  expect(checkNode(process.versions)).toMatchObject([{ verdict: "good" }]);
});
