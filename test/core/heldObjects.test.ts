// One id twice in the state, live and "to be deleted", and everything that leads there: a forced replacement, a failure of
// the program afterwards, a kill, an adoption. The engine's calls come in the order of the table in docs/internals/reliability.md.

import { beforeEach, describe, expect, test } from "vitest";
import { textLike, textWith } from "../support/matchers";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { earlier, errorOf, refreshed, urn, world } from "./scene";
import { ARGS, FREE, isThere, live, pending, refreshBoth, refusalToDelete, storing, useHeldScene } from "./heldScene";

useHeldScene();

test.each<[string, () => unknown]>([
  ["unchanged", () => world.service.update(live, ARGS)],
  ["updated", () => world.service.update(live, { ...ARGS, password: "a-password" })],
  [
    "refreshed in the same process",
    async () => {
      await refreshBoth();
      await world.service.update(live, ARGS);
    },
  ],
  ["refused", () => expect(() => world.service.preview(live, { ...ARGS, projectId: "p2" })).toThrow("projectId")],
  ["taken by another resource of the program", () => world.service.update(live, { ...ARGS, ...urn("renamed") })],
])("what the program has is kept where it is %s", async (_how, keep) => {
  await keep();
  await world.service.removePending(pending);
  expect(world.warnings.pop()).toContain(`service orders (${live.id}) is kept`);
  expect(world.emulator.state().services).toMatchObject([{ id: live.id, status: "READY" }]);
});

test("what the program has is kept where two have it, of which one is replaced", async () => {
  const saved = await world.service.update(live, FREE);
  await world.service.update(saved, { ...FREE, ...urn("other") });
  const elsewhere = { ...FREE, regionCode: "eu-west-1", name: "elsewhere" };
  expect((await world.service.replace(saved, elsewhere)).id).not.toBe(live.id);
  expect(isThere()).toBe(true);
});

test.each([false, true])(
  "what is to go goes where it left the program, and a refresh saw it first: %s",
  async (isSeen) => {
    if (isSeen) await refreshBoth();
    await Promise.all([live, pending].map((entry) => world.service.removePending(entry)));
    expect(isThere()).toBe(false);
  },
);

test("what is to go goes where the planner replaces it, with an older entry of the same id beside it", async () => {
  const saved = await world.service.update(live, FREE);
  world.restart();
  const next = await world.service.replace(saved, { ...FREE, regionCode: "eu-west-1" });
  await world.service.removePending(pending);
  expect([isThere(), isThere(next.id)]).toEqual([false, true]);
});

test("what is to go goes where the engine replaces what would be changed in place, old one first", async () => {
  const args = { ...ARGS, name: "other" };
  world.service.preview(live, args);
  // Pulumi: with `replaceOnChanges` and `deleteBeforeReplace` the resource is checked as new, then the old one goes.
  world.service.check(args);
  await world.service.removePending(live);
  expect(isThere()).toBe(false);
});

const NEXT = { ...ARGS, poolerEnabled: true, name: "renamed" };

test("a replacement that the planner did not see coming (`replaceOnChanges`) says what becomes of the data of the object, by the name that it has", () => {
  world.service.preview(live, NEXT);
  const lost = `service orders (${live.id}) is replaced by a new and EMPTY one; the old one is deleted with its data`;
  expect(world.service.check(NEXT)).toMatchObject({ failures: [], warnings: [textWith(lost)] });
});

test("a replacement that the planner did not see coming (`replaceOnChanges`) is refused where it is protected, and so is its create", async () => {
  world.service.preview(storing(live, { deletionProtection: true }), NEXT);
  const refused = new RegExp(`service orders \\(${live.id}\\) is protected.*so it is not replaced`);
  expect(world.service.check(NEXT).failures).toEqual([textLike(refused)]);
  expect((await errorOf(world.service.create(NEXT))).message).toMatch(refused);
});

test("a replacement that the planner did not see coming (`replaceOnChanges`) is not taken for an update or a create", () => {
  expect(world.service.check(NEXT)).toMatchObject({ failures: [], warnings: [] });
  world.service.preview(live, NEXT);
  expect(world.service.check(NEXT, live.inputs)).toMatchObject({ failures: [], warnings: [] });
});

/** Pulumi: `check` with the old inputs, then without, in the preview too. No call names the object. */
const checkTwice = (args: Values, before: Values = live.inputs) => {
  world.service.check(args, before);
  return world.service.check(args);
};

test("a replacement without a diff finds its name taken by the old one, and the error names `deleteBeforeReplace`", async () => {
  expect(checkTwice(ARGS)).toMatchObject({ failures: [], warnings: [] });
  const { message, hint } = await errorOf(world.service.create(ARGS));
  expect(message).toContain(`there is already service "orders" (${live.id}`);
  expect(hint).toMatch(/`replacementTrigger`.*set the option `deleteBeforeReplace: true`/);
  expect(world.emulator.state().services).toMatchObject([{ id: live.id, status: "READY" }]);
});

test("a replacement without a diff works with `deleteBeforeReplace`, and with another name the new one comes first", async () => {
  checkTwice(ARGS);
  await world.service.removePending(live);
  const next = await world.service.create(ARGS);
  expect(world.calls().slice(1)).toEqual(["deleteService", "createService"]);
  world.nextRun();
  const renamed = { ...ARGS, name: "bills" };
  checkTwice(renamed, next.inputs);
  const last = await world.service.create(renamed);
  await world.service.removePending(next);
  expect(world.calls()).toEqual(["createService", "deleteService"]);
  expect(world.emulator.state().services).toMatchObject([{ id: last.id }]);
});

test("a replacement without a diff, old one first, makes no second one of a name that somebody has given meanwhile", async () => {
  checkTwice(ARGS);
  await world.service.removePending(live);
  world.emulator.mutate.createService({ name: "orders" });
  // Older than a list that may be shared.
  await world.clock.sleep(3_000);
  expect((await errorOf(world.service.create(ARGS))).message).toMatch(/there is already service "orders"/);
  expect(world.calls()).toEqual(["createService", "deleteService"]);
});

test.each<[string, () => Kept, RegExp]>([
  ["the state", () => storing(live, { deletionProtection: true }), /deletionProtection is stored as true/],
  [
    "a tag that the state does not have",
    () => (world.emulator.mutate.service(live.id, { environment: "PROD" }), live),
    /has the environment tag PROD/,
  ],
])("a replacement without a diff, old one first, is refused where %s protects that", async (_what, protect, words) => {
  const old = protect();
  checkTwice(ARGS);
  expect(await refusalToDelete(old)).toMatch(words);
  expect(isThere()).toBe(true);
});

const protectedOne = (): Kept => storing(live, { deletionProtection: true });

test("protection that the entry does not know of counts where the other entry's delete comes at the same time", async () => {
  const both = await Promise.all([pending, protectedOne()].map(refusalToDelete));
  expect(both).toEqual([textWith("protected"), textWith("protected")]);
});

test("protection that the entry does not know of counts where a refresh in the same process has seen it", async () => {
  await world.service.refresh(protectedOne());
  expect(await refusalToDelete(pending)).toMatch(/the other one is protected/);
});

test("protection that the entry does not know of counts where the live tag says so, until it is taken off; a refresh makes it the entry's own", async () => {
  world.emulator.mutate.service(live.id, { environment: "PROD" });
  expect(await refusalToDelete(pending)).toMatch(/has the environment tag PROD/);
  // One that was imported and never read.
  expect(await refusalToDelete({ ...pending, outputs: { __provider: "x" } })).toMatch(/has the environment tag PROD/);
  expect(await refusalToDelete(await refreshed(pending))).toMatch(/deletionProtection is stored as true/);
  world.restart();
  world.emulator.mutate.service(live.id, { environment: "DEV" });
  await world.service.removePending(pending);
  expect(isThere()).toBe(false);
});

test("protection that the entry does not know of counts where the live tag says so and no run has read the object, unless the program has switched it off", async () => {
  const { environment: _, ...unread } = pending.outputs;
  const of = (more: Values): Kept => ({ ...pending, outputs: { ...unread, __unseenUntil: 9e15, ...more } });
  world.emulator.mutate.service(live.id, { environment: "PROD" });
  expect(await refusalToDelete(of({}))).toMatch(/has the environment tag PROD/);
  world.restart();
  const given = `${String(unread["__inputs"])},deletionProtection`;
  await world.service.removePending(of({ deletionProtection: false, __inputs: given }));
  expect(isThere()).toBe(false);
});

test("protection that the entry does not know of: the error says how to forget one that was replaced, which no update reaches", async () => {
  const old = protectedOne();
  world.service.check(ARGS);
  const forced = await refusalToDelete(old);
  world.restart();
  const next = await world.service.create({ ...ARGS, name: "orders-2" });
  world.restart();
  await world.service.update(next, { ...ARGS, name: "orders-2" });
  const later = await refusalToDelete(old);
  for (const said of [forced, later]) expect(said).toMatch(/protected.*"Pending Deletion"/s);
  expect((await errorOf(world.service.remove(old))).hint).not.toContain("Pending Deletion");
});

describe("is what the program did not reach", () => {
  let shop: Kept;
  beforeEach(async () => {
    shop = await earlier(world.service.create({ name: "shop", ...urn("shop") }));
  });
  // Pulumi: with `--continue-on-error` it deletes what was not registered.
  async function expectKept(failed: string): Promise<void> {
    const words = `was not declared in this run, perhaps because the program ended when ${failed} failed`;
    await expect(world.service.removePending(shop)).rejects.toThrow(words);
    expect(world.calls()).toEqual([]);
  }

  test("because another resource failed before, until that succeeds", async () => {
    world.emulator.mutate.createService({ name: "web", regionCode: "us-east-1" });
    await expect(world.service.create({ name: "web", ...urn("web") })).rejects.toThrow("there is already service");
    await expectKept("web");
    await world.service.create({ name: "web-2", ...urn("web") });
    await world.service.removePending(shop);
    expect(world.calls()).toEqual(["createService", "deleteService"]);
  });

  test("because a `get` or an import found nothing", async () => {
    const missing = { id: "was0000000", inputs: {}, outputs: urn("shared") };
    await expect(world.service.refresh(missing)).rejects.toThrow('there is no service "was0000000"');
    await expectKept("shared");
  });
});

test("what the program has is kept: so is what a failure kept from it, also where another resource has its old name after a rename by an alias", async () => {
  const shop = await world.service.create({ name: "shop", ...urn("shop") });
  world.emulator.mutate.createService({ name: "web" });
  world.nextRun();
  await world.service.create({ name: "second", ...urn("shop") });
  await expect(world.service.create({ name: "web", ...urn("web") })).rejects.toThrow("there is already service");
  await expect(world.service.removePending(shop)).rejects.toThrow("was not declared in this run");
  expect(world.calls()).toEqual(["createService"]);
});

test("what the program has is kept: so is what a `get` refers to, also one that has its old name after a rename by an alias", async () => {
  const shop = await earlier(world.service.create({ name: "shop", ...urn("shop") }));
  await world.service.refresh({ id: shop.id, inputs: {}, outputs: urn("shop") });
  await world.service.removePending(shop);
  expect([world.calls(), isThere(shop.id)]).toEqual([[], true]);
});
