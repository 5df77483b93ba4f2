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
const adopted: Step[] = [["FAILS DBCLOUD_ADOPT=db=@db up --replace @db", broken(base)]];

const entries = { steps: adopted };

export const pending: readonly Case[][] = [
  given("a replacement that is cut short", [base, broken(base)], "up --replace @db"),
  given(
    "a pending deletion",
    [base],
    `*up, up --refresh, up --refresh --run-program, refresh, refresh --run-program, up --target @db, up --target @other,
    up --exclude @db, up --replace @db, destroy, destroy --run-program, destroy --refresh,
    destroy --target @db --target-dependents`,
    { steps: replaced },
  ),
  given("a pending deletion, taken out of the program", [base, onlyOther], "up", { steps: replaced }),
  given("a pending deletion, the program fails again", [base, broken(base)], "up", { steps: replaced }),
  given("a pending deletion of a single service", [db], "destroy --parallel 1", {
    steps: [["FAILS up --replace @db", broken(db)]],
  }),
  given("forced, adopted and cut short", [base, broken(base)], "DBCLOUD_ADOPT=db=@db up --replace @db"),
  given(
    "forced, and adopted",
    [base],
    "DBCLOUD_ADOPT=db=@db up --replace @db, DBCLOUD_ADOPT=db=@db up --refresh --replace @db",
  ),
  given("forced, and adopted, deleteBeforeReplace", [first], "DBCLOUD_ADOPT=db=@db up --replace @db"),
  given(
    "forced, and not to be adopted",
    [named("db"), named("db", { regionCode: "eu-west-1" })],
    "DBCLOUD_ADOPT=db=@db up --continue-on-error --replace @db",
  ),
  given("two entries of one id", [base], "*up, up --refresh, up --refresh --run-program, destroy", entries),
  given("two entries of one id, taken out of the program", [base, onlyOther], "up", entries),
  given("two entries of one id, the copy no longer in the program", [withCopy, base], "up", {
    steps: [["FAILS DBCLOUD_ADOPT=db=@db up --replace @db", broken(withCopy)]],
  }),
  given("two entries of one id, and replaced", [shop({ args: movable }), shop({ args: moved })], "up", {
    steps: [["FAILS DBCLOUD_ADOPT=db=@db up --replace @db", broken(shop({ args: movable }))]],
  }),
];
