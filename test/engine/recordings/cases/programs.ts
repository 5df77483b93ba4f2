// Programs without special options: made, changed, renamed, taken out, half failed.

import { given, type Case, type Program, type Step } from "../case";
import { attempted, broken, LARGER, lookUp, named, onlyOther, service, set, shop } from "../programs";

/** `db` is called otherwise in the program. */
const renamed =
  (options: object = {}): Program =>
  async () => {
    await set("set", await service("orders", { name: "orders" }, options));
    await service("other");
  };

const one: Program = () => service("db", { name: "db" });
const second: Program = () => service("second", { name: "db" });
const both: Program = async () => {
  await one();
  await second();
};
/** A second resource has the same object. */
const secondEntry: Step[] = [["FAILS DBCLOUD_ADOPT=second=@db up", broken(second)]];

/** The create of `taken` fails, because there is a service of that name. */
const failing =
  (hasSet: boolean): Program =>
  async () => {
    const db = await service("db");
    if (hasSet) await set("set", db);
    await service("other");
    await attempted("taken", { name: "taken" });
  };

/** `found` is the object of `db`, read and not managed. */
const looking =
  (isFound: boolean): Program =>
  async () => {
    const db = await service("db");
    if (isFound) await lookUp("found", db);
  };

/** A service and its set, and its fork, with nothing of it left in the second program. */
const takenOut = [shop({ has: ["set", "copy"] }), onlyOther] as const;

const takeName: Step = ({ emulator }) => void emulator.mutate.createService({ name: "taken" });
const loseService: Step = ({ emulator }) => {
  for (const { id, name } of emulator.state().services) if (name.endsWith("db-dev")) emulator.mutate.deleteService(id);
};

export const programs: readonly Case[][] = [
  given("first made", [onlyOther, shop()], "up"),
  given(
    "nothing changes",
    [shop()],
    "up, up --refresh, refresh, refresh --parallel 1, refresh --run-program, PULUMI_PARALLEL_DIFF=true up",
  ),
  given("changed in place", [shop(), shop({ args: LARGER })], "up, up --plan plan.json"),
  given("taken out of the program", takenOut, "*up, up --refresh, up --refresh --run-program"),
  given("taken out with its set", [shop(), onlyOther], "up --plan plan.json, up --parallel 1"),
  given("a leaf taken out of the program", [shop(), shop({ has: [] })], "up"),
  given("renamed without an alias", [shop(), renamed()], "up"),
  given("renamed without an alias, the name is taken", [named("db"), named("orders")], "up --continue-on-error"),
  given("renamed with an alias", [shop(), renamed({ aliases: [{ name: "db" }] })], "up"),
  given("deleted in the console", [shop()], "refresh, up --refresh, up --refresh --run-program", {
    steps: [loseService],
  }),
  given("deleted in the console, and changed", [shop(), shop({ args: LARGER })], "up", { steps: [loseService] }),
  given("the program fails, something is taken out", [shop(), broken(onlyOther)], "up, up --continue-on-error"),
  given("a create fails, something is taken out", [shop(), failing(false)], "up, up --continue-on-error", {
    steps: [takeName],
  }),
  given("a create fails, something is forced", [shop(), failing(true)], "up --continue-on-error --replace @db", {
    steps: [takeName],
  }),
  given(
    "a delete fails",
    [shop({ args: { environment: "PROD" }, options: { protect: false } }), onlyOther],
    "up --continue-on-error",
  ),
  given("an object is adopted", [onlyOther, failing(false)], "DBCLOUD_ADOPT=taken=@taken up", { steps: [takeName] }),
  given("two names with one id", [one, both], "up", { steps: secondEntry }),
  given(
    "two names with one id, one is taken out of the program",
    [one, second],
    "*up, up --refresh, up --refresh --run-program, up --target @db",
    { steps: secondEntry },
  ),
  given("two names with one id, destroyed", [one], "destroy, destroy --target @second", { steps: secondEntry }),
  given("looked up", [looking(false), looking(true)], "up"),
  given("looked up before", [looking(true)], "up --refresh, destroy"),
  given("looked up, taken out of the program", [looking(true), looking(false)], "up"),
];
