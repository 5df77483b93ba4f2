// `waitFor: "accepting"`: a change is done when the addresses accept connections, and not when the API says READY.

import { expect, test } from "vitest";
import type { ConnectionAttempt, DatabaseAddress } from "../../provider/domain/connection";
import type { Values } from "../../provider/domain/values/value";
import { textWith } from "../support/matchers";
import type { Kept } from "../support/world";
import { done, LARGE, NET, refreshed, SMALL, useWorld, world } from "./scene";

const ARGS = { name: "orders", ...SMALL, waitFor: "accepting" };
const ACCEPTING: ConnectionAttempt = { is: "accepting", seen: "it asks for a password" };
const REFUSING: ConnectionAttempt = { is: "refusing", seen: "ECONNREFUSED" };
const UNREACHABLE: ConnectionAttempt = { is: "unreachable", seen: "ENETUNREACH" };

/** What the attempts to come meet, in order; the last one stays. */
let attempts: ConnectionAttempt[];
let asked: (DatabaseAddress & { status: string | undefined })[];

useWorld({}, async () => {
  attempts = [ACCEPTING];
  asked = [];
  world.probe = (address) => {
    asked.push({ ...address, status: world.emulator.state().services.at(-1)?.status });
    return Promise.resolve((attempts.length > 1 ? attempts.shift() : attempts[0]) ?? REFUSING);
  };
  await world.vpc.create(NET);
  world.calls();
});

const places = () => asked.splice(0).map(({ host, port }) => `${host}:${port}`);
const addressOf = ({ outputs }: Kept): string => `${String(outputs["host"])}:${String(outputs["port"])}`;
const poolerOf = ({ outputs }: Kept): string => `${String(outputs["poolerHost"])}:${String(outputs["poolerPort"])}`;
/** In the world's VPC where the arguments say so. */
const placed = (args: Values): Values => ({
  ...ARGS,
  ...args,
  ...("vpcId" in args ? { vpcId: world.emulator.state().vpcs[0]?.id } : {}),
});

test("a create is done when its address accepts connections, and calls nothing more for it", async () => {
  attempts = [REFUSING, REFUSING, { is: "refusing", seen: "57P03" }, ACCEPTING];
  const kept = await done(world.service.create(ARGS));
  expect(asked.map(({ status }) => status)).toEqual(["READY", "READY", "READY", "READY"]);
  expect(places()).toEqual(Array.from({ length: 4 }, () => addressOf(kept)));
  expect(world.calls()).toEqual(["createService"]);
  expect(world.progress.join("\n")).toMatch(`${addressOf(kept)} accepts no connections yet: ECONNREFUSED`);
  expect(kept.outputs["waitFor"]).toBe("accepting");
});

test.each<[string, Values, Values]>([
  ["a resize", {}, LARGE],
  ["a start", { paused: true }, { paused: false }],
  ["an attach", {}, { vpcId: "" }],
  ["a detach", { vpcId: "" }, {}],
  ["replicas", {}, { haReplicas: { replicaCount: 1 } }],
])("%s may make the address refuse, and is awaited", async (_, before, after) => {
  const kept = await done(world.service.create(placed(before)));
  asked.length = 0;
  attempts = [REFUSING, ACCEPTING];
  const next = await done(world.service.update(kept, placed(after)));
  expect(places()).toEqual([addressOf(next), addressOf(next)]);
});

test("a fork, a service that is adopted, and a pooler are awaited too", async () => {
  const parent = await world.service.create(ARGS);
  const copy = await world.service.create({
    ...ARGS,
    name: "copy",
    forkFrom: { serviceId: parent.id, strategy: "NOW" },
  });
  const { id } = world.emulator.mutate.createService({ name: "found", ...SMALL });
  const found = await world.service.create({ ...ARGS, name: "found", adoptId: id });
  const pooled = await world.service.create({ ...ARGS, name: "pooled", poolerEnabled: true });
  expect(places()).toEqual([...[parent, copy, found, pooled].map(addressOf), poolerOf(pooled)]);
});

test.each<[string, Values]>([
  ["a name, a tag and a password", { name: "bills", environment: "PROD", password: "correct horse" }],
  ["a stop", { paused: true }],
  ["a change of a lifecycle input", { onMissing: "error" }],
  ['a resize with `waitFor: "ready"`', { ...LARGE, waitFor: "ready" }],
  ["a resize without `waitFor`", { ...LARGE, waitFor: undefined }],
])("%s asks no address", async (_, change) => {
  const kept = await world.service.create(ARGS);
  asked.length = 0;
  const next = await done(world.service.update(kept, { ...ARGS, ...change }));
  expect(asked).toEqual([]);
  expect((await refreshed(next)).inputs["waitFor"]).toBe({ ...ARGS, ...change }.waitFor);
});

test("an address that never accepts is an error after two minutes or its shorter time, keeps the service, and is awaited by the next up", async () => {
  attempts = [REFUSING];
  const hasty = { ...ARGS, name: "first", timeouts: { create: "30s" } };
  const first = await world.timed(() => world.service.create(hasty));
  expect(first.seconds).toBeLessThanOrEqual(31);
  expect(first.result.failed).toMatch("accepts no connections");
  const { seconds, result: kept } = await world.timed(() => world.service.create(ARGS));
  expect(Math.round(seconds / 20)).toBe(6);
  expect(asked.length).toBeLessThan(110);
  expect(kept.failed).toMatch(/is READY, but \S+:\d+ accepts no connections, after 2 m \(last: ECONNREFUSED; seen: /);
  expect(kept.failed).toMatch('`waitFor: "ready"`');
  expect(kept.outputs).toMatchObject({ status: "READY", host: textWith("") });

  attempts = [REFUSING, ACCEPTING];
  asked.length = 0;
  world.nextRun();
  const next = await done(world.service.update(kept, ARGS));
  expect(next).toMatchObject({ id: kept.id, outputs: { status: "READY" } });
  expect(asked).toHaveLength(2);
  expect(world.calls()).toEqual([]);
  expect(await world.service.update(next, ARGS)).toBe(next);
});

test("a wait whose engine ends is over at once, and keeps the service", async () => {
  world.probe = () => {
    world.endEngine();
    return Promise.resolve(REFUSING);
  };
  const { seconds, result: kept } = await world.timed(() => world.service.create(ARGS));
  expect(seconds).toBeLessThan(10);
  expect(kept).toMatchObject({ id: world.emulator.state().services[0]?.id, failed: textWith("") });
});

test.each<[string, Values, ConnectionAttempt[], string | undefined]>([
  ["is a warning in a VPC", { vpcId: "" }, [UNREACHABLE], undefined],
  ["is awaited in a VPC once it has been reached", { vpcId: "" }, [REFUSING, UNREACHABLE], "after 2 m"],
  ["is an error outside of a VPC", {}, [UNREACHABLE], "ENETUNREACH"],
])("an address that this machine cannot reach %s", async (_, where, met, failed) => {
  const kept = await world.service.create(placed({ ...where, waitFor: "ready" }));
  world.emulator.mutate.service(kept.id, { wire: { endpoint: { host: "db.acme.net", port: 5432 } } });
  attempts = met;
  const { seconds, result: next } = await world.timed(() => world.service.update(kept, placed({ ...where, ...LARGE })));
  expect(next.failed ?? "none").toMatch(failed ?? "none");
  expect(asked.length).toBeGreaterThan(5);
  expect(new Set(asked.map(({ isInVpc }) => isInVpc))).toEqual(new Set(["vpcId" in where]));
  const warned = world.warnings.filter((line) => /could not check .*db.acme.net:5432 .*ENETUNREACH/.test(line));
  expect(warned).toHaveLength(failed === undefined ? 1 : 0);
  expect(seconds < 60).toBe(failed === undefined);
});

test("an address that this machine cannot reach is one warning of the run, at once, where nothing can ever be: the emulator without databases", async () => {
  attempts = [{ is: "unreachable", seen: "ENOTFOUND" }];
  await done(world.service.create(ARGS));
  expect(asked).toHaveLength(1);
  expect(world.warnings.at(-1)).toMatch(/: nothing listens at .*\.example:\d+, because an emulator/);
  const told = world.warnings.length;
  await done(world.service.create({ ...ARGS, name: "billing" }));
  expect([asked.length, world.warnings.length]).toEqual([2, told]);
});
