// Entries of the state that are to be deleted: what a run has left that ended between the two halves of a replacement.

import { given, type Case, type Program, type Step } from "../case";
import { broken, movable, moved, named, onlyOther, service, shop } from "../programs";

const base = shop();
const first = shop({ options: { deleteBeforeReplace: true } });
const withCopy = shop({ has: ["set", "copy"] });

const db: Program = () => service("db");

/** The service has been replaced, and its old one is still to be deleted, as is the old set. */
const replaced: Step[] = [["FAILS up --replace @db", broken(base)]];
/** The same, but both entries have one id. */
const adopted: Step[] = [["FAILS DBCLOUD_ADOPT=@db up --replace @db", broken(base)]];

export const pending: readonly Case[] = [
  given("a replacement that is cut short", "up --replace @db", [base, broken(base)]),
  given("a pending deletion", "up", [base], { steps: replaced, isDecisive: true }),
  given("a pending deletion, after a refresh", "up --refresh", [base], { steps: replaced }),
  given("a pending deletion, after a refresh that runs the program", "up --refresh --run-program", [base], {
    steps: replaced,
  }),
  given("a pending deletion, refreshed", "refresh", [base], { steps: replaced }),
  given("a pending deletion, refreshed by running the program", "refresh --run-program", [base], { steps: replaced }),
  given("a pending deletion, taken out of the program", "up", [base, onlyOther], { steps: replaced }),
  given("a pending deletion, the target", "up --target @db", [base], { steps: replaced }),
  given("a pending deletion, no target", "up --target @other", [base], { steps: replaced }),
  given("a pending deletion, excluded", "up --exclude @db", [base], { steps: replaced }),
  given("a pending deletion, forced again", "up --replace @db", [base], { steps: replaced }),
  given("a pending deletion, the program fails again", "up", [base, broken(base)], { steps: replaced }),
  given("a pending deletion, destroyed", "destroy", [base], { steps: replaced, isDecisive: true }),
  given("a pending deletion, destroyed by running the program", "destroy --run-program", [base], { steps: replaced }),
  given("a pending deletion, destroyed after a refresh", "destroy --refresh", [base], { steps: replaced }),
  given("a pending deletion, destroyed one after the other", "destroy --parallel 1", [db], {
    steps: [["FAILS up --replace @db", broken(db)]],
  }),
  given(
    "a pending deletion, destroyed as a target with its dependents",
    "destroy --target @db --target-dependents",
    [base],
    { steps: replaced },
  ),
  given("two entries of one id, by an adoption that is cut short", "DBCLOUD_ADOPT=@db up --replace @db", [
    base,
    broken(base),
  ]),
  given("forced, and adopted", "DBCLOUD_ADOPT=@db up --replace @db", [base]),
  given("forced, and adopted, after a refresh", "DBCLOUD_ADOPT=@db up --refresh --replace @db", [base]),
  given("forced, and adopted, deleteBeforeReplace", "DBCLOUD_ADOPT=@db up --replace @db", [first]),
  given(
    "forced, and not to be adopted, --continue-on-error",
    "DBCLOUD_ADOPT=@db up --continue-on-error --replace @db",
    [named("db"), named("db", { regionCode: "eu-west-1" })],
  ),
  given("two entries of one id", "up", [base], { steps: adopted }),
  given("two entries of one id, after a refresh", "up --refresh", [base], { steps: adopted }),
  given("two entries of one id, after a refresh that runs the program", "up --refresh --run-program", [base], {
    steps: adopted,
  }),
  given("two entries of one id, taken out of the program", "up", [base, onlyOther], { steps: adopted }),
  given("two entries of one id, destroyed", "destroy", [base], { steps: adopted }),
  given("two entries of one id, the copy no longer in the program", "up", [withCopy, base], {
    steps: [["FAILS DBCLOUD_ADOPT=@db up --replace @db", broken(withCopy)]],
  }),
  given("two entries of one id, and replaced", "up", [shop({ args: movable }), shop({ args: moved })], {
    steps: [["FAILS DBCLOUD_ADOPT=@db up --replace @db", broken(shop({ args: movable }))]],
  }),
];
