// The setting `dbcloud:deletionProtection`: what it protects, in both forms, and what ends that.

import { afterEach, beforeEach, expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import { compared, make } from "../support/plugin";
import { openWorld, type World } from "../support/world";

const REFUSED = "is protected against deletion";
let world: World;
let protecting: World;

beforeEach(async () => {
  world = await openWorld();
  protecting = world.elsewhere({ deletionProtection: "true" });
});
afterEach(() => world.close());

test("every service that does not say false is protected, and says so when it is made", async () => {
  const kept = await protecting.service.create({ name: "orders", environment: "DEV" });
  expect(kept.outputs).toMatchObject({ deletionProtection: true });
  // A destroy sees no setting of the program.
  await expect(world.service.remove(kept)).rejects.toThrow(REFUSED);
  const open = await protecting.service.create({ name: "cache", deletionProtection: false });
  await protecting.service.remove(open);
  const later = await protecting.service.create({ name: "later", deletionProtection: UNKNOWN });
  expect(later.inputs).toMatchObject({ deletionProtection: UNKNOWN });
  expect((await protecting.vpc.create({ cidr: "10.0.0.0/16", regionCode: "us-east-1" })).inputs).not.toHaveProperty(
    "deletionProtection",
  );
});

test("one that is there already is protected by the next update, which calls nothing, and no longer without the setting", async () => {
  const before = await world.service.create({ name: "orders" });
  world.calls();
  expect(protecting.service.preview(before, { name: "orders" })).toMatchObject({ operations: [] });
  const during = await protecting.service.update(before, { name: "orders" });
  await expect(world.service.remove(during)).rejects.toThrow(REFUSED);
  const after = await world.service.update(during, { name: "orders" });
  expect(world.warnings.join()).toContain("is no longer protected against deletion after this update");
  expect(world.calls()).toEqual([]);
  await world.service.remove(after);
});

test("the plugin shows it in the preview as the input that it is", async () => {
  const before = await make(world, "service", { name: "orders" });
  const { changes } = await compared(protecting, before, { name: "orders" });
  expect(changes).toEqual([{ path: "deletionProtection", kind: "update", replaces: false }]);
  const said: Values = { name: "orders", deletionProtection: false };
  expect((await compared(protecting, before, said)).hasChanges).toBe(false);
});
