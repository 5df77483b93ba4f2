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
const second: Program = () => service("second", { name: "db", allowDuplicateName: false });
const both: Program = async () => {
  await one();
  await second();
};
/** A second resource has the same object. */
const secondEntry: Step[] = [["FAILS DBCLOUD_ADOPT=@db up", broken(second)]];

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

const takeName: Step = ({ emulator }) => void emulator.mutate.createService({ name: "taken" });
const loseService: Step = ({ emulator }) => {
  for (const { id, name } of emulator.state().services) if (name === "db-dev") emulator.mutate.deleteService(id);
};

export const programs: readonly Case[] = [
  given("created", "up", [onlyOther, shop()]),
  given("nothing changes", "up", [shop()]),
  given("nothing changes, after a refresh", "up --refresh", [shop()]),
  given("nothing changes, refreshed", "refresh", [shop()]),
  given("nothing changes, refreshed one after the other", "refresh --parallel 1", [shop()]),
  given("nothing changes, refreshed by running the program", "refresh --run-program", [shop()]),
  given("nothing changes, diffs side by side", "PULUMI_PARALLEL_DIFF=true up", [shop()]),
  given("changed in place", "up", [shop(), shop({ args: LARGER })]),
  given("changed in place, by a plan", "up --plan plan.json", [shop(), shop({ args: LARGER })]),
  given("taken out of the program", "up", [shop({ has: ["set", "copy"] }), onlyOther], { isDecisive: true }),
  given("taken out of the program, after a refresh", "up --refresh", [shop({ has: ["set", "copy"] }), onlyOther]),
  given("taken out of the program, after a refresh that runs the program", "up --refresh --run-program", [
    shop({ has: ["set", "copy"] }),
    onlyOther,
  ]),
  given("taken out of the program, by a plan", "up --plan plan.json", [shop(), onlyOther]),
  given("taken out of the program, one after the other", "up --parallel 1", [shop(), onlyOther]),
  given("a leaf taken out of the program", "up", [shop(), shop({ has: [] })]),
  given("renamed without an alias", "up", [shop(), renamed()]),
  given("renamed without an alias, the name is taken, --continue-on-error", "up --continue-on-error", [
    named("db"),
    named("orders"),
  ]),
  given("renamed with an alias", "up", [shop(), renamed({ aliases: [{ name: "db" }] })]),
  given("deleted in the console, refreshed", "refresh", [shop()], { steps: [loseService] }),
  given("deleted in the console, after a refresh", "up --refresh", [shop()], { steps: [loseService] }),
  given("deleted in the console, after a refresh that runs the program", "up --refresh --run-program", [shop()], {
    steps: [loseService],
  }),
  given("deleted in the console, and changed", "up", [shop(), shop({ args: LARGER })], { steps: [loseService] }),
  given("the program fails, something is taken out", "up", [shop(), broken(onlyOther)]),
  given("the program fails, something is taken out, --continue-on-error", "up --continue-on-error", [
    shop(),
    broken(onlyOther),
  ]),
  given("a create fails, something is taken out", "up", [shop(), failing(false)], { steps: [takeName] }),
  given(
    "a create fails, something is taken out, --continue-on-error",
    "up --continue-on-error",
    [shop(), failing(false)],
    { steps: [takeName] },
  ),
  given(
    "a create fails, something is forced, --continue-on-error",
    "up --continue-on-error --replace @db",
    [shop(), failing(true)],
    { steps: [takeName] },
  ),
  given("a delete fails, --continue-on-error", "up --continue-on-error", [
    shop({ args: { environment: "PROD" }, options: { protect: false } }),
    onlyOther,
  ]),
  given("an object is adopted", "DBCLOUD_ADOPT=taken up", [onlyOther, failing(false)], { steps: [takeName] }),
  given("two names with one id", "up", [one, both], { steps: secondEntry }),
  given("two names with one id, one is taken out of the program", "up", [one, second], {
    steps: secondEntry,
    isDecisive: true,
  }),
  given("two names with one id, after a refresh", "up --refresh", [one, second], { steps: secondEntry }),
  given("two names with one id, after a refresh that runs the program", "up --refresh --run-program", [one, second], {
    steps: secondEntry,
  }),
  given("two names with one id, a target", "up --target @db", [one, second], { steps: secondEntry }),
  given("two names with one id, destroyed", "destroy", [one], { steps: secondEntry }),
  given("two names with one id, one is destroyed", "destroy --target @second", [one], { steps: secondEntry }),
  given("looked up", "up", [looking(false), looking(true)]),
  given("looked up, after a refresh", "up --refresh", [looking(true)]),
  given("looked up, taken out of the program", "up", [looking(true), looking(false)]),
  given("looked up, destroyed", "destroy", [looking(true)]),
];
