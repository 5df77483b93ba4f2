// An update that ends the protection of a service says so in its preview.

import { afterEach, beforeEach, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type World } from "../../support/world";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const PROD = { name: "orders", environment: "PROD" };

test.each<[string, Values, Values, boolean]>([
  ["switched off, tagged", PROD, { ...PROD, deletionProtection: false }, true],
  [
    "switched off, not tagged",
    { name: "orders", deletionProtection: true },
    { name: "orders", deletionProtection: false },
    true,
  ],
  ["taken out of the program", { name: "orders", deletionProtection: true }, { name: "orders" }, true],
  ["another tag", PROD, { ...PROD, environment: "DEV" }, true],
  [
    "another tag, still switched on",
    { ...PROD, deletionProtection: true },
    { name: "orders", deletionProtection: true },
    false,
  ],
  ["not known yet", PROD, { ...PROD, deletionProtection: UNKNOWN }, false],
  ["never protected", { name: "orders" }, { name: "orders", deletionProtection: false }, false],
])("where it ends, the preview says so once, with both locks: %s", async (_name, before, after, isTold) => {
  const kept = await world.service.create(before);
  world.warnings.length = 0;
  world.service.preview(kept, after);
  const told = world.warnings.filter((text) => text.includes("is no longer protected against deletion after this"));
  const words = /^service orders \(\w+\).*deletes its data\. Pulumi's own `protect` ends with it/;
  expect(told.map((text) => words.test(text))).toEqual(isTold ? [true] : []);
});
