// A server whose every text is meant for the terminal, met by the handlers in the real provider process: what reaches the
// engine, on a row or as an error, steers nothing and forges no line.

import { afterEach, beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import { EVIL, steering } from "../hostile/texts";
import { type Engine, startEngine } from "./engine";
import { failureOf, type Provider, startProvider, type Values } from "./provider";

const line = 'exports.handler = () => require("pulumi-dbcloud/provider").provider("service");';
const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::orders";
const refusal = { kind: "status", body: { code: EVIL, message: EVIL } } as const;

let emulator: Emulator;
let engine: Engine;
let provider: Provider;

beforeEach(async () => {
  emulator = await createEmulator({
    seed: 1,
    timings: { create: 400, delete: 400 },
    projects: [
      { id: "proj000001", name: EVIL },
      { id: "proj000002", name: EVIL },
    ],
    callers: [{ token: "key-of-a-user", kind: "oauth" }],
  });
  engine = await startEngine();
  provider = await startProvider({ engine });
});

afterEach(async () => {
  await provider.end();
  engine.kill();
  await emulator.close();
});

const configure = (apiKey: string): Promise<void> =>
  provider.configure({
    "dbcloud:apiKey": apiKey,
    "dbcloud:baseUrl": emulator.baseUrl,
    "dbcloud:pollInterval": "5ms",
  });

async function checked(args: Values): Promise<Values> {
  const given = { __provider: line, __defaultName: "orders-dev", __urn: urn, ...args };
  const { inputs, failures } = await provider.check({}, given);
  expect(failures).toEqual([]);
  return inputs;
}

/** Everything that the engine was told, in rows and in errors. */
function steered(...texts: string[]): string[] {
  expect(provider.stderr()).toBe("");
  return [...engine.lines.map(({ text }) => text), ...texts].flatMap(steering);
}

test("names, statuses and refusals on rows and in errors", async () => {
  await configure(emulator.apiKey);
  const inputs = await checked({ name: EVIL, poolerEnabled: true });
  emulator.faults.add({ ...refusal, status: 403, operation: "enablePooler", times: 1 });
  const half = await failureOf(provider.create(inputs));
  expect(half.kept?.reasons.join()).toContain("403 x ]0;owned");
  emulator.mutate.createService({ name: "duplicate", wire: { status: EVIL } });
  const duplicate = await failureOf(provider.create(await checked({ name: "duplicate" })));
  expect(duplicate.message).toContain("there is already service");

  const [service] = emulator.state().services;
  const id = service?.id ?? "";
  const olds = { ...half.kept?.properties, initialPassword: service?.initialPassword };
  const { outs } = await provider.update(id, olds, inputs);
  // A status that no table knows, while the delete waits; the server is busy first.
  emulator.faults.add({ ...refusal, status: 409, operation: "deleteService", times: 3 });
  await provider.delete(id, { ...outs, initialPassword: service?.initialPassword });
  const said = engine.lines.map(({ text }) => text).join("\n");
  expect(said).toMatch(/createService: x\\u001b/);
  expect(steered(half.message, ...(half.kept?.reasons ?? []), duplicate.message)).toEqual([]);
});

test("the status of a failed service, and the projects to choose from", async () => {
  await configure("key-of-a-user");
  const undecided = await failureOf(provider.create(await checked({ name: "orders" })));
  expect(undecided.message).toContain("which project?");
  const { id } = emulator.mutate.createService({ name: EVIL, wire: { status: EVIL } });
  const state = { __provider: line, projectId: "proj000001", __urn: urn };
  const read = await provider.read(id, state);
  expect(read.props["name"]).toBe(EVIL);
  expect(steering(String(read.props["status"]))).toEqual([]);
  emulator.faults.add({ ...refusal, status: 403, times: Infinity });
  const refused = await failureOf(provider.read(id, state));
  expect(refused.message).toContain("403");
  expect(steered(undecided.message, refused.message)).toEqual([]);
});

test("a password that only the state has, quoted by the server", async () => {
  await configure(emulator.apiKey);
  const { id } = emulator.mutate.createService({ name: "orders" });
  const passwords = { password: "correct horse battery", initialPassword: "staple-of-the-first-day" };
  const state = { __provider: line, __urn: urn, projectId: "proj000001", name: "orders", ...passwords };
  const message = `the master user has ${Object.values(passwords).join(" or ")}`;
  emulator.faults.add({ kind: "status", status: 403, body: { message }, times: Infinity });
  const failures = [
    await failureOf(provider.read(id, state)),
    await failureOf(provider.delete(id, state)),
    await failureOf(provider.update(id, state, { ...state, password: "another one", poolerEnabled: true })),
  ];
  for (const failure of failures) {
    expect(failure.message + failure.kept?.reasons.join()).toContain("the master user has [redacted] or [redacted]");
  }
});
