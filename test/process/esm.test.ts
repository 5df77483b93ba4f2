// The built package as an ES module sees it: what Node's lexer finds in the CommonJS files, and what loading them costs.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

const root = path.resolve(__dirname, "../..");
const entry = path.join(root, "dist/provider/index.js");

beforeAll(() => {
  if (!existsSync(entry)) throw new Error("dist is missing: run `npm run build` first");
});

async function runModule(source: string): Promise<unknown> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", source], { cwd: root });
  return JSON.parse(stdout);
}

const classes = ["Peering", "Provider", "ReadReplicaSet", "Service", "Vpc"];
const lookUps = ["Peering", "Peerings", "Projects", "ReadReplicaSets", "Service", "Services", "Vpc", "Vpcs"];
const everyName = [...classes, ...lookUps.flatMap((name) => [`get${name}`, `get${name}Output`]), "serviceLogs"];

test("an ES module imports every class and function by name", async () => {
  const kinds = await runModule(`
    import { ${everyName.join(", ")} } from "pulumi-dbcloud";
    console.log(JSON.stringify([${everyName.join(", ")}].map((value) => typeof value)));
  `);
  expect(kinds).toEqual(everyName.map(() => "function"));
});

test("an ES module can import every name that CommonJS code gets", async () => {
  const names = await runModule(`
    import * as module from "pulumi-dbcloud";
    import { createRequire } from "node:module";
    const required = createRequire(import.meta.url)("pulumi-dbcloud");
    console.log(JSON.stringify({ imported: Object.keys(module), required: Object.keys(required) }));
  `);
  const { imported, required } = names as { imported: string[]; required: string[] };
  expect(required.toSorted()).toEqual(everyName.toSorted());
  expect(imported).toEqual(expect.arrayContaining(required));
});

test("importing the classes loads no HTTP client, no schemas and no handlers", async () => {
  const loaded = await runModule(`
    import "pulumi-dbcloud";
    import { createRequire } from "node:module";
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));
  `);
  const files = (loaded as string[]).map((file) => file.replaceAll("\\", "/"));
  expect(files.some((file) => file.endsWith("dist/provider/index.js"))).toBe(true);
  const heavy = /node_modules\/(?:undici|zod)\/|dist\/(?:provider\/(?:host|client)|chunks\/provider)\.js$/;
  expect(files.filter((file) => heavy.test(file))).toEqual([]);
});
