// A server whose every text is meant for the terminal of whoever reads it, met by every command and function.

import path from "node:path";
import ts from "typescript";
import { expect, test, vi } from "vitest";
import { getService, getServices, getVpc, serviceLogs } from "../../provider/index";
import { line, useCommandLine, writePulumi } from "../cli/program";
import { collect, startProgram } from "../pulumi/program";
import { failureOf } from "../support/client";
import { writeFiles } from "../support/folder";
import { EVIL, FORGED, steering } from "./texts";

useCommandLine({
  projects: [
    { id: "proj000001", name: EVIL },
    { id: "proj000002", name: EVIL },
  ],
  callers: [{ token: "key-of-a-user", kind: "oauth" }],
});

const user = { DBCLOUD_API_KEY: "key-of-a-user", DBCLOUD_PROJECT_ID: "", PATH: "" };
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
  expect(several.out).toContain("no project is selected");
  const one = await line.run(["doctor"], { environment: { PATH: "" } });
  expect(one.out).toContain('project proj000001 ("x\\u001b]0;owned');
  for (const { out, error } of [several, one]) expect(steering(out + error)).toEqual([]);
});

test("doctor, with settings of a repository that forge its lines", async () => {
  writeFiles(path.join(line.folder, "node_modules/pulumi-dbcloud"), {
    "package.json": JSON.stringify({ version: `9.9.9\n${FORGED}` }),
  });
  writePulumi(line.folder, { dev: {} }, { projectId: `p\n${FORGED}` });
  const { out } = await line.run(["doctor"], { environment: { DBCLOUD_PROJECT_ID: "", PATH: line.folder } });
  expect(out).toContain(`projectId: p\\n${FORGED} (this stack's configuration)`);
  expect(out).toContain(`pulumi-dbcloud 9.9.9\\n${FORGED} in `);
  expect(steering(out)).toEqual([]);
});

test("import, its document and its program", async () => {
  hostileProject();
  const many = await line.run(["import", "--all"], { environment: user });
  expect(many.error).toContain("no project is set");
  const ended = await line.run(["import", "--all", "--out", "import.json", "--program", "index.ts"]);
  expect(ended.code).toBe(0);
  expect(ended.error).toMatch(/left out, because it has failed: a peering with x\\u001b/);
  const printed = await line.run(["import", "--all"]);
  const [document, program] = [line.read("import.json"), line.read("index.ts")];
  expect(printed.out).toBe(document);
  for (const text of [many.error, ended.error, printed.error, document, program]) expect(steering(text)).toEqual([]);
  // The names are what they were.
  const { resources } = JSON.parse(document) as { resources: { inputs: { name?: string } }[] };
  expect(resources.map(({ inputs }) => inputs.name)).toEqual(Array.from({ length: 4 }, () => EVIL));
  expect(literalsIn(program)).toContain(EVIL);
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
  for (const { out, error } of [ended, json, duplicates, missing]) expect(steering(out + error)).toEqual([]);
});

/** What the functions of a program that has this key say when they fail. */
async function failuresOf(key: string, ...asks: (() => Promise<unknown>)[]): Promise<string[]> {
  vi.stubEnv("DBCLOUD_API_KEY", key);
  vi.stubEnv("DBCLOUD_BASE_URL", line.emulator.baseUrl);
  await startProgram({ asksApi: true });
  const failures: string[] = [];
  for (const ask of asks) failures.push(String(await failureOf(ask())));
  return failures;
}

test("functions of a program", async () => {
  const { serviceId } = hostileProject();
  const absent = [() => getService({ name: EVIL }), () => getVpc({ name: `not ${EVIL}` })];
  const failures = await failuresOf(line.emulator.apiKey, ...absent);
  // What a program is given is the text itself.
  expect((await collect(serviceLogs({ serviceId, limit: 1 }))).map(({ message }) => message)).toEqual([EVIL]);
  failures.push(...(await failuresOf("key-of-a-user", () => getServices())));
  expect(failures.join("\n")).toMatch(/2 of service[\s\S]*no VPC[\s\S]*no project is set/);
  for (const failure of failures) expect(steering(failure)).toEqual([]);
});

const refusals: [string, (secret: string) => string][] = [
  ["with what steers a terminal", () => EVIL],
  ["with the key as it is", (secret) => secret],
  ["with the key in JSON", (secret) => JSON.stringify({ secret })],
  ["with the key in base64 behind a user", (secret) => Buffer.from(`admin:${secret}`).toString("base64")],
];

test.each(refusals)("a refusal %s is not quoted, by any command or function", async (_, write) => {
  const { apiKey } = line.emulator;
  const { serviceId } = hostileProject();
  const quoted = write(apiKey);
  const body = { code: quoted, message: `got ${quoted}` };
  line.emulator.faults.add({ kind: "status", status: 403, body, times: Infinity });
  const said: string[] = [];
  for (const args of [["doctor"], ["import", "--all"], ["import", `service:${serviceId}`], ["logs", serviceId]]) {
    const { out, error } = await line.run(args, { environment: { PATH: "", DBCLOUD_DEBUG: "1" } });
    expect(error).toContain("dbcloud GET");
    said.push(out + error);
  }
  const [one, logs] = [() => getService({ serviceId }), () => collect(serviceLogs({ serviceId }))];
  said.push(
    ...(await failuresOf(
      apiKey,
      one,
      () => getServices(),
      () => getVpc({ name: "x" }),
      logs,
    )),
  );
  for (const text of said) {
    expect(text).toContain("403");
    for (const hidden of [quoted, apiKey]) expect(text).not.toContain(hidden);
    expect(steering(text)).toEqual([]);
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
