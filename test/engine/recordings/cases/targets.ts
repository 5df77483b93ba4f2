// Runs for a part of the program.

import { given, type Case } from "../case";
import { LARGER, onlyOther, shop } from "../programs";

const larger = shop({ args: LARGER });
const withCopy = shop({ has: ["set", "copy"] });

export const targets: readonly Case[][] = [
  given(
    "a part of a change",
    [shop(), larger],
    `up --target @db, up --target @other, up --target @set, up --refresh --target @db,
    up --target @db --target-dependents, up --exclude @db, up --exclude @db --exclude-dependents`,
  ),
  given("a part, a leaf is no longer in the program", [shop(), shop({ has: [] })], "up --target @set"),
  given(
    "a part, which is no longer in the program, nor are its dependents",
    [withCopy, onlyOther],
    "up --target @db, up --target @db --target-dependents",
  ),
  given("a part, another is no longer in the program", [withCopy, shop()], "up --target @db"),
  given("a part, set and copy are no longer in the program", [withCopy, shop({ has: [] })], "up --exclude @set"),
  given(
    "a part is refreshed",
    [shop()],
    `refresh --target @db, refresh --target @db --target-dependents, refresh --exclude @db,
    refresh --exclude @db --exclude-dependents`,
  ),
];
