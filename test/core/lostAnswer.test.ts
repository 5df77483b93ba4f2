// A create whose answer is lost: it names what is new and the line that adopts it, and takes nothing.

import { describe, expect, test } from "vitest";
import type { Fault } from "../../emulator/index";
import { OutcomeUnknownError } from "../../provider/domain/errors";
import type { Values } from "../../provider/domain/values/value";
import { textLike, textWith } from "../support/matchers";
import type { World } from "../support/world";
import { done, errorOf, MINUTE_MS, urn, world } from "./scene";
import { countOrders, kinds, ORDERS, useCreates } from "./createCases";

useCreates();

const create = (more: Values = {}) => world.service.create({ name: "orders", ...urn("db"), ...more });
const lose = (kind: "lostBefore" | "lostAfter", times = 1) =>
  world.emulator.faults.add({ kind, operation: "createService", times });
const failLists = (status: number) =>
  world.emulator.faults.add({ kind: "status", status, operation: "listServices", times: Infinity, skip: 1 });

type Fields = Parameters<World["emulator"]["mutate"]["createService"]>[0];

/** The one of the name, which is there. */
const idOfOrders = (): string => world.emulator.state().services.find(({ name }) => name === "orders")?.id ?? "none";

/** The error of a create that names this object, with what speaks for it and the line that adopts it. */
const naming = (id: string, evidence: string, came = "was lost"): object => ({
  message: textLike(new RegExp(`the answer ${came} .*so far this is new:\\n.*\\(${id}, .*\\): ${evidence}$`)),
  hint: `If it is yours, adopt it: set \`adoptId: "${id}"\`, or DBCLOUD_ADOPT=db=${id} for one run.`,
});

const OURS = "created within the call, equals the request";

const LOST: [string, Fault][] = [
  ["the connection is lost", { kind: "lostAfter" }],
  ["it is a 503", { kind: "status", status: 503, commit: true }],
  ["it is a gateway's page", { kind: "html", commit: true }],
  ["half of it comes", { kind: "truncate" }],
  ["it is nonsense", { kind: "garbage", body: [], commit: true }],
  ["it is a redirect", { kind: "status", status: 303, headers: { Location: "http://127.0.0.1:9/" }, commit: true }],
];

describe.each(kinds)("the create of a %s", (_name, kind) => {
  test.each(LOST)("names the one new object where %s, and takes nothing", async (_how, fault) => {
    world.emulator.faults.add({ ...fault, operation: kind.operation });
    const error = await errorOf(kind.handlers().create({ ...kind.args(), ...urn("db") }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    const [, id = ""] = /\((\w+)[,)].*equals the request$/.exec(error.message) ?? [];
    expect(error.hint).toContain(`DBCLOUD_ADOPT=db=${id} for one run`);
    expect(kind.count()).toBe(1);
    expect(world.calls()).toEqual([kind.operation]);
    // What the line says makes the resource whole.
    world.nextRun();
    world.adopt.push(`db=${id}`);
    expect((await done(kind.handlers().create({ ...kind.args(), ...urn("db") }))).id).toBe(id);
    expect(kind.count()).toBe(1);
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
      message: textLike(/the answer was lost.*no new object like it has appeared in the list within 1 m/s),
      hint: textWith("looks before it creates"),
    });
    expect(world.calls()).toEqual([kind.operation]);
  });
});

test("after a lost answer, the new object is watched for a minute from the first list that answers", async () => {
  lose("lostAfter");
  world.emulator.settings.listLag = { ms: 4 * MINUTE_MS };
  const refused = errorOf(create());
  failLists(500);
  await world.clock.sleep(200_000);
  world.emulator.faults.clear();
  expect(await refused).toMatchObject(naming(idOfOrders(), OURS));
});

test.each<[string, number, RegExp]>([
  ["until the deadline where no list answers", 500, /createService .*the answer was lost/],
  ["no more where the key lost its rights", 403, /answer was lost.*could not be read: listServices/s],
])("after a lost answer, the new object is watched for %s, as the error says", async (_how, status, words) => {
  lose("lostAfter");
  failLists(status);
  expect((await errorOf(create({ timeouts: { create: "10m" } }))).message).toMatch(words);
});

test("after a lost answer, the new object is named although its creation time cannot be read", async () => {
  lose("lostAfter");
  const refused = errorOf(create());
  while (countOrders() === 0) await new Promise((resolve) => setImmediate(resolve));
  world.emulator.mutate.service(idOfOrders(), { wire: { created: "yesterday" } });
  expect(await refused).toMatchObject(naming(idOfOrders(), "equals the request"));
});

test("after a lost answer, the new object is not the one of another resource, whose id the answer has", async () => {
  const other = await world.service.create({ name: "other", ...urn("other") });
  const body = { service_id: other.id, initial_password: "of-the-other" };
  world.emulator.faults.add({ kind: "garbage", operation: "createService", status: 201, body, commit: true });
  const error = await errorOf(create());
  expect(error).toMatchObject(naming(idOfOrders(), OURS, "cannot be used"));
  expect(error.fullMessage).not.toContain("of-the-other");
  expect(world.calls()).toEqual(["createService", "createService"]);
});

test("after a lost answer, the new object is not created again in the same run, as by an error hook", async () => {
  lose("lostAfter");
  await errorOf(create());
  expect((await errorOf(create())).message).toContain("the answer to an earlier create of it in this run was lost");
  expect(world.calls()).toEqual(["createService"]);
});

const rival = (fields: Fields, kind: "lostBefore" | "lostAfter"): void => {
  const match = (): boolean => world.emulator.mutate.createService({ name: "orders", ...fields }).id !== "";
  world.emulator.faults.add({ kind, operation: "createService", match });
};
const asked = { ...ORDERS, addons: [], environment: "DEV", haReplicas: { replicaCount: 0 } };

test("a rival that is made beside a create and that is like ours is named with it", async () => {
  rival({ regionCode: "us-east-1" }, "lostAfter");
  const { message, hint = "" } = await errorOf(create({ regionCode: "us-east-1" }));
  const ids = world.emulator.state().services.flatMap(({ id, name }) => (name === "orders" ? [id] : []));
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(message).toMatch(new RegExp(`${id}, .*: ${OURS}`));
  for (const id of ids) expect(hint).toContain(`"${id}"`);
  expect(hint).toContain("DBCLOUD_ADOPT=db=ID");
});

test.each<[string, Fields, string]>([
  ["in another region", { regionCode: "eu-west-1" }, "created within the call, differs from .* in regionCode"],
  ["of another size", { cpuMillis: 4000, memoryGbs: 16 }, ".* differs from the request in cpuMillis, memoryGbs"],
  ["of another type", { serviceType: "SERIESDB" }, ".* differs from the request in addons"],
  ["with another tag", { environment: "PROD" }, ".* differs from the request in environment"],
  ["with a replica", { replicaCount: 1 }, ".* differs from the request in haReplicas"],
  ["as a fork", { forkedFrom: { projectId: "p1", serviceId: "s1" } }, ".* differs from the request in forkFrom"],
  ["long before", { createdAt: 0 }, "not created within the call, equals the request"],
])("a rival that is made beside a create %s is told from ours", async (_how, fields, evidence) => {
  rival({ ...ORDERS, serviceType: "POSTGRES", ...fields }, "lostAfter");
  const { message } = await errorOf(create(asked));
  const lines = message.split("\n").slice(1);
  const made = world.emulator.ledger().find(({ by, event }) => event === "created" && by === "api");
  expect(lines).toHaveLength(2);
  for (const line of lines)
    expect(line).toMatch(new RegExp(`: ${line.includes(made?.id ?? "none") ? OURS : evidence}$`));
});

test("a rival that is made beside a create and that shows sooner than ours is named with it", async () => {
  rival(ORDERS, "lostBefore");
  const refused = errorOf(create(ORDERS));
  while (countOrders() === 0) await new Promise((resolve) => setImmediate(resolve));
  await world.clock.sleep(3_000);
  world.emulator.mutate.createService(ORDERS);
  expect((await refused).message.match(new RegExp(OURS, "g"))).toHaveLength(2);
});

test("a rival that is made beside a create and that is alone when the time of the create ends is named: ours may show later", async () => {
  rival(ORDERS, "lostBefore");
  expect(await errorOf(create({ ...ORDERS, timeouts: { create: "30s" } }))).toMatchObject(naming(idOfOrders(), OURS));
});

test("a rival that is made beside a create and that is made after the call is named as that", async () => {
  lose("lostBefore");
  const refused = errorOf(create(ORDERS));
  await world.clock.sleep(30_000);
  const { id } = world.emulator.mutate.createService(ORDERS);
  expect(await refused).toMatchObject(naming(id, "not created within the call, equals the request"));
});

test("creates of one moment share a read, and so do those that lost their answers", async () => {
  lose("lostAfter", 40);
  world.emulator.settings.listLag = { ms: 30_000 };
  const lost = Array.from({ length: 40 }, (_, index) => errorOf(world.service.create({ name: `s${index}` })));
  const named = (await Promise.all(lost)).map(({ hint }) => /adoptId: "(\w+)"/.exec(hint ?? "")?.[1]);
  expect(new Set(named.filter((id) => id !== undefined)).size).toBe(40);
  // About two a second while they watch, whatever their number.
  expect(world.requestsOf("listServices").length).toBeLessThan(90);
});
