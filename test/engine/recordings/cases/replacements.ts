// Replacements: of the resource that is named by a flag, and of what depends on it, in the program or only in the state.

import { given, type Case, type Program } from "../case";
import { LARGER, movable, moved, network, service, set, shop } from "../programs";

const onSize = { replaceOnChanges: ["cpuMillis"] };

/** One that the old service has not. */
const freeName = { name: "db-2" };

const replacedWith =
  (trigger: string): Program =>
  async () => {
    const first = await service("first", { name: `first-${trigger}` }, { replacementTrigger: trigger });
    const db = await service("db", { name: `db-${trigger}` }, { replaceWith: [first] });
    await set("set", db);
  };

export const replacements: readonly Case[][] = [
  given(
    "forced",
    [shop()],
    `up --replace @db, up --refresh --replace @db, up --refresh --run-program --replace @db, up --target-replace @db,
    up --target-replace @db --target-dependents, up --parallel 1 --replace @db, up --plan plan.json --replace @db,
    up --replace @db --replace @set --replace @other`,
  ),
  given("forced, a copy no longer in the program", [shop({ has: ["set", "copy"] }), shop()], "up --replace @db"),
  given("forced, a copy in the program", [shop({ has: ["copy"] })], "up --replace @db"),
  given("forced, and changed", [shop(), shop({ args: LARGER })], "up --replace @db"),
  given("forced, a dependent", [shop(), shop({ setArgs: { name: "set-2" } })], "up --replace @set"),
  given("tainted", [shop()], "up, up --refresh", { steps: ["state taint @db"] }),
  given("tainted and untainted", [shop()], "up", { steps: ["state taint @db", "state untaint @db"] }),
  given(
    "replacementTrigger",
    [shop({ options: { replacementTrigger: "1" } }), shop({ args: freeName, options: { replacementTrigger: "2" } })],
    "up",
  ),
  given("replaceWith", [replacedWith("1"), replacedWith("2")], "up"),
  given("asked for by diff", [shop({ args: movable }), shop({ args: moved })], "up, up --refresh"),
  given(
    "replaceOnChanges",
    [shop({ options: onSize }), shop({ args: { ...LARGER, ...freeName }, options: onSize })],
    "up",
  ),
  given("a VPC with a peering and a service, forced", [network(), network({}, "net-2")], "up --replace @net"),
];
