// A create whose answer is lost: the one new object is adopted, and where that is not clear the error says so.

import { describe, expect, test } from "vitest";
import type { Fault } from "../../../emulator/index";
import type { Values } from "../../../provider/domain/values/value";
import { textLike, textWith } from "../../support/matchers";
import type { World } from "../../support/world";
import { done, errorOf, MINUTE_MS, refreshed, world } from "../scene";
import { countOrders, kinds, ORDERS, useCreates } from "./createCases";

useCreates();

const create = (more: Values = {}) => world.service.create({ name: "orders", ...more });
const lose = (kind: "lostBefore" | "lostAfter", times = 1) =>
  world.emulator.faults.add({ kind, operation: "createService", times });
const failLists = (status: number) =>
  world.emulator.faults.add({ kind: "status", status, operation: "listServices", times: Infinity, skip: 1 });

type Fields = Parameters<World["emulator"]["mutate"]["createService"]>[0];

const LOST: [string, Fault][] = [
  ["the connection is lost", { kind: "lostAfter" }],
  ["it is a 503", { kind: "status", status: 503, commit: true }],
  ["it is a gateway's page", { kind: "html", commit: true }],
  ["half of it comes", { kind: "truncate" }],
  ["it is nonsense", { kind: "garbage", body: [], commit: true }],
  ["it is a redirect", { kind: "redirect", location: "http://127.0.0.1:9/", status: 303, commit: true }],
];

describe.each(kinds)("the create of a %s", (_name, kind) => {
  test.each(LOST)("takes the one new object where %s", async (_how, fault) => {
    world.emulator.faults.add({ ...fault, operation: kind.operation });
    const kept = await done(kind.handlers().create(kind.args()));
    expect(kind.count()).toBe(1);
    expect(world.calls()).toEqual([kind.operation]);
    expect(world.warnings.join()).toContain(kept.id);
  });

  test.each([409, 429])("is not sent again after a %s for what is there then", async (status) => {
    // A proxy may send a request twice.
    world.emulator.faults.add({ kind: "status", status, commit: true, operation: kind.operation });
    await errorOf(kind.handlers().create(kind.args()));
    expect(kind.count()).toBe(1);
    expect(world.calls()).toEqual([kind.operation]);
  });

  test("whose request was lost says after a minute that it is probably not there", async () => {
    world.emulator.faults.add({ kind: "lostBefore", operation: kind.operation });
    const refused = errorOf(kind.handlers().create(kind.args()));
    const seconds = await world.secondsOf(() => refused);
    expect([seconds >= 60, seconds < 120]).toEqual([true, true]);
    expect(await refused).toMatchObject({
      message: textLike(/the answer was lost.*no new object that matches/s),
      hint: textWith("it looks before it creates"),
    });
    expect(world.calls()).toEqual([kind.operation]);
  });
});

describe("after a lost answer, the new object", () => {
  test("is watched for a minute from the first list that answers", async () => {
    lose("lostAfter");
    world.emulator.settings.listLag = { ms: 4 * MINUTE_MS };
    const created = create();
    failLists(500);
    await world.clock.sleep(200_000);
    world.emulator.faults.clear();
    expect((await created).failed).toBeUndefined();
  });

  test.each<[string, number, RegExp]>([
    ["until the deadline where no list answers", 500, /createService .*the answer was lost/],
    ["no more where the key lost its rights", 403, /answer was lost.*could not be read: listServices/s],
  ])("is watched for %s, and the error says what is not known", async (_how, status, words) => {
    lose("lostAfter");
    failLists(status);
    expect((await errorOf(create({ timeouts: { create: "10m" } }))).message).toMatch(words);
  });

  test("is found although its creation time cannot be read", async () => {
    lose("lostAfter");
    const created = create();
    while (countOrders() === 0) await new Promise((resolve) => setImmediate(resolve));
    const { id } = world.emulator.state().services.find(({ name }) => name === "orders") ?? { id: "" };
    world.emulator.mutate.service(id, { wire: { created: "yesterday" } });
    expect((await created).id).toBe(id);
  });

  test("is not the one of another resource, whose id the answer has", async () => {
    const other = await world.service.create({ name: "other" });
    const body = { service_id: other.id, initial_password: "of-the-other" };
    world.emulator.faults.add({ kind: "garbage", operation: "createService", status: 201, body, commit: true });
    const made = await done(create());
    const ids = new Map(world.emulator.state().services.map(({ id, name }) => [name, id]));
    expect([ids.get("other"), ids.get("orders")]).toEqual([other.id, made.id]);
    expect(world.calls()).toEqual(["createService", "createService"]);
    expect(made.outputs).not.toHaveProperty("initialPassword");
  });

  test("leaves a wanted duplicate, which is created after it, its own time", async () => {
    lose("lostAfter");
    world.emulator.settings.timings.create = 15_000;
    const wanted = { allowDuplicateName: true, timeouts: { create: "70s" } };
    const [, second] = await Promise.all([create(wanted), create(wanted)]);
    expect(second.failed).toBeUndefined();
  });

  test("is its own of each of two duplicates that are wanted", async () => {
    lose("lostAfter", 2);
    const [one, two] = await Promise.all([create({ allowDuplicateName: true }), create({ allowDuplicateName: true })]);
    expect(one.id).not.toBe(two.id);
    expect(countOrders()).toBe(2);
  });
});

describe("a rival that somebody else makes while the create is under way", () => {
  const rival = (fields: Fields, kind: "lostBefore" | "lostAfter"): void => {
    const match = (): boolean => world.emulator.mutate.createService({ name: "orders", ...fields }).id !== "";
    world.emulator.faults.add({ kind, operation: "createService", match });
  };

  test("and that fits as well is named with ours, and none is taken", async () => {
    rival({ regionCode: "us-east-1" }, "lostAfter");
    const { message } = await errorOf(create({ regionCode: "us-east-1" }));
    const ids = world.emulator.state().services.flatMap(({ id, name }) => (name === "orders" ? [id] : []));
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(message).toContain(id);
  });

  test.each<[string, Fields]>([
    ["in another region", { regionCode: "eu-west-1" }],
    ["of another size", { cpuMillis: 4000, memoryGbs: 16 }],
    ["of another type", { serviceType: "SERIESDB" }],
    ["with another tag", { environment: "PROD" }],
    ["with a replica", { replicaCount: 1 }],
    ["as a fork of something", { forkedFrom: { projectId: "proj000001", serviceId: "svc0000000" } }],
    ["long before", { createdAt: 0 }],
  ])("%s is not taken for ours", async (_how, fields) => {
    rival(fields, "lostAfter");
    const asked = { ...ORDERS, addons: [], environment: "DEV", haReplicas: { replicaCount: 0 } };
    const kept = await world.service.create(asked);
    expect(world.emulator.ledger().find(({ id }) => id === kept.id)?.by).toBe("api");
  });

  test("and that shows sooner than ours is not taken", async () => {
    rival(ORDERS, "lostBefore");
    const refused = errorOf(create(ORDERS));
    while (countOrders() === 0) await new Promise((resolve) => setImmediate(resolve));
    await world.clock.sleep(3_000);
    world.emulator.mutate.createService(ORDERS);
    expect((await refused).message).toMatch(/several new ones match/);
  });

  test("and that is alone when the time of the create ends is named and left alone: ours may show later", async () => {
    rival(ORDERS, "lostBefore");
    const { message } = await errorOf(create({ ...ORDERS, timeouts: { create: "30s" } }));
    expect(message).toMatch(/the create ran out of time; so far, one matches:\n.*"orders"/);
  });

  test("and that is made after the call is named and left alone", async () => {
    lose("lostBefore");
    const refused = errorOf(create(ORDERS));
    await world.clock.sleep(30_000);
    const { id } = world.emulator.mutate.createService(ORDERS);
    expect((await refused).message).toMatch(new RegExp(`new ones that do not match[^]*${id}`));
  });

  test("within the call is taken where ours never came, and is not deleted, stopped or replaced unconfirmed", async () => {
    rival(ORDERS, "lostBefore");
    const args = { ...ORDERS, allowReplace: true };
    const taken = await done(create(args));
    const row = new RegExp(
      `adoptId: "${taken.id}"\`; until then, no run deletes or replaces it; its initial password is not known here`,
    );
    expect(world.warnings.join()).toMatch(row);
    const seen = await refreshed(taken);
    const changed = await done(world.service.update(seen, { ...args, poolerEnabled: true }));
    world.nextRun();
    const stopped = await done(world.service.update(changed, { ...args, onDelete: "stop" }));
    world.calls();
    for (const kept of [changed, stopped]) {
      expect((await errorOf(world.service.remove(kept))).message).toMatch(
        /may belong to somebody else; nothing was deleted/,
      );
      const moved = errorOf(world.service.replace(kept, { ...args, regionCode: "eu-west-1" }));
      expect((await moved).message).toMatch(/may belong to somebody else; so it is not replaced/);
    }
    expect(world.calls()).toEqual([]);
    const confirmed = await done(world.service.update(changed, { ...args, adoptId: taken.id }));
    const later = await done(world.service.update(confirmed, args));
    await world.service.remove(later);
    expect(countOrders()).toBe(0);
  });

  test("within the call, is replaced by a program that confirms it in the same run", async () => {
    rival(ORDERS, "lostBefore");
    const args = { ...ORDERS, allowReplace: true };
    const taken = await done(create(args));
    world.nextRun();
    const moved = { ...args, name: "moved", regionCode: "eu-west-1", adoptId: taken.id };
    const next = await world.service.replace(taken, moved);
    expect([next.failed, next.id === taken.id, countOrders()]).toEqual([undefined, false, 0]);
  });

  test("and that is alone there is named and left alone", async () => {
    rival({ regionCode: "eu-west-1" }, "lostBefore");
    const { message } = await errorOf(create({ regionCode: "us-east-1" }));
    const theirs = world.emulator.state().services.find(({ name }) => name === "orders");
    expect(message).toMatch(new RegExp(`new ones that do not match[^]*${theirs?.id}`));
  });
});

test("creates of one moment share a read, and so do those that lost their answers", async () => {
  lose("lostAfter", 40);
  world.emulator.settings.listLag = { ms: 30_000 };
  const made = await Promise.all(Array.from({ length: 40 }, (_, index) => world.service.create({ name: `s${index}` })));
  expect(new Set(made.map(({ id }) => id)).size).toBe(40);
  // About two a second while they watch, whatever their number.
  expect(world.requestsOf("listServices").length).toBeLessThan(90);
});
