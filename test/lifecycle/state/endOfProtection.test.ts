// An update that ends the protection of a service says so in its preview.

import { expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import type { Values } from "../../../provider/domain/values/value";
import type { Kept } from "../../support/world";
import { textLike } from "../../support/matchers";
import { refreshed, useWorld, world } from "../scene";

useWorld();

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
])("a preview says once that protection ends: %s", async (_name, before, after, isTold) => {
  const kept = await world.service.create(before);
  world.warnings.length = 0;
  world.service.preview(kept, after);
  const told = world.warnings.filter((text) => text.includes("is no longer protected against deletion after this"));
  const words = /^service orders \(\w+\) is no longer .*`deletionProtection: true` keeps it protected$/;
  expect(told.filter((text) => !text.includes("not known yet")).map((text) => words.test(text))).toEqual(
    isTold ? [true] : [],
  );
});

test.each<[string, Values, Values, string | undefined]>([
  ["the flag", PROD, { ...PROD, deletionProtection: UNKNOWN }, "deletionProtection"],
  ["the tag", PROD, { ...PROD, environment: UNKNOWN }, "environment"],
  [
    "the tag beside the flag",
    { ...PROD, deletionProtection: true },
    { environment: UNKNOWN, deletionProtection: true },
    undefined,
  ],
  ["the tag of what is not protected", { name: "orders" }, { environment: UNKNOWN }, undefined],
])("a preview says that a value which is not known yet may end it: %s", async (_name, before, after, key) => {
  const kept = await world.service.create(before);
  world.warnings.length = 0;
  world.service.preview(kept, { name: "orders", ...after });
  const told = world.warnings.filter((text) => text.includes("which is not known yet, protects it"));
  expect(told.map((text) => /, unless (\w+), which/.exec(text)?.[1])).toEqual(key === undefined ? [] : [key]);
});

/** What a refresh finds a minute after somebody set the tag in the console, with its warnings alone. */
async function retagged(kept: Kept, environment: string): Promise<Kept> {
  world.emulator.mutate.service(kept.id, { environment });
  await world.clock.sleep(60_000);
  world.warnings.length = 0;
  return refreshed(kept);
}

test.each<[string, Values, RegExp[]]>([
  ["nothing of it", {}, [/stays protected until an update of it; `deletionProtection: true` keeps it protected/]],
  ["the flag, which decides", { deletionProtection: true }, []],
  ["the tag", { environment: "PROD" }, [/stays protected, and the next `pulumi up` sets the tag again/]],
])("a refresh says that the tag is lost where the program gives %s", async (_name, args, words) => {
  const kept = await world.service.create({ name: "orders", ...args });
  const tagged = await retagged(kept, "PROD");
  expect(tagged.outputs).toMatchObject({ environment: "PROD", deletionProtection: true });
  const seen = await retagged(tagged, "DEV");
  expect(seen.outputs).toMatchObject({ environment: "DEV", deletionProtection: true });
  const told = world.warnings.filter((text) => text.includes("has lost its tag PROD"));
  expect(told).toEqual(words.map(textLike));
  world.warnings.length = 0;
  await world.service.refresh(seen);
  expect(world.warnings).toEqual([]);
});

test("a preview calls the tag that was lost and is set again a repair, and no beginning of protection", async () => {
  const kept = await world.service.create(PROD);
  const seen = await retagged(kept, "DEV");
  world.progress.length = 0;
  expect(world.service.preview(seen, PROD)).toMatchObject({ operations: ["setEnvironment"] });
  expect(world.progress).toEqual([`service orders (${kept.id}): sets the lost tag PROD again`]);
});

test("a preview names what begins protection, once", async () => {
  const kept = await world.service.create({ name: "orders", environment: "DEV" });
  world.progress.length = 0;
  world.service.preview(kept, PROD);
  expect(world.progress).toEqual([
    textLike(/^service orders \(\w+\): protected .*\(environment: "PROD"\); `deletionProtection: false`/),
  ]);
});

test.each<[string, Values, RegExp]>([
  ["nothing of the tag", {}, /from now on; `deletionProtection: false` and `pulumi up` switch that off$/],
  [
    "another tag",
    { environment: "DEV" },
    /from now on, until an update sets environment back to "DEV"; `deletionProtection: true` keeps it protected after that, too$/,
  ],
])(
  "a refresh that finds the tag says how long that protects, where the program gives %s",
  async (_name, args, words) => {
    const kept = await world.service.create({ name: "orders", ...args });
    await retagged(kept, "PROD");
    expect(world.warnings).toEqual([textLike(words)]);
  },
);
