// What the compiler says of a program, as the editor shows it while it is written.

import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../support/folder";

const root = path.join(__dirname, "..", "..");

const GIVEN = `import * as pulumi from "@pulumi/pulumi";
import { Provider, Service, Vpc, type ForkFromArgs, type ForkStrategy } from "./provider/index";
import { Service as NativeService } from "./provider/native";
declare const config: pulumi.Config, parent: Service, strategy: ForkStrategy, options: pulumi.CustomResourceOptions;
declare const net: { cidr: string; regionCode: string };
`;

const accepted = [
  'new Service("db", { environment: config.require("tag"), regionCode: "us-east-1" });',
  'new Service("db", { environment: config.get("tag"), regionCode: config.get("region") });',
  'new Service("db", { cpuMillis: config.getNumber("cpu"), memoryGbs: config.requireNumber("memory") });',
  'new Service("db", { forkFrom: { serviceId: parent.serviceId, strategy: "NOW" } });',
  'new Service("db", { forkFrom: { serviceId: parent.serviceId, strategy: "PITR", targetTime: "2026-01-31T12:00:00Z" } });',
  'new Service("db", { forkFrom: { serviceId: parent.serviceId, strategy, targetTime: config.get("time") } });',
  'new Service("db", { forkFrom: pulumi.output({ serviceId: "a", strategy: "NOW" } as const) });',
  'const fork: ForkFromArgs = { serviceId: "a", strategy: "LAST_SNAPSHOT" }; new Service("db", { forkFrom: fork });',
  'new Service("db", {}, options);',
  'new NativeService("db", {}, { import: "abcdefghij" });',
  'db.connectionString({ sslMode: "verify-full" });',
];

const refused = [
  'new Service("db", pulumi.output({ cpuMillis: 500, memoryGbs: 2 }));',
  'new Service("db", Promise.resolve({ cpuMillis: 500, memoryGbs: 2 }));',
  'new NativeService("db", pulumi.output({ cpuMillis: 500 }));',
  'new Vpc("net", pulumi.output(net));',
  'new Provider("lab", pulumi.output({ projectId: "p1" }));',
  'new Service("db", { forkFrom: { serviceId: parent.serviceId, strategy: "PITR" } });',
  'new Service("db", { forkFrom: { serviceId: parent.serviceId, strategy } });',
  'new Service("db", {}, { import: "abcdefghij" });',
  'new Vpc("net", net, { import: "1" });',
  'db.connectionString({ sslMode: "verify" });',
];

test("a program with a mistake does not compile, and one without does", () => {
  const folder = mkdtempSync(path.join(root, "node_modules", "types-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lines = [...accepted, ...refused];
  const code = lines.map((line, index) => `{ const db = parent; ${line} }; // ${index}`).join("\n");
  const file = path.join(folder, "program.ts");
  const given = GIVEN.replaceAll('"./provider/', `"${path.join(root, "provider")}/`);
  writeFiles(folder, { "program.ts": `${given}${code}` });
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: ["node"],
  });
  const source = program.getSourceFile(file);
  const first = given.split("\n").length - 1;
  const wrong = program
    .getSemanticDiagnostics(source)
    .map(({ start = 0 }) => lines[(source?.getLineAndCharacterOfPosition(start).line ?? 0) - first]);
  expect([...new Set(wrong)]).toEqual(refused);
  const said = program
    .getSemanticDiagnostics(source)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  expect(said.filter((text) => text.includes("'targetTime' is missing"))).toHaveLength(2);
});
