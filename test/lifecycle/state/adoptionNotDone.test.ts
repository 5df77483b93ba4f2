// What this run is told to adopt, and has not: no entry of the state for it deletes it. Pulumi: with
// `deleteBeforeReplace` the delete comes before the create, and `--continue-on-error` deletes after a create has failed.

import { describe, expect, test } from "vitest";
import { urn, world } from "../scene";
import { ARGS, FREE, isThere, live, pending, refreshBoth, refusalToDelete, storing, useHeldScene } from "./heldScene";

useHeldScene();

describe("an object is not deleted", () => {
  test("where `adoptId` of its own resource names it, which is replaced by force and the old one first", async () => {
    world.service.check({ ...ARGS, adoptId: live.id });
    expect(await refusalToDelete(live)).toMatch(/service orders .* is to go to db .*nothing was deleted/);
  });

  test("where a refresh has shown the entry that `adoptId` is to bring back", async () => {
    await refreshBoth();
    world.service.check({ ...ARGS, adoptId: live.id });
    expect(await refusalToDelete(pending)).toMatch(/is to go to db/);
  });

  test("nor stopped where another resource was to adopt it, and could not", async () => {
    const args = { ...ARGS, ...urn("later"), regionCode: "eu-west-1", adoptId: live.id };
    await expect(world.service.create(args)).rejects.toThrow("cannot be adopted");
    expect(await refusalToDelete(live)).toMatch(/is to go to later/);
    expect(await refusalToDelete(storing(live, { onDelete: "stop" }))).toMatch(/is to go to later/);
  });

  test("where its name stopped the create of another resource, as after a rename without an alias", async () => {
    await expect(world.service.create({ ...ARGS, ...urn("later") })).rejects.toThrow("there is already service");
    expect(await refusalToDelete(live)).toMatch(/is to go to later .*; nothing was deleted/);
  });

  test.each(["id", "name"])("where DBCLOUD_ADOPT has its %s", async (by) => {
    world.adopt.push(by === "id" ? live.id : "orders");
    expect(await refusalToDelete(live)).toMatch(/is to go to DBCLOUD_ADOPT.*nothing was deleted/);
  });

  test("where DBCLOUD_ADOPT has its id, and the planner replaces it", async () => {
    const saved = await world.service.update(live, FREE);
    world.adopt.push(live.id);
    expect(() => world.service.preview(saved, { ...FREE, regionCode: "eu-west-1" })).toThrow("DBCLOUD_ADOPT");
    await world.service.removePending(saved);
    expect(isThere()).toBe(true);
  });
});

describe("an object goes", () => {
  test("where the planner replaces it, and `adoptId` is left over from the run that adopted it", async () => {
    const free = { ...FREE, adoptId: live.id };
    const saved = await world.service.update(live, free);
    world.restart();
    const next = await world.service.replace(saved, { ...free, regionCode: "eu-west-1" });
    expect([isThere(), isThere(next.id)]).toEqual([false, true]);
  });

  test("where the planner replaces it by another one of the name that DBCLOUD_ADOPT has", async () => {
    const saved = await world.service.update(live, FREE);
    const other = world.emulator.mutate.createService({ name: "orders", regionCode: "eu-west-1" });
    world.adopt.push("orders");
    const next = await world.service.replace(saved, { ...FREE, regionCode: "eu-west-1" });
    expect(next.id).toBe(other.id);
    expect([isThere(), isThere(other.id)]).toEqual([false, true]);
  });

  test("where the resource names another object by now", async () => {
    world.service.check({ ...ARGS, adoptId: live.id });
    world.service.check({ ...ARGS, adoptId: "svc1234567" });
    await world.service.removePending(pending);
    expect(isThere()).toBe(false);
  });
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
