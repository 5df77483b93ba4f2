// Runs for a part of the program.

import { given, type Case } from "../case";
import { LARGER, onlyOther, shop } from "../programs";

const larger = shop({ args: LARGER });
const withCopy = shop({ has: ["set", "copy"] });

export const targets: readonly Case[] = [
  given("up --target", "up --target @db", [shop(), larger]),
  given("up --target of something else", "up --target @other", [shop(), larger]),
  given("up --target of a dependent", "up --target @set", [shop(), larger]),
  given("up --target, after a refresh", "up --refresh --target @db", [shop(), larger]),
  given("up --target --target-dependents", "up --target @db --target-dependents", [shop(), larger]),
  given("up --target of a leaf that the program no longer has", "up --target @set", [shop(), shop({ has: [] })]),
  given("up --target of one that the program no longer has, nor its dependents", "up --target @db", [
    withCopy,
    onlyOther,
  ]),
  given(
    "up --target --target-dependents of one that the program no longer has, nor its dependents",
    "up --target @db --target-dependents",
    [withCopy, onlyOther],
  ),
  given("up --target, another is no longer in the program", "up --target @db", [withCopy, shop()]),
  given("up --exclude", "up --exclude @db", [shop(), larger]),
  given("up --exclude --exclude-dependents", "up --exclude @db --exclude-dependents", [shop(), larger]),
  given("up --exclude of a leaf that the program no longer has", "up --exclude @set", [withCopy, shop({ has: [] })]),
  given("refresh --target", "refresh --target @db", [shop()]),
  given("refresh --target --target-dependents", "refresh --target @db --target-dependents", [shop()]),
  given("refresh --exclude", "refresh --exclude @db", [shop()]),
  given("refresh --exclude --exclude-dependents", "refresh --exclude @db --exclude-dependents", [shop()]),
];
