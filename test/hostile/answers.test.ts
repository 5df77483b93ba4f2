// Answers that no honest server gives, at every place where the handlers depend on one: the worst that may come of them
// is an error of ours. Never a crash, a hang, another object than ours, a second one, or a key that got out.

import { afterEach, expect, test } from "vitest";
import type { EmulatorOptions, Fault, OperationName } from "../../emulator/index";
import { ProviderError } from "../../provider/domain/errors";
import {
  ALL,
  errorOf,
  KINDS,
  LARGE,
  MINUTE_MS,
  NET,
  open,
  PEER,
  refreshed,
  setOf,
  SMALL,
  useWorld,
  world,
} from "../core/scene";
import { type ScriptedServer, startScriptedServer } from "../support/scriptedServer";
import type { Kept } from "../support/world";

const ARGS = { name: "orders", regionCode: "us-east-1", ...SMALL };

let elsewhere: ScriptedServer;

useWorld({}, async () => {
  elsewhere = await startScriptedServer({ status: 200, json: [] });
});
afterEach(() => elsewhere.close());

/** A service as the contract has it, all of it somebody else's. */
const stranger = {
  service_id: "svcstrange",
  project_id: "proj999999",
  name: "orders",
  region_code: "us-east-1",
  created: "2026-01-01T00:00:00Z",
  service_type: "POSTGRES",
  status: "READY",
  resources: [],
};

const HOSTILE: Record<string, () => Fault> = {
  "no body": () => ({ kind: "garbage", body: "" }),
  null: () => ({ kind: "garbage", body: "null" }),
  "a number": () => ({ kind: "garbage", body: 42 }),
  "a text": () => ({ kind: "garbage", body: '"READY"' }),
  "an object without anything": () => ({ kind: "garbage", body: {} }),
  "an object that says it is a list": () => ({ kind: "garbage", body: { length: 1, 0: stranger } }),
  "a list in a list": () => ({ kind: "garbage", body: [[[]]] }),
  "wrong types everywhere": () => ({
    kind: "garbage",
    body: { service_id: 7, project_id: [], name: {}, status: false, resources: "none", created: 0 },
  }),
  "an id that is empty": () => ({ kind: "garbage", body: { ...stranger, service_id: "" } }),
  "an id that climbs": () => ({ kind: "garbage", body: { ...stranger, service_id: ".." } }),
  "an id that is half a letter": () => ({ kind: "garbage", body: `{"service_id":"\\ud800","project_id":"p"}` }),
  "a service of another project": () => ({ kind: "garbage", body: stranger }),
  "a prototype": () => ({ kind: "garbage", body: '{"__proto__":{"service_id":"x"},"constructor":1}' }),
  "numbers beyond all bounds": () => ({ kind: "garbage", body: `{"service_id":1e999,"resources":[{"spec":1e999}]}` }),
  "a deep nest": () => ({ kind: "garbage", body: `${"[".repeat(20_000)}${"]".repeat(20_000)}` }),
  "HTML that claims to be JSON": () => ({ kind: "garbage", body: "<html><body>It works!</body></html>" }),
  "binary rubbish": () => ({
    kind: "status",
    status: 200,
    body: "\u0000\u0001\u0002�",
    headers: { "Content-Type": "application/octet-stream" },
  }),
  "17 megabytes": () => ({ kind: "garbage", body: JSON.stringify(" ".repeat(17 * 1024 * 1024)) }),
  "half a body": () => ({ kind: "truncate" }),
  "a redirect elsewhere": () => ({ kind: "status", status: 302, headers: { Location: elsewhere.baseUrl } }),
  "a redirect that keeps the method": () => ({ kind: "status", status: 308, headers: { Location: elsewhere.baseUrl } }),
  "a teapot": () => ({ kind: "status", status: 418, body: "short and stout" }),
  "an error that quotes the key": () => ({ kind: "status", status: 500, body: { message: quoted() } }),
};

function quoted(): string {
  return `the header was Authorization: Bearer ${world.emulator.apiKey} and the key ${world.emulator.apiKey}`;
}

interface Outcome {
  kept?: Kept | undefined;
  error?: Error;
}

/** Some work whose next two answers of these operations are so, which must do no harm; what was asked for has happened. */
async function struck(
  fault: Fault,
  operations: readonly OperationName[],
  work: () => Promise<Kept | undefined | void>,
): Promise<Outcome> {
  const sinceMs = world.clock.now();
  const faults = operations.map((operation) =>
    world.emulator.faults.add({ ...fault, ...("commit" in fault ? {} : { commit: true }), operation, times: 2 }),
  );
  const result = await outcome(work);
  for (const one of faults) one.remove();
  expect(harms(result, sinceMs)).toEqual([]);
  return result;
}

async function outcome(work: () => Promise<Kept | undefined | void>): Promise<Outcome> {
  try {
    return { kept: (await work()) ?? undefined };
  } catch (error) {
    if (error instanceof Error) return { error };
    throw error;
  }
}

/** What must not be, whatever was answered. */
function harms({ kept, error }: Outcome, sinceMs: number): string[] {
  const text = [error?.message, error instanceof ProviderError ? error.hint : "", kept?.failed];
  const said = [...text, ...world.progress, ...world.warnings].join("\n");
  const secrets = [world.emulator.apiKey, ...world.emulator.state().services.map(({ password }) => password)];
  const made = world.emulator.ledger().filter(({ event, by }) => event === "created" && by === "api");
  const found = {
    [`a defect: ${error?.stack}`]: error !== undefined && !(error instanceof ProviderError),
    "a secret was told": secrets.some((secret) => said.includes(secret)),
    "somebody else was asked": elsewhere.asked.length > 0,
    "it took very long": world.clock.now() - sinceMs > 120 * MINUTE_MS,
    "there are two": made.length > 1,
    [`${kept?.id} is not ours`]: kept !== undefined && made[0] !== undefined && made[0].id !== kept.id,
  };
  return Object.keys(found).filter((harm) => found[harm]);
}

const hostile = Object.entries(HOSTILE);

test.each(hostile)("an answer to a create that is %s comes to one service or an error", async (_name, fault) => {
  const { kept } = await struck(fault(), ["createService"], () => world.service.create(ARGS));
  // The next run takes up what this one left, if it left anything.
  world.restart();
  const [left] = world.emulator.state().services;
  const next = kept ?? (await world.service.create({ ...ARGS, ...(left !== undefined && { adoptId: left.id }) }));
  expect(world.emulator.state().services.map(({ id }) => id)).toEqual([next.id]);
});

test("an answer to a create that names a service which existed before does not take that", async () => {
  const { id } = world.emulator.mutate.createService({ name: "theirs" });
  const body = { ...stranger, service_id: id, project_id: world.emulator.projectId };
  world.emulator.faults.add({ kind: "garbage", body, commit: true, operation: "createService" });
  const { message, hint } = await errorOf(world.service.create({ ...ARGS, poolerEnabled: true }));
  expect(message).toContain(
    `the id of one that was there before, ${id}); its outcome is unknown, and so far this is new:`,
  );
  expect(hint).not.toContain(id);
  expect(world.callsOn(id)).toEqual([]);
});

test("a first password that no connection string can hold does not lose the id of a half-made service", async () => {
  world.emulator.faults.add({
    kind: "members",
    members: { initial_password: { value: "half a letter \ud800" } },
    operation: "createService",
  });
  world.emulator.faults.add({ kind: "status", status: 400, operation: "enablePooler" });
  const { id, failed } = await world.service.create({ ...ARGS, poolerEnabled: true });
  expect(failed).toContain("is kept in the state");
  expect(world.emulator.state().services.map((service) => service.id)).toEqual([id]);
});

test.each(hostile)("an answer before a create that is %s creates nothing on a guess", async (_name, fault) => {
  const { id } = world.emulator.mutate.createService({ name: "orders" });
  const { error } = await struck(fault(), ["listServices"], () => world.service.create(ARGS));
  expect(error).toBeDefined();
  expect(world.calls()).toEqual([]);
  expect(world.emulator.state().services.map((service) => service.id)).toEqual([id]);
});

test("an answer to the read before a create a list with one id twice, or `.` as an id, creates only what has a free name", async () => {
  const { projectId } = world.emulator;
  const twice = { ...stranger, project_id: projectId, name: "another" };
  world.emulator.faults.add({ kind: "garbage", body: [twice, twice], operation: "listServices" });
  expect((await world.service.create(ARGS)).failed).toBeUndefined();
  world.restart();
  const climbing = [{ ...twice, service_id: "." }];
  world.emulator.faults.add({ kind: "garbage", body: climbing, operation: "listServices", times: 2 });
  // Its name can be read, and is taken; another one is free.
  const { message } = await errorOf(world.service.create({ ...ARGS, name: "another" }));
  expect(message).toContain("there is already a service that cannot be read");
  expect((await world.service.create({ ...ARGS, name: "next" })).failed).toBeUndefined();
});

test.each(hostile)("an answer to the wait of a create that is %s keeps the id", async (_name, fault) => {
  const { kept } = await struck(fault(), ["getService"], () => world.service.create(ARGS));
  expect(kept?.id).toBe(world.emulator.state().services[0]?.id);
});

test.each(hostile)("an answer to a refresh that is %s drops nothing of the state, nor adds", async (_name, fault) => {
  const kept = await world.service.create(ARGS);
  world.restart();
  const result = await struck(fault(), ["getService", "listServices"], () => world.service.refresh(kept));
  const seen = result.error === undefined ? result.kept?.outputs : kept.outputs;
  expect(seen).toMatchObject({ ...ARGS, status: "READY" });
});

test.each(hostile)("an answer to a change that is %s completes it or keeps it as owed", async (_name, fault) => {
  const kept = await world.service.create(ARGS);
  const args = { ...ARGS, ...LARGE };
  const result = await struck(fault(), ["resize"], () => world.service.update(kept, args));
  const next = await world.service.update(result.kept ?? kept, args);
  expect(next.outputs).toMatchObject({ ...LARGE });
});

test.each(hostile)("an answer to a delete that is %s ends it only if the object is gone", async (_name, fault) => {
  const kept = await world.service.create(ARGS);
  const { error } = await struck(fault(), ["deleteService", "getService"], () => world.service.remove(kept));
  expect(error !== undefined || world.emulator.state().services.length === 0).toBe(true);
});

test.each<[string, EmulatorOptions["switches"]]>([
  ["ids with slashes, dots, spaces and letters of all kinds", {}],
  ["all odd looks", { nullFields: true, unknownFields: true, omitZeroHa: true, statusCase: "upper" }],
])("a server with %s creates, changes, refreshes and deletes each kind", async (_, switches) => {
  await open({ switches: { ...switches, idLooks: "hostile", vpcStatus: true } });
  const vpc = await world.vpc.create(NET);
  const peering = await world.peering.create({ vpcId: vpc.id, ...PEER });
  const args = { ...ALL, environment: "DEV", vpcId: vpc.id };
  const made = await world.service.create({ ...args, haReplicas: { replicaCount: 2, syncReplicaCount: 1 } });
  const readReplicaSet = await world.readReplicaSet.create(setOf(made));
  const all = { vpc, peering, service: await world.service.update(made, args), readReplicaSet };
  expect(vpc.id).toMatch(/\.\.\/.*[?#é%]/);
  for (const kind of KINDS) {
    expect(all[kind].failed).toBeUndefined();
    expect((await refreshed(all[kind], kind)).inputs).toEqual(all[kind].inputs);
  }
  for (const kind of ["readReplicaSet", "service", "peering", "vpc"] as const) await world[kind].remove(all[kind]);
  const events = world.emulator.ledger().map(({ event }) => event);
  for (const one of ["created", "deleted"]) expect(events.filter((event) => event === one)).toHaveLength(4);
});

test("a service that shows the id of another is not taken for that, nor is that deleted in its place", async () => {
  const [orders, other] = [
    await world.service.create({ name: "orders" }),
    await world.service.create({ name: "other" }),
  ];
  await world.clock.sleep(60 * MINUTE_MS);
  world.emulator.mutate.service(other.id, { wire: { service_id: orders.id } });
  const both = [refreshed(orders), errorOf(world.service.refresh(other))] as const;
  expect((await both[0]).outputs).toMatchObject({ name: "orders" });
  expect((await both[1]).message).toMatch(/it is another service/);
  expect((await errorOf(world.service.remove(orders))).message).toContain("but its list still has it");
  expect(world.emulator.state().services.map(({ name }) => name)).toEqual(["other"]);
});
