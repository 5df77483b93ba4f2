// Replacements: of the resource that is named by a flag, and of what depends on it, in the program or only in the state.

import { given, type Case, type Program } from "../case";
import { LARGER, movable, moved, network, service, set, shop } from "../programs";

const onSize = { replaceOnChanges: ["cpuMillis"] };

const replacedWith =
  (trigger: string): Program =>
  async () => {
    const first = await service("first", {}, { replacementTrigger: trigger });
    const db = await service("db", {}, { replaceWith: [first] });
    await set("set", db);
  };

export const replacements: readonly Case[] = [
  given("forced", "up --replace @db", [shop()]),
  given("forced, a copy no longer in the program", "up --replace @db", [shop({ has: ["set", "copy"] }), shop()]),
  given("forced, a copy in the program", "up --replace @db", [shop({ has: ["copy"] })]),
  given("forced, and changed", "up --replace @db", [shop(), shop({ args: LARGER })]),
  given("forced, a dependent", "up --replace @set", [shop(), shop({ setArgs: { name: "set-2" } })]),
  given("forced, all", "up --replace @db --replace @set --replace @other", [shop()]),
  given("forced, after a refresh", "up --refresh --replace @db", [shop()], { isDecisive: true }),
  given("forced, after a refresh that runs the program", "up --refresh --run-program --replace @db", [shop()]),
  given("forced, the only target", "up --target-replace @db", [shop()]),
  given("forced, the only target, with its dependents", "up --target-replace @db --target-dependents", [shop()]),
  given("forced, one operation after the other", "up --parallel 1 --replace @db", [shop()]),
  given("forced, by a plan", "up --plan plan.json --replace @db", [shop()]),
  given("tainted", "up", [shop()], { steps: ["state taint @db"] }),
  given("tainted, after a refresh", "up --refresh", [shop()], { steps: ["state taint @db"] }),
  given("tainted and untainted", "up", [shop()], { steps: ["state taint @db", "state untaint @db"] }),
  given("replacementTrigger", "up", [
    shop({ options: { replacementTrigger: "1" } }),
    shop({ options: { replacementTrigger: "2" } }),
  ]),
  given("replaceWith", "up", [replacedWith("1"), replacedWith("2")]),
  given("asked for by diff", "up", [shop({ args: movable }), shop({ args: moved })]),
  given("asked for by diff, after a refresh", "up --refresh", [shop({ args: movable }), shop({ args: moved })]),
  given("replaceOnChanges", "up", [shop({ options: onSize }), shop({ args: LARGER, options: onSize })]),
  given("a VPC with a peering and a service, forced", "up --replace @net", [network(), network({}, "net-2")]),
];
