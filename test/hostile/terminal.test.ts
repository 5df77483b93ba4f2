// A server whose every text is meant for the terminal of whoever reads it, met by every command and function.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { afterEach, expect, test, vi } from "vitest";
import { getService, getServices, getVpc, serviceLogs } from "../../provider/index";
import { line, useCommandLine } from "../cli/program";
import { collect, startProgram } from "../pulumi/program";
import { failureOf } from "../support/client";
import { EVIL, FORGED, steering } from "./texts";

useCommandLine({
  projects: [
    { id: "proj000001", name: EVIL },
    { id: "proj000002", name: EVIL },
  ],
  callers: [{ token: "key-of-a-user", kind: "oauth" }],
});

afterEach(() => vi.unstubAllEnvs());

const user = { DBCLOUD_API_KEY: "key-of-a-user", DBCLOUD_PROJECT_ID: "", PATH: "" };
const refusal = { kind: "status", status: 403, body: { code: EVIL, message: EVIL } } as const;

function hostileProject(): { serviceId: string } {
  const { mutate } = line.emulator;
  const vpc = mutate.createVpc({ name: EVIL });
  mutate.createPeering(vpc.id, { status: "failed", errorMessage: EVIL, peerVpcId: EVIL });
  const orders = mutate.createService({ name: EVIL, vpcId: vpc.id });
  mutate.createService({ name: EVIL, wire: { status: EVIL, service_type: EVIL, metadata: { environment: EVIL } } });
  mutate.createReplicaSet(orders.id, { name: EVIL });
  mutate.logs(orders.id, [{ message: EVIL, severity: "LOG" }]);
  return { serviceId: orders.id };
}

test("doctor", async () => {
  const several = await line.run(["doctor"], { environment: user });
  expect(several.out).toContain("the key sees 2 projects");
  const one = await line.run(["doctor"], { environment: { PATH: "" } });
  expect(one.out).toContain('project proj000001 ("x\\u001b]0;owned');
  line.emulator.faults.add({ ...refusal, operation: "getProjects", times: Infinity });
  const refused = await line.run(["doctor"], { environment: { PATH: "" } });
  for (const { out, error } of [several, one, refused]) expect(steering(out + error)).toEqual([]);
});

test("doctor, with settings of a repository that forge its lines", async () => {
  const installed = path.join(line.folder, "node_modules/pulumi-dbcloud");
  mkdirSync(path.join(installed, "dist/provider"), { recursive: true });
  writeFileSync(path.join(installed, "dist/provider/host.js"), "");
  writeFileSync(path.join(installed, "package.json"), JSON.stringify({ version: `9.9.9\n${FORGED}` }));
  const config = JSON.stringify({ "dbcloud:projectId": { value: `p\n${FORGED}`, secret: false } });
  writeFileSync(path.join(line.folder, "pulumi"), `#!/bin/sh\ncat <<'END'\n${config}\nEND\n`, { mode: 0o755 });
  const { out } = await line.run(["doctor"], { environment: { DBCLOUD_PROJECT_ID: "", PATH: `${line.folder}:/bin` } });
  expect(out).toContain(`projectId: p\\n${FORGED} (this stack's configuration)`);
  expect(out).toContain(`pulumi-dbcloud 9.9.9\\n${FORGED} in `);
  expect(steering(out)).toEqual([]);
});

test("import, its document and its program", async () => {
  hostileProject();
  const many = await line.run(["import", "--all"], { environment: user });
  expect(many.error).toContain("which project?");
  const ended = await line.run(["import", "--all", "--out", "import.json", "--program", "index.ts"]);
  expect(ended.code).toBe(0);
  expect(ended.error).toMatch(/left out, because it has failed: a peering with x\\u001b/);
  const printed = await line.run(["import", "--all"]);
  const [document = "", program = ""] = ["import.json", "index.ts"].map((file) =>
    readFileSync(path.join(line.folder, file), "utf8"),
  );
  expect(printed.out).toBe(document);
  for (const text of [many.error, ended.error, printed.error, document, program]) expect(steering(text)).toEqual([]);
  // The names are what they were.
  const { resources } = JSON.parse(document) as { resources: { inputs: { name?: string } }[] };
  expect(resources.map(({ inputs }) => inputs.name)).toEqual(Array.from({ length: 4 }, () => EVIL));
  expect(literalsIn(program)).toContain(EVIL);
  line.emulator.faults.add({ ...refusal, operation: "listServices", times: Infinity });
  const refused = await line.run(["import", "--all"]);
  expect(refused.error).toContain("403");
  expect(steering(refused.error)).toEqual([]);
});

test("logs: an entry of several lines is readable, and cannot imitate another entry", async () => {
  const { serviceId } = hostileProject();
  const ended = await line.run(["logs", serviceId, "--limit", "1"]);
  expect(ended.out).toMatch(/^\S+ LOG x\\u001b/);
  expect(ended.out.split("\n")[1]).toMatch(new RegExp(`^ {4}${FORGED}`));
  const json = await line.run(["logs", serviceId, "--limit", "1", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ message: EVIL });
  const duplicates = await line.run(["logs", EVIL]);
  expect(duplicates.error).toContain("2 services named x\\u001b");
  const missing = await line.run(["logs", "absent"]);
  expect(missing.error).toContain("there is no service absent");
  line.emulator.faults.add({ ...refusal, operation: "getLogs", times: Infinity });
  const refused = await line.run(["logs", serviceId]);
  expect(refused.error).toContain("403");
  for (const { out, error } of [ended, json, duplicates, missing, refused]) expect(steering(out + error)).toEqual([]);
});

test("with DBCLOUD_DEBUG=1", async () => {
  line.emulator.faults.add({ ...refusal, operation: "listServices", times: Infinity });
  const ended = await line.run(["logs", EVIL], { environment: { DBCLOUD_DEBUG: "1" } });
  expect(ended.error).toContain("dbcloud GET");
  expect(steering(ended.error)).toEqual([]);
});

test("functions of a program", async () => {
  const { serviceId } = hostileProject();
  vi.stubEnv("DBCLOUD_API_KEY", line.emulator.apiKey);
  vi.stubEnv("DBCLOUD_BASE_URL", line.emulator.baseUrl);
  await startProgram({ asksApi: true });
  const failures = [await failureOf(getService({ name: EVIL })), await failureOf(getVpc({ name: `not ${EVIL}` }))];
  // What a program is given is the text itself.
  expect((await collect(serviceLogs({ serviceId, limit: 1 }))).map(({ message }) => message)).toEqual([EVIL]);
  line.emulator.faults.add({ ...refusal, times: Infinity });
  failures.push(await failureOf(getServices()), await failureOf(collect(serviceLogs({ serviceId }))));
  vi.stubEnv("DBCLOUD_API_KEY", "key-of-a-user");
  line.emulator.faults.clear();
  await startProgram({ asksApi: true });
  failures.push(await failureOf(getServices()));
  expect(failures.join("\n")).toMatch(/2 of service[\s\S]*no VPC[\s\S]*403[\s\S]*403[\s\S]*which project/);
  for (const failure of failures) expect(steering(String(failure))).toEqual([]);
});

const each = (secret: string, write: (code: number) => string): string =>
  Array.from(secret, (char) => write(char.charCodeAt(0))).join("");

const writings: [string, (secret: string) => string][] = [
  ["as it is", (secret) => secret],
  ["in small percent codes", (secret) => each(secret, (code) => `%${code.toString(16)}`)],
  ["in JSON escapes", (secret) => each(secret, (code) => `\\u00${code.toString(16)}`)],
  ["in base64 behind a user", (secret) => Buffer.from(`admin:${secret}`).toString("base64")],
  ["in HTML entities", (secret) => each(secret, (code) => `&#${code};`)],
];

test.each(writings)("a server that quotes the key %s is not quoted, by any command or function", async (_, write) => {
  const { apiKey, baseUrl } = line.emulator;
  const { serviceId } = hostileProject();
  const quoted = write(apiKey);
  line.emulator.faults.add({ kind: "status", status: 403, body: { message: `got ${quoted}` }, times: Infinity });
  const debug = { PATH: "", DBCLOUD_DEBUG: "1" };
  const said: string[] = [];
  for (const args of [["doctor"], ["import", "--all"], ["import", `service:${serviceId}`], ["logs", serviceId]]) {
    const { out, error } = await line.run(args, { environment: debug });
    said.push(out + error);
  }
  vi.stubEnv("DBCLOUD_API_KEY", apiKey);
  vi.stubEnv("DBCLOUD_BASE_URL", baseUrl);
  await startProgram({ asksApi: true });
  for (const work of [
    getService({ serviceId }),
    getServices(),
    getVpc({ name: "x" }),
    collect(serviceLogs({ serviceId })),
  ]) {
    said.push(String(await failureOf(work)));
  }
  for (const text of said) {
    expect(text).toContain("403");
    expect(text).not.toContain(quoted);
    expect(text).not.toContain(apiKey);
  }
});

function literalsIn(program: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) found.push(node.text);
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile("index.ts", program, ts.ScriptTarget.Latest));
  return found;
}
