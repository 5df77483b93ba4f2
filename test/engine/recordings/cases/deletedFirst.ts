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
  return attempted("db", { allowDuplicateName: true }, { ...first, hooks: { beforeCreate: [refuse] } });
};
const halfReplaced: Step[] = [["FAILS up --replace @db", cutShort]];

export const deletedFirst: readonly Case[] = [
  given("deleteBeforeReplace, forced", "up --replace @db", [shop({ options: first })]),
  given("deleteBeforeReplace, forced, a copy in the program", "up --replace @db", [
    shop({ options: first, has: ["set", "copy"] }),
  ]),
  given(
    "deleteBeforeReplace, forced, set and copy no longer in the program",
    "up --replace @db",
    [shop({ options: first, has: ["set", "copy"] }), shop({ options: first, has: [] })],
    { isDecisive: true },
  ),
  given(
    "deleteBeforeReplace, forced, set and copy no longer in the program, after a refresh",
    "up --refresh --replace @db",
    [shop({ options: first, has: ["set", "copy"] }), shop({ options: first, has: [] })],
  ),
  given(
    "deleteBeforeReplace, forced, set and copy no longer in the program, after a refresh that runs the program",
    "up --refresh --run-program --replace @db",
    [shop({ options: first, has: ["set", "copy"] }), shop({ options: first, has: [] })],
  ),
  given("deleteBeforeReplace, forced, by a plan", "up --plan plan.json --replace @db", [shop({ options: first })]),
  given("deleteBeforeReplace, forced, a copy and its copy no longer in the program", "up --replace @db", [
    copies(2),
    copies(0),
  ]),
  given("deleteBeforeReplace, forced, dependents by dependsOn and parent alone", "up --replace @db", [besides]),
  given("deleteBeforeReplace, forced, after a refresh", "up --refresh --replace @db", [shop({ options: first })]),
  given("deleteBeforeReplace, forced, the only target", "up --target-replace @db", [shop({ options: first })]),
  given(
    "deleteBeforeReplace, forced, the only target, with its dependents",
    "up --target-replace @db --target-dependents",
    [shop({ options: first, has: ["set", "copy"] }), shop({ options: first })],
  ),
  given("deleteBeforeReplace, forced, the dependent has it", "up --replace @set", [shop({ setOptions: first })]),
  given("deleteBeforeReplace, forced, a protected dependent", "up --replace @db", [
    shop({ options: first, setOptions: { protect: true } }),
  ]),
  given("deleteBeforeReplace, tainted", "up", [shop({ options: first })], { steps: ["state taint @db"] }),
  given(
    "deleteBeforeReplace, asked for by diff",
    "up",
    [shop({ options: first, args: movable }), shop({ options: first, args: moved })],
    { isDecisive: true },
  ),
  given("deleteBeforeReplace, cut short", "up --replace @db", [shop({ options: first }), cutShort]),
  given("deleteBeforeReplace, after it was cut short", "up", [shop({ options: first })], { steps: halfReplaced }),
  given(
    "deleteBeforeReplace, after it was cut short, the set no longer in the program",
    "up",
    [shop({ options: first }), shop({ options: first, has: [] })],
    { steps: halfReplaced },
  ),
  given("deleteBeforeReplace, after it was cut short, after a refresh", "up --refresh", [shop({ options: first })], {
    steps: halfReplaced,
  }),
  given("deleteBeforeReplace, after it was cut short, destroyed", "destroy", [shop({ options: first })], {
    steps: halfReplaced,
  }),
  given("deleteBeforeReplace, asked for by diff, the set no longer in the program", "up", [
    shop({ options: first, args: movable }),
    shop({ options: first, args: moved, has: [] }),
  ]),
  given("deleteBeforeReplace, replaceOnChanges", "up", [
    shop({ options: { ...first, ...onSize } }),
    shop({ args: LARGER, options: { ...first, ...onSize } }),
  ]),
  given("deleteBeforeReplace, taken out of the program", "up", [shop({ options: first }), onlyOther]),
  given("deleteBeforeReplace, forced, a VPC with a peering and a service", "up --replace @net", [network(first)]),
  given("deleteBeforeReplace by a foreign diff, which feeds a service", "up", [foreign("1"), foreign("2")], {
    isDecisive: true,
  }),
  given("deleteBeforeReplace by a foreign diff, the service no longer in the program", "up", [
    foreign("1"),
    foreign("2", false),
  ]),
  given("deleteBeforeReplace by our diff", "up", [peered({})], { steps: [failPeering, "refresh"] }),
  given("deleteBeforeReplace: false against our diff", "up", [peered({ deleteBeforeReplace: false })], {
    steps: [failPeering, "refresh"],
  }),
];
