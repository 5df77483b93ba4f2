// An update that ends the protection of a service says so in its preview.

import { expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import type { Values } from "../../../provider/domain/values/value";
import { textLike } from "../../support/matchers";
import type { Kept } from "../../support/world";
import { MINUTE_MS, refreshed, useWorld, world } from "../scene";

useWorld();

const PLAIN = { name: "orders" };
const HELD = { name: "orders", deletionProtection: true };
const PROD = { name: "orders", environment: "PROD" };

test.each<[string, Values, Values, boolean]>([
  ["switched off, tagged", PROD, { ...PROD, deletionProtection: false }, true],
  ["switched off, not tagged", HELD, { ...PLAIN, deletionProtection: false }, true],
  ["taken out of the program", HELD, PLAIN, true],
  ["another tag", PROD, { ...PROD, environment: "DEV" }, true],
  ["another tag, still switched on", { ...PROD, deletionProtection: true }, HELD, false],
  ["not known yet", PROD, { ...PROD, deletionProtection: UNKNOWN }, false],
  ["never protected", PLAIN, { ...PLAIN, deletionProtection: false }, false],
])("where it ends, the preview says so once, with both locks: %s", async (_name, before, after, isTold) => {
  const kept = await world.service.create(before);
  world.warnings.length = 0;
  world.service.preview(kept, after);
  const told = world.warnings.filter((text) => /no longer protected/.test(text) && !text.includes("not known yet"));
  expect(told).toEqual(isTold ? [textLike(/^service orders .* after this update, nor by the `protect`/)] : []);
});

test.each<[string, Values, Values, string | undefined]>([
  ["the flag", PROD, { ...PROD, deletionProtection: UNKNOWN }, "deletionProtection"],
  ["the tag", PROD, { ...PROD, environment: UNKNOWN }, "environment"],
  ["the tag beside the flag", { ...PROD, deletionProtection: true }, { ...HELD, environment: UNKNOWN }, undefined],
  ["the tag of what is not protected", PLAIN, { environment: UNKNOWN }, undefined],
])("a preview says that a value which is not known yet may end it: %s", async (_name, before, after, key) => {
  const kept = await world.service.create(before);
  world.warnings.length = 0;
  world.service.preview(kept, { name: "orders", ...after });
  const told = world.warnings.flatMap((text) => /\(unless (\w+), which is not known yet/.exec(text)?.[1] ?? []);
  expect(told).toEqual(key === undefined ? [] : [key]);
});

test.each<[string, Values, RegExp, boolean]>([
  ["nothing of the tag", {}, /`deletionProtection: false` and `pulumi up` switch that off/, true],
  ["another tag", { environment: "DEV" }, /sets environment back .*`deletionProtection: true` keeps it/, true],
  ["the flag", { deletionProtection: true }, /^$/, false],
  ["the tag, which the next up sets again", { environment: "PROD" }, /^$/, false],
])(
  "a refresh says that the tag came, for how long it protects, and that it is gone, where the program gives %s",
  async (_name, args, words, isTold) => {
    const kept = await world.service.create({ name: "orders", ...args });
    const tag = async (environment: string, before: Kept): Promise<Kept> => {
      world.emulator.mutate.service(kept.id, { environment });
      await world.clock.sleep(MINUTE_MS);
      world.warnings.length = 0;
      return refreshed(before);
    };
    const tagged = await tag("PROD", kept);
    expect(world.warnings).toEqual(isTold ? [textLike(words)] : []);
    expect(tagged.outputs).toMatchObject({ environment: "PROD", deletionProtection: true });
    const seen = await tag("DEV", tagged);
    expect(seen.outputs).toMatchObject({ environment: "DEV", deletionProtection: true });
    const told = world.warnings.filter((text) => text.includes("It stays protected"));
    expect(told).toHaveLength(isTold && Object.keys(args).length === 0 ? 1 : 0);
  },
);
