// A create reads before it posts: what is there already is named or adopted, and an adopted object is not deleted by the
// resource that had it before.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import { type Kept, type World } from "../../support/world";
import { createCases, MINUTE_MS, openScene, refusal, type Scene, SIZE } from "./createCases";

let scene: Scene;
let world: World;

beforeEach(async () => {
  scene = await openScene();
  world = scene.world;
});
afterEach(() => world.close());

const cases = createCases(() => scene);
const kinds = Object.entries(cases);

describe("an object that exists already", () => {
  test.each(kinds)("a %s is named, and nothing is created", async (_name, kind) => {
    const { id } = kind.makeDuplicate();
    const { message, hint } = await refusal(kind.handlers().create(kind.args()));
    expect(message).toContain(id);
    expect(message).toContain("nothing was created");
    expect(hint).toContain(`adoptId: "${id}"`);
    expect(hint).toContain(`DBCLOUD_ADOPT=${id}`);
    expect(world.calls()).toEqual([]);
  });

  test("its age and status are told, and another name is offered", async () => {
    const { id } = cases.service.makeDuplicate();
    await world.clock.sleep(90 * MINUTE_MS);
    const { message, hint } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain(`service "orders" (${id}, READY, 1 h 30 m old)`);
    expect(hint).toMatch(
      /EMPTY: another `name` or `allowDuplicateName: true`\. After a rename in the program: .*`aliases`/,
    );
  });

  test.each(kinds)("a %s is adopted by DBCLOUD_ADOPT with its id", async (_name, kind) => {
    const { id } = kind.makeDuplicate();
    world.adopt.push("somebody-else", id);
    expect((await kind.handlers().create(kind.args())).id).toBe(id);
    expect(world.calls()).toEqual([]);
  });

  test.each(kinds)("a %s is adopted by adoptId", async (_name, kind) => {
    const { id } = kind.makeDuplicate();
    expect((await kind.handlers().create({ ...kind.args(), adoptId: id })).id).toBe(id);
    expect(world.calls()).toEqual([]);
    expect(world.warnings.join("\n")).toMatch(/adopting .*from now on a destroy of this stack deletes it/);
  });

  test.each(kinds)("a %s: an adoption is offered with what goes with it", async (name, kind) => {
    kind.makeDuplicate();
    const { hint = "" } = await refusal(kind.handlers().create(kind.args()));
    expect(hint).toMatch(/^To go on with this one, .*adoptId/);
    const [adoption] = hint.split("\n");
    expect(adoption).toMatch(/which no other stack may hold .*drift --all-stacks/);
    const hasPassword = name === "service" || name === "fork";
    expect(adoption?.includes("set `password` where the program uses `connectionString()`")).toBe(hasPassword);
  });

  test.each(kinds.filter(([name]) => name !== "peering"))("a %s is adopted by its name", async (_name, kind) => {
    const { id } = kind.makeDuplicate();
    world.adopt.push(String(kind.args()["name"]));
    expect((await kind.handlers().create(kind.args())).id).toBe(id);
    expect(world.calls()).toEqual([]);
  });

  test("several of one name are all named, with what an adoption would say", async () => {
    const ids = [1, 2].map(() => world.emulator.mutate.createService({ name: "orders" }).id);
    const { message, hint = "" } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toMatch(/^there is already service "orders" \(.* and service "orders" \(.*; nothing was created$/);
    for (const id of ids) {
      expect(message).toContain(id);
      expect(hint).toContain(id);
    }
    expect(hint).toContain(`\`adoptId: "${ids[0]}" or "${ids[1]}"\``);
  });

  test("of several with one name, one must be said", async () => {
    const ids = [1, 2].map(() => world.emulator.mutate.createService({ name: "orders" }).id);
    world.adopt.push("orders");
    const { message } = await refusal(world.service.create({ name: "orders" }));
    for (const id of ids) expect(message).toContain(id);
    world.restart();
    world.adopt.push(ids[1] ?? "");
    expect((await world.service.create({ name: "orders" })).id).toBe(ids[1]);
    expect(world.calls()).toEqual([]);
  });

  test("an id in DBCLOUD_ADOPT that is not the same thing is not adopted", async () => {
    world.adopt.push(scene.serviceId);
    expect((await world.service.create({ name: "orders" })).id).not.toBe(scene.serviceId);
  });

  test("one that is busy by the read of the adoption, and was not in the list before it, is waited for", async () => {
    const { id } = cases.service.makeDuplicate();
    world.adopt.push(id);
    world.emulator.faults.add({ kind: "stuck", status: "REBALANCING", ms: MINUTE_MS, operation: "getService" });
    await world.service.create(cases.service.args());
    expect(world.emulator.state().services.find((service) => service.id === id)?.status).toBe("READY");
  });

  test("an object that is being deleted blocks no create, and cannot be adopted", async () => {
    const { id } = world.emulator.mutate.createService({ name: "orders", status: "DELETING" });
    const { message } = await refusal(world.service.create({ name: "orders", adoptId: id }));
    expect(message).toContain("is going or gone (DELETING)");
    world.restart();
    expect((await world.service.create({ name: "orders" })).id).not.toBe(id);
  });

  test("is looked for again after the parent kept the create waiting", async () => {
    world.emulator.settings.timings.resize = 5 * MINUTE_MS;
    const parent = await world.service.create({ name: "parent", ...SIZE });
    const { baseUrl, apiKey, projectId } = world.emulator;
    await fetch(`${baseUrl}/projects/${projectId}/services/${parent.id}/resize`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ cpu_millis: "1000", memory_gbs: "4" }),
    });
    const forked = world.service.create({ name: "orders", forkFrom: { serviceId: parent.id, strategy: "NOW" } });
    await world.clock.sleep(MINUTE_MS);
    const { id } = world.emulator.mutate.createService({ name: "orders" });
    expect((await refusal(forked)).message).toContain(id);
    expect(world.emulator.ledger().some(({ operation }) => operation === "forkService")).toBe(false);
  });

  test("is named where one more is made beside it, because a killed run may have made it", async () => {
    const { id } = world.emulator.mutate.createService({ name: "orders" });
    await world.service.create({ name: "orders", allowDuplicateName: true });
    expect(world.warnings.join()).toMatch(
      new RegExp(`service "orders" \\(${id}.*one more is made.*drift --all-stacks`),
    );
  });

  test("is looked for again after the server kept the create waiting", async () => {
    const headers = { "retry-after": "60" };
    world.emulator.faults.add({ kind: "status", status: 429, operation: "createService", headers });
    const created = world.service.create({ name: "orders" });
    await world.clock.sleep(MINUTE_MS / 2);
    const { id } = world.emulator.mutate.createService({ name: "orders" });
    expect((await refusal(created)).message).toContain(id);
    expect(world.emulator.ledger().some(({ operation }) => operation === "createService")).toBe(false);
  });
});

describe("an adopted object", () => {
  const urn = (name: string): Values => ({
    __urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::${name}`,
  });
  let old: Kept;

  beforeEach(async () => {
    old = await world.service.create({ name: "orders", ...urn("old") });
    world.restart();
  });

  test("is not deleted with the resource that had it, in the same run", async () => {
    const taken = await world.service.create({ name: "orders", adoptId: old.id, ...urn("new") });
    await world.service.removePending(old);
    expect(taken.id).toBe(old.id);
    expect(cases.service.count()).toBe(1);
  });

  test("nor a run later", async () => {
    const taken = await world.service.create({ name: "orders", adoptId: old.id, ...urn("new") });
    world.restart();
    world.service.preview(taken, { name: "orders", adoptId: old.id, ...urn("new") });
    await world.service.removePending(old);
    expect(world.warnings.at(-1)).toContain("is kept: new of this program has it");
    expect(cases.service.count()).toBe(1);
  });

  test("is deleted with the resource that has it", async () => {
    world.service.preview(old, { name: "orders", ...urn("old") });
    await world.service.remove(old);
    expect(cases.service.count()).toBe(0);
  });

  test("an adoptId that stays in the program does not stop a replacement", async () => {
    const args = { name: "net", cidr: "10.1.0.0/24", regionCode: "us-east-1" };
    const { id } = world.emulator.mutate.createVpc(args);
    const taken = await world.vpc.create({ ...args, adoptId: id });
    world.restart();
    const next = await world.vpc.replace(taken, { ...args, cidr: "10.2.0.0/24", adoptId: id });
    expect(next.failed).toBeUndefined();
    expect(next.id).not.toBe(id);
    expect(world.emulator.state().vpcs.some((vpc) => vpc.id === id)).toBe(false);
  });
});
