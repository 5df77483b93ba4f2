// Every way to destroy.

import { given, type Case, type Program } from "../case";
import { fork, onlyOther, service, shop } from "../programs";

/** Each depends on the one before it: otherwise the engine chooses the order. */
const chain: Program = async () => fork("copy2", await fork("copy", await service("db")));
const withCopy = shop({ has: ["set", "copy"] });
const protectedShop = shop({ options: { protect: true } });
const protectedSet = shop({ setOptions: { protect: true } });

export const destroys: readonly Case[] = [
  given("destroy", "destroy", [withCopy]),
  given("destroy, one operation after the other", "destroy --parallel 1", [chain]),
  given("destroy --refresh", "destroy --refresh", [shop()]),
  given("destroy --run-program", "destroy --run-program", [withCopy, shop()], { isDecisive: true }),
  given("destroy --run-program --refresh", "destroy --run-program --refresh", [shop(), onlyOther]),
  given("destroy --remove", "destroy --remove", [shop()]),
  given("destroy --continue-on-error", "destroy --continue-on-error", [shop()]),
  given("destroy --target of a leaf", "destroy --target @set", [shop()]),
  given("destroy --target of a leaf, with a refresh", "destroy --refresh --target @set", [shop()]),
  given("destroy --target, which has dependents", "destroy --target @db", [withCopy]),
  given("destroy --target --target-dependents", "destroy --target @db --target-dependents", [withCopy], {
    isDecisive: true,
  }),
  given("destroy --target --target-dependents, with a refresh", "destroy --refresh --target @db --target-dependents", [
    withCopy,
  ]),
  given(
    "destroy --target --target-dependents, running the program",
    "destroy --run-program --target @db --target-dependents",
    [withCopy, onlyOther],
  ),
  given(
    "destroy --target --target-dependents, running the program, with a refresh",
    "destroy --run-program --refresh --target @db --target-dependents",
    [withCopy, shop()],
  ),
  given("destroy --exclude of a leaf", "destroy --exclude @set", [shop()]),
  given("destroy --exclude of what others depend on", "destroy --exclude @db", [shop()]),
  given("destroy --exclude-protected", "destroy --exclude-protected", [protectedShop]),
  given("destroy --exclude-protected, a leaf is protected", "destroy --exclude-protected", [protectedSet]),
  given("destroy, one is protected", "destroy", [protectedShop]),
  given("destroy, one was protected", "destroy", [protectedShop], { steps: ["state unprotect @db"] }),
  given("destroy, one is protected by the state alone", "destroy", [shop()], { steps: ["state protect @db"] }),
  given("destroy --ignore-protect", "destroy --ignore-protect", [protectedShop]),
  given("destroy --target --target-dependents, a dependent is protected", "destroy --target @db --target-dependents", [
    protectedSet,
  ]),
];
