// The packed package, in a folder outside the repository: what is in it, what its entries share, what a stack trace says,
// and that programs compile against its types with the usual settings of TypeScript, the oldest included.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderWithPackedPackage } from "../support/cli/packed";
import { textLike } from "../support/matchers";
import { repeats } from "../support/repeats";

const run = promisify(execFile);
const root = path.resolve(__dirname, "../..");

let outside: string;
let cwd: string;

beforeAll(async () => {
  outside = mkdtempSync(path.join(tmpdir(), "dbcloud-package-"));
  cwd = await folderWithPackedPackage(outside, "program");
  symlinkSync(path.join(root, "node_modules", "@types"), path.join(cwd, "node_modules", "@types"));
});
afterAll(() => rmSync(outside, { recursive: true, force: true }));

const installed = (...names: string[]): string => path.join(cwd, "node_modules", "pulumi-dbcloud", ...names);

async function node(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, args, { cwd });
  return stdout.trim();
}

test("a bundler keeps what is set when the package is loaded", () => {
  const { sideEffects } = JSON.parse(readFileSync(installed("package.json"), "utf8")) as { sideEffects: string[] };
  const files = readdirSync(installed("dist"), { recursive: true, encoding: "utf8" });
  const setting = files.filter((file) => {
    // The plugin is a program, and no bundler takes it apart.
    const isLoaded = file.endsWith(".js") && !file.startsWith("plugin");
    return isLoaded && readFileSync(installed("dist", file), "utf8").includes("use_local_subchannel_pool");
  });
  expect(setting).toHaveLength(1);
  const patterns = sideEffects.map((one) => path.posix.join("dist", path.posix.relative("dist", one)));
  expect(setting.every((file) => patterns.some((one) => path.matchesGlob(`dist/${file}`, one)))).toBe(true);
});

test("the package is small, and has what the README links to", () => {
  const tarball = readdirSync(outside).find((name) => name.endsWith(".tgz")) ?? "";
  expect(statSync(path.join(outside, tarball)).size).toBeLessThan(900_000);
  const files = readdirSync(installed(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const own = files.filter(({ parentPath }) => !parentPath.startsWith(installed("examples")));
  expect(own.length).toBeLessThanOrEqual(65);
  // All that a report or the console draws with, and only once.
  expect(gzipSync(readFileSync(installed("dist", "page", "page.html"))).length).toBeLessThan(70_000);
  const readme = readFileSync(installed("README.md"), "utf8");
  const linked = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g), ...readme.matchAll(/`(examples\/[^`]+)`/g)];
  expect(linked.length).toBeGreaterThan(5);
  expect(linked.map(([, target = ""]) => target).filter((target) => !existsSync(installed(target)))).toEqual([]);
});

test("an ES module can import every name of every entry that CommonJS code gets", async () => {
  const entries = ["", "/client", "/emulator", "/native", "/provider", "/testing"].map(
    (entry) => `pulumi-dbcloud${entry}`,
  );
  const source = `import { createRequire } from "node:module";
    for (const entry of ${JSON.stringify(entries)}) {
      const names = Object.keys(createRequire(import.meta.url)(entry));
      const missing = names.filter((name) => !(name in imported[entry]));
      console.log(entry, names.length > 0, missing.join());
    }`;
  const imports = entries.map((entry, index) => `import * as entry${index} from "${entry}";`).join("\n");
  const table = `const imported = {${entries.map((entry, index) => `"${entry}": entry${index}`).join()}};`;
  const text = await node("--input-type=module", "--eval", `${imports}\n${table}\n${source}`);
  expect(text.split("\n").map((line) => line.trim())).toEqual(entries.map((entry) => `${entry} true`));
});

const classes = ["Peering", "Provider", "ReadReplicaSet", "Service", "Vpc"];
const lookUps = ["Peering", "Peerings", "Projects", "ReadReplicaSets", "Service", "Services", "Vpc", "Vpcs"];
const everyName = [...classes, ...lookUps.flatMap((name) => [`get${name}`, `get${name}Output`]), "serviceLogs"];

test("a program gets its classes and functions, and loads no HTTP client, no schemas and no handlers with them", async () => {
  const text = await node(
    "--eval",
    `const names = Object.entries(require("pulumi-dbcloud")).map(([name, value]) => \`\${typeof value} \${name}\`);
     console.log(JSON.stringify([names, Object.keys(require.cache)]));`,
  );
  const [names, files] = JSON.parse(text) as [string[], string[]];
  expect(names.toSorted()).toEqual(everyName.map((name) => `function ${name}`).toSorted());
  expect(files).toContainEqual(textLike(/dist\/provider\/index\.js$/));
  const heavy = /node_modules\/(?:undici|zod)\/|dist\/(?:provider\/(?:host|client)|chunks\/provider)\.js$/;
  expect(files.filter((file) => heavy.test(file))).toEqual([]);
});

test("entries share their modules: what one throws is an instance of the class that another exports", async () => {
  const text = await node(
    "--eval",
    `const { ConfigError } = require("pulumi-dbcloud/client");
     require("pulumi-dbcloud").getProjects().catch(({ cause }) => console.log(cause instanceof ConfigError));`,
  );
  expect(text).toBe("true");
});

test("the plugin starts by itself, without the packages of a program, and writes its port", async () => {
  const folder = path.join(outside, "plugin");
  cpSync(installed("dist", "plugin"), folder, { recursive: true });
  const plugin = spawn(path.join(folder, "pulumi-resource-dbcloud"), {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(plugin.stdout, "data")) as [Buffer];
  expect(Number(port.toString())).toBeGreaterThan(0);
  plugin.kill("SIGINT");
  expect(await once(plugin, "exit")).toEqual([0, null]);
});

test("a stack trace names the function, and with source maps the line of the source", async () => {
  const fails = `try { require("pulumi-dbcloud/client").fromEnvironment({}); } catch (error) { console.log(error.stack); }`;
  const plain = await node("--eval", fails);
  expect(plain).toMatch(/at .*fromEnvironment \(.*pulumi-dbcloud\/dist\/chunks\/provider\.js:\d+:\d+\)/);
  const mapped = await node("--enable-source-maps", "--eval", fails);
  const [, line] = /at .*fromEnvironment.*pulumi-dbcloud\/provider\/client\.ts:(\d+):\d+\)/.exec(mapped) ?? [];
  const source = readFileSync(path.join(root, "provider", "client.ts"), "utf8").split("\n");
  expect(source[Number(line) - 1]).toContain('required("baseUrl"');
});

const program = `import * as pulumi from "@pulumi/pulumi";
import { getServiceOutput, Provider, Service, ServiceArgs, Vpc } from "pulumi-dbcloud";

const args: ServiceArgs = { regionCode: "us-east-1", cpuMillis: 1000, memoryGbs: 4, environment: "PROD" };
const service = new Service("orders", args, { provider: new Provider("billing", {}) });
export const url: pulumi.Output<string> = service.connectionString({ via: "pooler" });
export const vpcId: pulumi.Output<string> = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" }).vpcId;
export const found: pulumi.Output<string> = getServiceOutput({ serviceId: service.serviceId }).apply(({ name }) => name);
`;

const everything = `${program}
import { ApiError, Client, createClient } from "pulumi-dbcloud/client";
import { createEmulator, Emulator, Snapshot } from "pulumi-dbcloud/emulator";
import * as native from "pulumi-dbcloud/native";
import { provider } from "pulumi-dbcloud/provider";
import { createTestStack, TestStack } from "pulumi-dbcloud/testing";

export const client: Client = createClient({ baseUrl: "https://control.example/v1", apiKey: "k" });
const copy: Service = new native.Service("copy", args, { provider: new native.Provider("other", {}) });
export const name: pulumi.Output<string> = copy.name;
export const handlers: pulumi.dynamic.ResourceProvider = provider("service");
export async function use(): Promise<string> {
  const emulator: Emulator = await createEmulator({ timings: { create: 10 } });
  const kept: Snapshot = emulator.snapshot();
  emulator.restore(kept);
  const stack: TestStack = await createTestStack({ program: () => undefined });
  const { outputs } = await stack.up();
  try {
    return (await client.projects.list()).map(({ id }) => id).join() + String(outputs["url"]);
  } catch (error) {
    return error instanceof ApiError ? String(error.status) : stack.folder;
  }
}
`;

const newer = { module: "nodenext", moduleResolution: "nodenext" };
const bundled = { module: "esnext", moduleResolution: "bundler" };
const classic = { module: "commonjs", moduleResolution: "node", esModuleInterop: false };
const strictest = {
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
};

// The oldest one whose own library the types of Node.js still compile with is 5.2. Classic resolution is deprecated in 6,
// and gone in 7.
const compilers: [name: string, compiler: string, options: object][] = [
  ["classic, TypeScript 5.2", "typescript-5.2", classic],
  ["nodenext and all that is strict, TypeScript 7", "typescript-7", { ...newer, ...strictest }],
  ["classic, TypeScript 6", "typescript", { ...classic, ignoreDeprecations: "6.0" }],
  ["nodenext and all that is strict, TypeScript 6", "typescript", { ...newer, ...strictest }],
  ["bundler, TypeScript 7", "typescript-7", bundled],
];
test.each(repeats(compilers.slice(1, 2), compilers))(
  "a program compiles with the types of the package: %s",
  async (name, compiler, options) => {
    const compilerOptions = { target: "es2020", strict: true, skipLibCheck: false, types: ["node"], noEmit: true };
    const project = `${name.replaceAll(/\W+/g, "-")}.json`;
    writeFileSync(path.join(cwd, "everything.ts"), everything);
    const config = { compilerOptions: { ...compilerOptions, ...options }, files: ["everything.ts"] };
    writeFileSync(path.join(cwd, project), JSON.stringify(config));
    const tsc = path.join(root, "node_modules", compiler, "bin", "tsc");
    const said = await node(tsc, "-p", project).catch((error: { stdout: string }) => error.stdout);
    expect(said).toBe("");
  },
  600_000,
);

test("a program compiles with the TypeScript that Pulumi brings for programs that have none", () => {
  const compiler = "@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js";
  const old = createRequire(path.join(root, "package.json"))(compiler) as typeof ts;
  const file = path.join(cwd, "index.ts");
  writeFileSync(file, program);
  // Pulumi's own settings. As ts-node does, only the program's file is looked at.
  const options = { module: 1, moduleResolution: 2, target: 7, strict: true, noEmit: true, types: [] };
  const compiled = old.createProgram([file], options);
  const source = compiled.getSourceFile(file);
  const found = [...compiled.getSyntacticDiagnostics(source), ...compiled.getSemanticDiagnostics(source)];
  expect(found.map(({ messageText }) => old.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  const types = compiled.getSourceFiles().filter(({ fileName }) => fileName.includes("pulumi-dbcloud/dist"));
  expect(types.length).toBeGreaterThan(0);
  expect(types.flatMap((one) => [...compiled.getSyntacticDiagnostics(one)])).toEqual([]);
});

test("the public types mention no validator", () => {
  const types = readdirSync(installed("dist"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".d.ts"),
  );
  expect(types.length).toBeGreaterThanOrEqual(5);
  expect(types.filter((file) => /\bzod\b/.test(readFileSync(installed("dist", file), "utf8")))).toEqual([]);
});
