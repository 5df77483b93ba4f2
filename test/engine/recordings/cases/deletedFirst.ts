// Replacements that delete first: then the engine works out from the state what must go before.

import * as pulumi from "@pulumi/pulumi";
import { given, type Case, type Program, type Step } from "../case";
import {
  attempted,
  foreign,
  fork,
  LARGER,
  movable,
  moved,
  network,
  onlyOther,
  peering,
  sameNamed,
  service,
  set,
  shop,
  vpc,
} from "../programs";

const onSize = { replaceOnChanges: ["cpuMillis"] };
const first = { deleteBeforeReplace: true };

const copies =
  (count: number): Program =>
  async () => {
    let last = await service("db", {}, first);
    for (let number = 1; number <= count; number += 1) last = await fork(`copy${number}`, last);
  };

const besides: Program = async () => {
  const db = await service("db", {}, first);
  const beside = await service("beside", {}, { dependsOn: db });
  await set("set", beside, { parent: db });
};

/** A peering that has failed asks for a replacement that deletes first. */
const peered =
  (options: object): Program =>
  async () =>
    peering("peer", await vpc("net"), options);

const failPeering: Step = ({ emulator }) => {
  for (const { id } of emulator.state().peerings) emulator.mutate.peering(id, { errorMessage: "no such VPC" });
};

/** The old service is deleted, and then the run ends. */
const cutShort: Program = () => {
  const refuse = new pulumi.ResourceHook("refuse", () => {
    throw new Error("not now");
  });
  return attempted("db", {}, { ...first, hooks: { beforeCreate: [refuse] } });
};
const all = shop({ options: first, has: ["set", "copy"] });
const withSet = shop({ options: first });
const alone = shop({ options: first, has: [] });
const halfReplaced: Step[] = [["FAILS up --replace @db", cutShort], sameNamed];

export const deletedFirst: readonly Case[][] = [
  given(
    "deleteBeforeReplace",
    [withSet],
    "up --replace @db, up --refresh --replace @db, up --plan plan.json --replace @db, up --target-replace @db",
  ),
  given("deleteBeforeReplace, a copy in the program", [all], "up --replace @db"),
  given(
    "deleteBeforeReplace, set and copy no longer in the program",
    [all, alone],
    "up --replace @db, up --refresh --replace @db, up --refresh --run-program --replace @db",
  ),
  given(
    "deleteBeforeReplace, a copy and its copy no longer in the program",
    [copies(2), copies(0)],
    "up --replace @db",
  ),
  given("deleteBeforeReplace, dependents by dependsOn and parent alone", [besides], "up --replace @db"),
  given(
    "deleteBeforeReplace, a copy no longer in the program",
    [all, withSet],
    "up --target-replace @db --target-dependents",
  ),
  given("deleteBeforeReplace of a dependent", [shop({ setOptions: first })], "up --replace @set"),
  given(
    "deleteBeforeReplace, a protected dependent",
    [shop({ options: first, setOptions: { protect: true } })],
    "up --replace @db",
  ),
  given("deleteBeforeReplace, tainted", [withSet], "up", { steps: ["state taint @db"] }),
  given(
    "deleteBeforeReplace, asked for by diff",
    [shop({ options: first, args: movable }), shop({ options: first, args: moved })],
    "*up",
  ),
  given(
    "deleteBeforeReplace, asked for by diff, the set no longer in the program",
    [shop({ options: first, args: movable }), shop({ options: first, args: moved, has: [] })],
    "up",
  ),
  given("deleteBeforeReplace, cut short", [withSet, cutShort], "up --replace @db"),
  given("deleteBeforeReplace, after it was cut short", [withSet], "up, up --refresh, destroy", { steps: halfReplaced }),
  given("deleteBeforeReplace, after it was cut short, the set no longer in the program", [withSet, alone], "up", {
    steps: halfReplaced,
  }),
  given(
    "deleteBeforeReplace, replaceOnChanges",
    [shop({ options: { ...first, ...onSize } }), shop({ args: LARGER, options: { ...first, ...onSize } })],
    "up",
  ),
  given("deleteBeforeReplace, taken out of the program", [withSet, onlyOther], "up"),
  given("deleteBeforeReplace of a VPC with a peering and a service", [network(first)], "up --replace @net"),
  given("deleteBeforeReplace by a foreign diff, which feeds a service", [foreign("1"), foreign("2")], "up"),
  given(
    "deleteBeforeReplace by a foreign diff, the service no longer in the program",
    [foreign("1"), foreign("2", false)],
    "up",
  ),
  given("deleteBeforeReplace by our diff", [peered({})], "up", { steps: [failPeering, "refresh"] }),
  given("deleteBeforeReplace: false against our diff", [peered({ deleteBeforeReplace: false })], "up", {
    steps: [failPeering, "refresh"],
  }),
];
