// `pulumi-dbcloud/testing` as a user gets it: the packed package in a folder outside the repository, the suites of the
// example, many files in parallel, a test that is killed, and a machine without the CLI.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderWithPackedPackage } from "../../support/cli/packed";
import {
  type Environment,
  fail,
  isAlive,
  type Outcome,
  runCommand,
  startCli,
  succeed,
  until,
} from "../../support/cliProcess";
import { root } from "../../support/repository";
import { repeats } from "../../support/repeats";

let outside: string;
/** The example of tests, with its packages. */
let cwd: string;

beforeAll(async () => {
  outside = mkdtempSync(path.join(tmpdir(), "dbcloud-packed-"));
  cwd = await folderWithPackedPackage(outside, "testing");
  cpSync(path.join(root, "examples", "testing"), cwd, { recursive: true });
});

afterAll(() => rmSync(outside, { recursive: true, force: true }));

/** As a user has it: nothing of this test's account or backend; temporary files in a folder that can be looked at. */
function userEnvironment(temporary: string): Environment {
  mkdirSync(temporary, { recursive: true });
  const own = Object.entries(process.env).filter(
    ([key]) => !/^(PULUMI_|DBCLOUD_(?!PULUMI_ROOT)|VITEST|NODE_OPTIONS$)/.test(key),
  );
  return {
    ...Object.fromEntries(own),
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
    TMPDIR: temporary,
    HOME: temporary,
    DBCLOUD_BASE_URL: "https://production.example/v1",
  };
}

const filesAtOnce = repeats(2, 8);

/** Every file stops with an open stack until all of them have one. */
const meeting = `import { readdirSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
export async function meet(name) {
  const folder = process.env.MEETING;
  writeFileSync(\`\${folder}/\${name}\`, "");
  while (readdirSync(folder).length < ${filesAtOnce}) await wait(20);
}
`;

const tiny = `import { expect, test } from "vitest";
import { createTestStack } from "pulumi-dbcloud/testing";
import { meet } from "./meeting.js";
test("NAME", async () => {
  await using stack = await createTestStack({ program: () => ({ own: "NAME" }) });
  await meet("NAME");
  expect((await stack.up()).outputs).toEqual({ own: { value: "NAME", secret: false } });
});
`;

const suites = {
  configuration: `import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { getServiceOutput, Service } from "pulumi-dbcloud";
import { createTestStack } from "pulumi-dbcloud/testing";
import { meet } from "./meeting.js";
test("a test stack takes configuration and gives secret outputs, and its look-ups ask the emulator even if the environment names a server", async () => {
  const program = () => {
    const password = new pulumi.Config().requireSecret("password");
    const orders = new Service("orders", { regionCode: new pulumi.Config("other").require("region"), password });
    const found = getServiceOutput({ serviceId: orders.serviceId });
    const at = new pulumi.Config("dbcloud").require("baseUrl");
    return { url: orders.connectionString(), found: found.name, at };
  };
  const config = { password: { value: "a-secret-of-a-test", secret: true }, "other:region": "eu-west-1" } as const;
  await using stack = await createTestStack({ program, config });
  await stack.stack.setConfig("dbcloud:baseUrl", { value: stack.emulator.baseUrl });
  await meet("configuration");
  const up = await stack.up();
  expect(up.outputs["at"]?.value).toBe(stack.emulator.baseUrl);
  expect(up.outputs).toMatchObject({ url: { secret: true }, found: { value: "test-orders-test", secret: false } });
  expect(up.outputs["url"]?.value).toContain("a-secret-of-a-test");
  expect(stack.resource("Service/orders").inputs).toMatchObject({ password: "[secret]", regionCode: "eu-west-1" });
  expect(up.changes("orders")["password"]).toEqual([undefined, "[secret]"]);
  expect(() => stack.resource("nobody")).toThrow('there is no resource "nobody"; there is Service/orders');
  expect(up.calls()).toEqual(["createService", "updatePassword"]);
  await stack.dispose();
  const after = /this test stack was disposed of, and nothing is left of it: open another one/;
  await expect(stack.up()).rejects.toThrow(after);
  await expect(stack.preview()).rejects.toThrow(after);
  expect(() => stack.resource("orders")).toThrow(after);
});
`,
  provider: `import { expect, test } from "vitest";
import { Provider, Vpc } from "pulumi-dbcloud";
import * as native from "pulumi-dbcloud/native";
import { createTestStack } from "pulumi-dbcloud/testing";
import { meet } from "./meeting.js";
test("an explicit provider with the address of a real deployment is refused before anything is sent", async () => {
  const program = () => {
    const provider = new Provider("prod", { apiKey: "k", projectId: "p", baseUrl: "https://production.example/v1" });
    return void new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" }, { provider });
  };
  await using stack = await createTestStack({ program });
  await meet("provider");
  await expect(stack.up()).rejects.toThrow(/production\\.example.*; allowed: only "http:\\/\\/127\\.0\\.0\\.1/);
});
test("a program of the plugin runs, and its provider is refused likewise", async () => {
  const net = { cidr: "10.0.0.0/24", regionCode: "us-east-1" };
  await using stack = await createTestStack({ program: () => void new native.Vpc("net", net) });
  expect((await stack.up()).calls()).toEqual(["createVpc"]);
  expect(stack.resource("Vpc/net").inputs).toMatchObject(net);
  const elsewhere = () => {
    const provider = new native.Provider("prod", { apiKey: "k", projectId: "p", baseUrl: "https://production.example/v1" });
    return void new native.Vpc("other", net, { provider });
  };
  await using other = await createTestStack({ program: elsewhere });
  await expect(other.up()).rejects.toThrow(/production\\.example.*; allowed: only "http:\\/\\/127\\.0\\.0\\.1/);
});
`,
  throwing: `import { expect, test } from "vitest";
import { createTestStack } from "pulumi-dbcloud/testing";
import { meet } from "./meeting.js";
test("an error of the program fails its run, and is not reported a second time for the file", async () => {
  await using stack = await createTestStack({ program: () => { throw new Error("boom"); } });
  await meet("throwing");
  await expect(stack.preview()).rejects.toThrow(/boom/);
});
`,
  project: `import { expect, test } from "vitest";
import { createTestStack } from "pulumi-dbcloud/testing";
import { meet } from "./meeting.js";
test("a project in a folder runs, and nothing is written to the folder", async () => {
  await using stack = await createTestStack({ workDir: "project", stack: "dev" });
  await meet("project");
  await stack.up();
  expect(stack.emulator.state().vpcs).toMatchObject([{ name: "net-dev" }]);
  const preview = await stack.preview();
  expect([preview.summary, preview.calls()]).toEqual([{ same: 2 }, []]);
});
`,
};

const throwing = `import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestStack } from "pulumi-dbcloud/testing";
test("under node:test, an error of the program fails its run alone", async () => {
  await using stack = await createTestStack({ program: async () => { throw new Error("boom"); } });
  await assert.rejects(stack.preview(), /boom/);
});
`;

const project = {
  "Pulumi.yaml": "name: net\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.js\n",
  "index.js": `import { Vpc } from "pulumi-dbcloud";\nnew Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });\n`,
};

test("the suites of the example, and files with open stacks at the same time, pass and leave nothing behind", async () => {
  const temporary = path.join(outside, "temporary");
  const MEETING = path.join(outside, "meeting");
  mkdirSync(MEETING);
  const environment = { ...userEnvironment(temporary), MEETING };
  writeFileSync(path.join(cwd, "test", "meeting.js"), meeting);
  const files: [string, string][] = Object.entries(suites).slice(0, filesAtOnce);
  for (let own = 0; files.length < filesAtOnce; own += 1)
    files.push([`own-${own}`, tiny.replaceAll("NAME", `own-${own}`)]);
  for (const [name, text] of files) writeFileSync(path.join(cwd, "test", `${name}.vitest.ts`), text);
  writeFileSync(path.join(cwd, "test", "throwing.node.js"), throwing);
  mkdirSync(path.join(cwd, "project"));
  for (const [name, text] of Object.entries(project)) writeFileSync(path.join(cwd, "project", name), text);
  const before = filesIn(cwd);
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const run = (...args: string[]) => succeed(runCommand(process.execPath, args, { cwd, environment }));
  // One more than those that meet, for the suite of the example; else vitest takes as many at a time as there are cores.
  const workers = `--maxWorkers=${filesAtOnce + 1}`;
  const nodes = ["test/stack.node.ts", "test/throwing.node.js"];
  const [vitests, node] = await Promise.all([run(vitest, "run", workers), run("--test", ...nodes)]);
  expect(vitests.text).toMatch(new RegExp(`Tests\\s+${filesAtOnce + 5} passed`));
  expect(readdirSync(MEETING)).toHaveLength(filesAtOnce);
  expect(vitests.text).not.toMatch(/Previewing|Updating|Resources:/);
  expect(node.text).toMatch(/pass 4\n/);
  expect(filesIn(cwd)).toEqual(before);
  expect(readdirSync(temporary).filter((name) => name.startsWith("dbcloud-test-"))).toEqual([]);
});

/** Without the packages. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => !file.startsWith("node_modules"));

const endless = `import { Service } from "pulumi-dbcloud";
import { createTestStack } from "pulumi-dbcloud/testing";
const stack = await createTestStack({
  program: () => void new Service("orders", { regionCode: "us-east-1" }),
  emulator: { timings: { create: Infinity } },
});
stack.emulator.watchRequests(({ operation }) => operation === "getService" && console.log("waiting in", stack.folder));
await stack.up();
`;

test("a test that is killed with -9 leaves no process and no folder", async () => {
  const temporary = path.join(outside, "killed");
  writeFileSync(path.join(cwd, "endless.mjs"), endless);
  const run = startCli(process.execPath, ["endless.mjs"], { cwd, environment: userEnvironment(temporary) });
  try {
    let early: Outcome | undefined;
    void run.outcome.then((outcome) => (early = outcome));
    await until(() => run.printed().includes("waiting in") || early !== undefined);
    expect(early?.text).toBeUndefined();
    const below = run.below();
    expect(run.providers()).toHaveLength(1);
    expect(readdirSync(temporary)).toContain(path.basename(run.printed().trim().split(" ").at(-1) ?? ""));
    run.kill("the CLI");
    await until(() => below.every((pid) => !isAlive(pid)));
    await until(() => !readdirSync(temporary).some((name) => name.startsWith("dbcloud-test-")));
  } finally {
    await run.sweep();
  }
  expect(readdirSync(temporary).filter((name) => !/^(automation-logs|node-compile-cache|\.)/.test(name))).toEqual([]);
});

test("without the Pulumi CLI the error says what to do, and no folder is left behind", async () => {
  const ask = (options: string): Promise<Outcome> => {
    const source = `import { createTestStack } from "pulumi-dbcloud/testing"; await createTestStack(${options});`;
    const environment = {
      ...userEnvironment(path.join(outside, "none")),
      DBCLOUD_PULUMI_ROOT: undefined,
      PATH: "/nowhere",
    };
    return runCommand(process.execPath, ["--input-type=module", "--eval", source], { cwd, environment });
  };
  const { text } = await fail(ask("{ program: () => undefined }"));
  expect(text).toMatch(
    /a test stack runs the Pulumi CLI, and there is none on PATH\. Install it \(https.*DBCLOUD_PULUMI_ROOT/,
  );
  expect((await fail(ask("{ program: () => undefined, pulumiRoot: '/x' }"))).text).toContain("there is none in /x/bin");
  expect(readdirSync(path.join(outside, "none")).filter((name) => name.startsWith("dbcloud-test-"))).toEqual([]);
});
