// An update that ends the protection of a service says so in its preview.

import { expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { textLike } from "../support/matchers";
import { refreshed, useWorld, world } from "./scene";

useWorld();

const PROD = { name: "orders", environment: "PROD" };

const FLAG = { name: "orders", deletionProtection: true };
const NONE = { name: "orders" };
const ENDS = /^service orders \(\w+\) is no longer .*`deletionProtection: true` keeps it protected$/;
const unless = (key: string): RegExp =>
  new RegExp(
    `is no longer protected against deletion after this.*, unless ${key}, which is not known yet, protects it`,
  );

test.each<[string, Values, Values, RegExp[]]>([
  ["switched off, tagged", PROD, { ...PROD, deletionProtection: false }, [ENDS]],
  ["switched off, not tagged", FLAG, { ...FLAG, deletionProtection: false }, [ENDS]],
  ["taken out of the program", FLAG, NONE, [ENDS]],
  ["another tag", PROD, { ...PROD, environment: "DEV" }, [ENDS]],
  ["another tag, still switched on", { ...PROD, ...FLAG }, FLAG, []],
  ["never protected", NONE, { ...NONE, deletionProtection: false }, []],
  ["a flag that is not known yet", PROD, { ...PROD, deletionProtection: UNKNOWN }, [unless("deletionProtection")]],
  ["a tag that is not known yet", PROD, { ...PROD, environment: UNKNOWN }, [unless("environment")]],
  ["such a tag beside the flag", { ...PROD, ...FLAG }, { ...FLAG, environment: UNKNOWN }, []],
  ["such a tag of what is not protected", NONE, { ...NONE, environment: UNKNOWN }, []],
])("a preview says once that protection ends, or may end: %s", async (_name, before, after, words) => {
  const kept = await world.service.create(before);
  world.warnings.length = 0;
  world.service.preview(kept, after);
  expect(world.warnings.filter((text) => text.includes("protect"))).toEqual(words.map(textLike));
});

/** What a refresh finds a minute after somebody set the tag in the console, with its warnings alone. */
async function retagged(kept: Kept, environment: string): Promise<Kept> {
  world.emulator.mutate.service(kept.id, { environment });
  await world.clock.sleep(60_000);
  world.warnings.length = 0;
  return refreshed(kept);
}

test.each<[string, Values, RegExp[]]>([
  ["nothing of it", {}, [/is protected .* until an update without that tag; `deletionProtection: true` keeps/]],
  ["the flag, which decides", { deletionProtection: true }, []],
  ["the tag", { environment: "PROD" }, [/is protected .* until an update without that tag/]],
])("a refresh says that the tag is lost where the program gives %s", async (_name, args, words) => {
  const kept = await world.service.create({ name: "orders", ...args });
  const tagged = await retagged(kept, "PROD");
  expect(tagged.outputs).toMatchObject({ environment: "PROD", deletionProtection: true });
  const seen = await retagged(tagged, "DEV");
  expect(seen.outputs).toMatchObject({ environment: "DEV", deletionProtection: true });
  const told = world.warnings.filter((text) => text.includes("lost its tag PROD"));
  expect(told).toEqual(words.map(textLike));
  world.warnings.length = 0;
  await world.service.refresh(seen);
  expect(world.warnings).toEqual([]);
});

test("a preview does not call the tag that was lost and is set again a beginning of protection", async () => {
  const kept = await world.service.create(PROD);
  const seen = await retagged(kept, "DEV");
  world.progress.length = 0;
  expect(world.service.preview(seen, PROD)).toMatchObject({ operations: ["setEnvironment"] });
  expect(world.progress).toEqual([]);
});

test("a preview names what begins protection, once", async () => {
  const kept = await world.service.create({ name: "orders", environment: "DEV" });
  world.progress.length = 0;
  world.service.preview(kept, PROD);
  expect(world.progress).toEqual([
    textLike(/^service orders \(\w+\): protected .*\(environment: "PROD"\); .*`deletionProtection: false`/),
  ]);
});

test.each<[string, Values]>([
  ["nothing of the tag", {}],
  ["another tag", { environment: "DEV" }],
])("a refresh that finds the tag says what decides the protection, where the program gives %s", async (_name, args) => {
  const kept = await world.service.create({ name: "orders", ...args });
  await retagged(kept, "PROD");
  expect(world.warnings).toEqual([
    textLike(/was tagged PROD .* until an update sets another tag; `deletionProtection: true` or `false`/),
  ]);
});

test.each<[string, Values, string, RegExp[]]>([
  [
    "takes the tag away again",
    { environment: "DEV" },
    "PROD",
    [/until an update sets another tag/, /no longer protected .* after this update, because environment is "DEV"/],
  ],
  ["sets the tag again", { environment: "PROD" }, "DEV", [/until an update without that tag/]],
  ["leaves the tag as it is", { poolerEnabled: true }, "PROD", [/until an update sets another tag/]],
])(
  "a preview says nothing else than the refresh before it about the protection: it %s",
  async (_name, args, tag, words) => {
    const kept = await world.service.create({ ...NONE, ...args, poolerEnabled: false });
    const seen = await retagged(kept, tag);
    world.service.preview(seen, { ...NONE, ...args });
    expect(world.warnings.filter((text) => text.includes("protect"))).toEqual(words.map(textLike));
    expect(world.progress.filter((text) => text.includes("protect"))).toEqual([]);
  },
);
