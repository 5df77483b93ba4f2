// `waitFor: "accepting"`: a change is done when the addresses accept connections, and not when the API says READY.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProbe } from "../../../provider/api/postgres/probe";
import type { ConnectionAttempt, DatabaseAddress } from "../../../provider/domain/connection";
import type { Values } from "../../../provider/domain/values/value";
import { passwordRequest, startingUp, startPostgresServer } from "../../support/postgres/server";
import { openWorld, type Kept, type World } from "../../support/world";

const SIZE = { cpuMillis: 500, memoryGbs: 2 };
const ARGS = { name: "orders", ...SIZE, waitFor: "accepting" };
const ACCEPTING: ConnectionAttempt = { is: "accepting", seen: "it asks for a password" };
const REFUSING: ConnectionAttempt = { is: "refusing", seen: "the connection is refused (ECONNREFUSED)" };
const UNREACHABLE: ConnectionAttempt = { is: "unreachable", seen: "the network cannot be reached (ENETUNREACH)" };

let world: World;
/** What the attempts to come meet, in order; the last one stays. */
let attempts: ConnectionAttempt[];
let asked: (DatabaseAddress & { status: string | undefined })[];

beforeEach(async () => {
  world = await openWorld();
  attempts = [ACCEPTING];
  asked = [];
  world.probe = (address) => {
    asked.push({ ...address, status: world.emulator.state().services.at(-1)?.status });
    return Promise.resolve((attempts.length > 1 ? attempts.shift() : attempts[0]) ?? REFUSING);
  };
});
afterEach(() => world.close());

const places = () => asked.splice(0).map(({ host, port }) => `${host}:${port}`);
const addressOf = ({ outputs }: Kept): string => `${String(outputs["host"])}:${String(outputs["port"])}`;
const poolerOf = ({ outputs }: Kept): string => `${String(outputs["poolerHost"])}:${String(outputs["poolerPort"])}`;

test("a create is done when its address accepts connections, and calls nothing more for it", async () => {
  attempts = [REFUSING, REFUSING, { is: "refusing", seen: "starting up (57P03)" }, ACCEPTING];
  const kept = await world.service.create(ARGS);
  expect(kept.failed).toBeUndefined();
  expect(asked.map(({ status }) => status)).toEqual(["READY", "READY", "READY", "READY"]);
  expect(places()).toEqual(Array.from({ length: 4 }, () => addressOf(kept)));
  expect(world.calls()).toEqual(["createService"]);
  expect(world.progress).toContain(
    `READY, but ${addressOf(kept)} accepts no connections yet: the connection is refused (ECONNREFUSED)`,
  );
  expect(kept.outputs["waitFor"]).toBe("accepting");
});

test.each([{ waitFor: "ready" }, {}])("with %o nobody asks", async (given) => {
  const kept = await world.service.create({ name: "orders", ...SIZE, ...given });
  await world.service.update(kept, { ...ARGS, ...given, cpuMillis: 1000, memoryGbs: 4, waitFor: "ready" });
  expect(asked).toEqual([]);
});

describe("what may make the address refuse", () => {
  test.each<[string, Values, Values]>([
    ["resize", {}, { cpuMillis: 1000, memoryGbs: 4 }],
    ["start", { paused: true }, { paused: false }],
    ["attach", {}, { vpcId: "the VPC" }],
    ["detach", { vpcId: "the VPC" }, {}],
    ["high availability", {}, { haReplicas: { replicaCount: 1 } }],
  ])("%s is awaited", async (_, before, after) => {
    const vpc = await world.vpc.create({ name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const given = (args: Values): Values => ({
      ...ARGS,
      regionCode: "us-east-1",
      ...args,
      ...(args["vpcId"] === undefined ? {} : { vpcId: vpc.id }),
    });
    const kept = await world.service.create(given(before));
    asked.length = 0;
    attempts = [REFUSING, ACCEPTING];
    const next = await world.service.update(kept, given(after));
    expect(next.failed).toBeUndefined();
    expect(places()).toEqual([addressOf(next), addressOf(next)]);
  });

  test("a fork, and a service that is adopted, are awaited too", async () => {
    const parent = await world.service.create(ARGS);
    const fork = { ...ARGS, name: "copy", forkFrom: { serviceId: parent.id, strategy: "NOW" } };
    const copy = await world.service.create(fork);
    const { id } = world.emulator.mutate.createService({ name: "found", ...SIZE });
    const found = await world.service.create({ ...ARGS, name: "found", adoptId: id });
    expect(places()).toEqual([parent, copy, found].map(addressOf));
  });

  test("the pooler's address is awaited beside the service's own", async () => {
    const kept = await world.service.create({ ...ARGS, poolerEnabled: true });
    expect(places()).toEqual([addressOf(kept), poolerOf(kept)]);
  });
});

test.each<[string, Values]>([
  ["a name, a tag and a password", { name: "bills", environment: "PROD", password: "correct horse" }],
  ["a stop", { paused: true }],
  ["a change of a lifecycle input", { onDelete: "stop" }],
])("%s interrupts nothing that is to accept connections", async (_, change) => {
  const kept = await world.service.create(ARGS);
  asked.length = 0;
  const next = await world.service.update(kept, { ...ARGS, ...change });
  expect(next.failed).toBeUndefined();
  expect(asked).toEqual([]);
  expect((await world.service.refresh(next))?.inputs["waitFor"]).toBe("accepting");
});

describe("an address that never accepts", () => {
  test("is an error after two minutes that keeps the service, and the next up waits again", async () => {
    attempts = [REFUSING];
    const startedMs = world.clock.now();
    const kept = await world.service.create(ARGS);
    const { id } = kept;
    expect(world.clock.now() - startedMs).toBeGreaterThanOrEqual(120_000);
    expect(world.clock.now() - startedMs).toBeLessThan(140_000);
    expect(asked.length).toBeLessThan(80);
    expect(kept.failed).toMatch(
      /is READY, but \S+:\d+ accepts no connections, after 2 m \(last: the connection is refused \(ECONNREFUSED\); seen: /,
    );
    expect(kept.failed).toMatch(/`waitFor: "ready"` takes the word of the API/);
    expect(kept.outputs).toMatchObject({ status: "READY", host: expect.any(String) as string });

    attempts = [REFUSING, ACCEPTING];
    asked.length = 0;
    world.calls();
    world.restart();
    const next = await world.service.update(kept, ARGS);
    expect(next).toMatchObject({ id, outputs: { status: "READY" } });
    expect(next.failed).toBeUndefined();
    expect(asked).toHaveLength(2);
    expect(world.calls()).toEqual([]);
    expect(await world.service.update(next, ARGS)).toBe(next);
  });

  test("after a resize keeps the new size", async () => {
    const kept = await world.service.create(ARGS);
    attempts = [{ is: "foreign", seen: 'what answers is no PostgreSQL: "HTTP/1.1 400"' }];
    const larger = { ...ARGS, cpuMillis: 1000, memoryGbs: 4 };
    const half = await world.service.update(kept, larger);
    expect(half.failed).toMatch(/what answers is no PostgreSQL: "HTTP\/1.1 400"/);
    expect(half.outputs).toMatchObject({ cpuMillis: 1000, memoryGbs: 4 });
    attempts = [ACCEPTING];
    world.calls();
    expect((await world.service.update(half, larger)).failed).toBeUndefined();
    expect(world.calls()).toEqual([]);
  });

  test("is given the time of the operation, if that is shorter", async () => {
    attempts = [REFUSING];
    const startedMs = world.clock.now();
    const kept = await world.service.create({ ...ARGS, timeouts: { create: "30s" } });
    expect(kept.failed).toMatch(/accepts no connections/);
    expect(world.clock.now() - startedMs).toBeLessThanOrEqual(31_000);
  });
});

test("a wait whose engine ends is over at once, and keeps the service", async () => {
  world.probe = () => {
    world.endEngine();
    return Promise.resolve(REFUSING);
  };
  const startedMs = world.clock.now();
  const kept = await world.service.create(ARGS);
  expect(kept).toMatchObject({ id: world.emulator.state().services[0]?.id, failed: expect.any(String) as string });
  expect(world.clock.now() - startedMs).toBeLessThan(10_000);
});

describe("an address that this machine cannot reach", () => {
  /** Resized where the server shows this address. */
  const resizedAt = async (host: string, isInVpc: boolean): Promise<Kept> => {
    const vpc = await world.vpc.create({ name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const args = { ...ARGS, regionCode: "us-east-1", ...(isInVpc ? { vpcId: vpc.id } : {}) };
    const kept = await world.service.create({ ...args, waitFor: "ready" });
    world.emulator.mutate.service(kept.id, { endpoint: { host, port: 5432 } });
    return world.service.update(kept, { ...args, cpuMillis: 1000, memoryGbs: 4 });
  };

  test("is a warning in a VPC", async () => {
    attempts = [UNREACHABLE];
    const startedMs = world.clock.now();
    const kept = await resizedAt("db.acme.net", true);
    expect(kept.failed).toBeUndefined();
    expect(world.clock.now() - startedMs).toBeLessThan(60_000);
    expect(world.warnings.at(-1)).toMatch(
      /^service orders \(\w+\): whether db.acme.net:5432 accepts connections cannot be told from this machine: the network cannot be reached/,
    );
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.every(({ isInVpc }) => isInVpc)).toBe(true);
  });

  test("is awaited all the same once it has been reached", async () => {
    attempts = [REFUSING, UNREACHABLE];
    const kept = await resizedAt("db.acme.net", true);
    expect(kept.failed).toMatch(/accepts no connections, after 2 m/);
  });

  test("is an error outside of a VPC", async () => {
    attempts = [UNREACHABLE];
    const kept = await resizedAt("db.acme.net", false);
    expect(kept.failed).toMatch(/accepts no connections, after 2 m .*the network cannot be reached/);
  });

  test("is a warning at once where nothing can ever be: the emulator without databases", async () => {
    attempts = [{ is: "unreachable", seen: "the host name is not known here (ENOTFOUND)" }];
    const kept = await world.service.create(ARGS);
    expect(kept.failed).toBeUndefined();
    expect(asked).toHaveLength(1);
    expect(world.warnings.at(-1)).toMatch(
      /\.example:\d+ accepts connections cannot be told .*the host name is not known/,
    );
  });
});

test("with real connections: refused, starting up, then asked for a password", async () => {
  const probe = createProbe(world.clock);
  world.probe = async (address, timeoutMs) => {
    const release = world.clock.hold();
    return probe(address, timeoutMs).finally(release);
  };
  const kept = await world.service.create({ name: "orders", ...SIZE });
  const server = await startPostgresServer(
    "closes",
    { tls: true, answer: [startingUp] },
    { tls: true, answer: [passwordRequest] },
  );
  world.emulator.mutate.service(kept.id, { endpoint: { host: "127.0.0.1", port: server.port } });
  const next = await world.service.update(kept, { ...ARGS, cpuMillis: 1000, memoryGbs: 4 });
  expect(next.failed).toBeUndefined();
  expect(server.connections).toBe(3);
  await server.close();
});
