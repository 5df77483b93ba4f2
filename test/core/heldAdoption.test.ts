// Adoption and taken names, where the state holds an object: nothing is taken away from a resource of the program, and what
// is to be adopted is not deleted before. Pulumi: with `deleteBeforeReplace` the delete comes before the create, and
// `--continue-on-error` deletes after a create has failed.

import { describe, expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import { done, errorOf, setOf, urn, world } from "./scene";
import { ARGS, FREE, isThere, live, pending, refreshBoth, refusalToDelete, useHeldScene } from "./heldScene";

useHeldScene();

test("an adoption is refused where a resource of the program holds the object", async () => {
  await world.service.update(live, ARGS);
  const other = { ...ARGS, ...urn("other") };
  world.calls();
  const { message } = await errorOf(world.service.create({ ...other, adoptId: live.id }));
  expect(message).toContain("is declared twice, also by db");
  expect((await errorOf(world.service.create(other))).message).toContain("is declared twice");
  expect(world.calls()).toEqual([]);
});

test("an adoption of what another resource of the program has fails in the preview, in whatever order they come", () => {
  const adopting = { ...ARGS, ...urn("new"), adoptId: live.id };
  expect(world.service.check(adopting).failures).toEqual([]);
  expect(() => world.service.preview(live, ARGS)).toThrow("is declared twice, also by new, which adopts it");
  expect(world.service.check(adopting).failures.join()).toContain("is declared twice, also by db");
});

test("a create that a name has stopped adopts nothing: the resource with the name may give it up later", async () => {
  world.nextRun();
  await expect(world.service.create({ ...ARGS, ...urn("new") })).rejects.toThrow("there is already");
  await done(world.service.update(live, { ...ARGS, name: "renamed" }));
  await done(world.service.again.create({ ...ARGS, ...urn("new") }));
});

test.each(["adoptId", "DBCLOUD_ADOPT"])(
  "an adoption by %s of what this run would replace by force keeps it",
  async (by) => {
    await refreshBoth();
    if (by === "DBCLOUD_ADOPT") world.adopt.push(`db=${live.id}`);
    world.calls();
    const args = by === "adoptId" ? { ...ARGS, adoptId: live.id } : ARGS;
    expect((await world.service.create(args)).id).toBe(live.id);
    await world.service.removePending(pending);
    expect(world.calls()).toEqual([]);
  },
);

test("an adoption before the other entry is compared keeps the object: neither entry may delete it", async () => {
  await world.service.create({ ...ARGS, ...urn("new"), adoptId: live.id });
  world.service.preview(live, ARGS);
  await world.service.removePending(pending);
  await world.service.removePending(live);
  expect(isThere()).toBe(true);
});

test("an adoption keeps the replica sets of the object in its preview, whichever was compared before", async () => {
  const argsOf = (name: string): Values => setOf(live, { name, ...urn(name) });
  const [a, b] = [await world.readReplicaSet.create(argsOf("a")), await world.readReplicaSet.create(argsOf("b"))];
  world.restart();
  // The id of their service is not known yet.
  const replaced = () => world.readReplicaSet.preview(b, { ...argsOf("b"), serviceId: UNKNOWN }).replaces;
  expect(replaced()).toEqual(["serviceId"]);
  world.service.check({ ...ARGS, ...urn("new"), adoptId: live.id });
  expect([world.readReplicaSet.preview(a, argsOf("a")).replaces, replaced()]).toEqual([[], []]);
});

test("an adoption lets no set move to a new service in an `up` whose preview took the service for the adopted one", async () => {
  const set = await world.readReplicaSet.create(setOf(live));
  world.restart();
  await world.service.create({ ...ARGS, ...urn("new"), adoptId: live.id });
  const other = await world.service.create({ ...ARGS, name: "other", ...urn("other") });
  expect(() => world.readReplicaSet.preview(set, setOf(other))).toThrow("names an object that this run created");
});

test("an adoption keeps the initial password that this process has seen", async () => {
  await world.service.refresh(live);
  world.service.compare(live);
  const taken = await world.service.create({ ...ARGS, ...urn("relabelled"), adoptId: live.id });
  expect(live.outputs["initialPassword"]).toBeTypeOf("string");
  expect(taken.outputs["initialPassword"]).toBe(live.outputs["initialPassword"]);
});

test("an adoption is said in the preview of what a plain create would be shown for", () => {
  const args = { ...ARGS, ...urn("new"), adoptId: "svc1234567" };
  const warned = (news: Values, olds?: Values) => world.service.check(news, olds).warnings.join();
  expect(warned(args)).toMatch(/^adoptId: .*"svc1234567" will be adopted .*destroying this stack deletes it/);
  expect(warned(args)).not.toContain("gives no");
  expect(warned({ ...args, name: undefined })).toMatch(/named "shop-new-dev", because the program gives no `name`/);
  expect([warned(args, args), warned(ARGS)]).toEqual(["", ""]);
});

test("the name of a pending deletion of the same resource that a refresh has shown is free", async () => {
  await world.service.refresh(pending);
  world.service.compare(pending);
  expect((await world.service.create(ARGS)).id).not.toBe(live.id);
  await world.service.removePending(pending);
  expect(isThere()).toBe(false);
});

describe("an object that this run is told to adopt, and has not adopted, is not deleted", () => {
  test("where `adoptId` of its own resource names it, which is replaced by force and the old one first", async () => {
    world.service.check({ ...ARGS, adoptId: live.id });
    expect(await refusalToDelete(live)).toMatch(/service orders .* is claimed by db .*nothing was deleted/);
  });

  test("where a refresh has shown the entry that `adoptId` is to bring back", async () => {
    await refreshBoth();
    world.service.check({ ...ARGS, adoptId: live.id });
    expect(await refusalToDelete(pending)).toMatch(/is claimed by db/);
  });

  test("where another resource was to adopt it, and could not", async () => {
    const args = { ...ARGS, ...urn("later"), regionCode: "eu-west-1", adoptId: live.id };
    await expect(world.service.create(args)).rejects.toThrow("cannot be adopted");
    expect(await refusalToDelete(live)).toMatch(/is claimed by later/);
  });

  test("where its name stopped the create of another resource, as after a rename without an alias", async () => {
    await expect(world.service.create({ ...ARGS, ...urn("later") })).rejects.toThrow("there is already service");
    expect(await refusalToDelete(live)).toMatch(/is claimed by later .*; nothing was deleted/);
  });

  test("where DBCLOUD_ADOPT says it of a resource of the program, as `adoptId` does", async () => {
    world.adopt.push(`later=${live.id}`);
    world.service.check({ ...ARGS, ...urn("later") });
    expect(await refusalToDelete(live)).toMatch(/is claimed by later .*nothing was deleted/);
  });

  test("where DBCLOUD_ADOPT says it of its own resource, which the planner replaces", async () => {
    const saved = await world.service.update(live, FREE);
    world.restart();
    world.adopt.push(`db=${live.id}`);
    const moved = { ...FREE, regionCode: "eu-west-1" };
    await expect(world.service.replace(saved, moved)).rejects.toThrow("cannot be adopted, because it differs");
    expect(await refusalToDelete(saved)).toMatch(/is claimed by db /);
  });
});

test("an object goes all the same where the planner replaces it, and `adoptId` is left over from the run that adopted it", async () => {
  const free = { ...FREE, adoptId: live.id };
  const saved = await world.service.update(live, free);
  world.restart();
  const next = await world.service.replace(saved, { ...free, regionCode: "eu-west-1" });
  expect([isThere(), isThere(next.id)]).toEqual([false, true]);
});

test("an object goes all the same where the planner replaces it by another one, which DBCLOUD_ADOPT names", async () => {
  const saved = await world.service.update(live, FREE);
  const other = world.emulator.mutate.createService({ name: "orders", regionCode: "eu-west-1" });
  world.restart();
  world.adopt.push(`db=${other.id}`);
  const next = await world.service.replace(saved, { ...FREE, regionCode: "eu-west-1" });
  expect(next.id).toBe(other.id);
  expect([isThere(), isThere(other.id)]).toEqual([false, true]);
});

test("an object goes all the same where the resource names another object by now", async () => {
  world.service.check({ ...ARGS, adoptId: live.id });
  world.service.check({ ...ARGS, adoptId: "svc1234567" });
  await world.service.removePending(pending);
  expect(isThere()).toBe(false);
});

test("another resource adopts what its own resource replaces, in whatever order they are declared", async () => {
  const saved = await world.service.update(live, FREE);
  world.restart();
  world.service.preview(saved, { ...FREE, regionCode: "eu-west-1" });
  const archive = { ...ARGS, ...urn("archive"), name: "archive", adoptId: live.id };
  expect((await world.service.create(archive)).id).toBe(live.id);
  expect((await world.service.create({ ...FREE, regionCode: "eu-west-1" })).id).not.toBe(live.id);
  await world.service.removePending(saved);
  expect(world.emulator.state().services.map(({ name }) => name)).toEqual(["archive", "orders"]);
});
