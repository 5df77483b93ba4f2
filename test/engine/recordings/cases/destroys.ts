// Every way to destroy.

import { given, type Case, type Program } from "../case";
import { fork, onlyOther, service, shop } from "../programs";

/** Each depends on the one before it: otherwise the engine chooses the order. */
const chain: Program = async () => fork("copy2", await fork("copy", await service("db")));
const dependents = "--target @db --target-dependents";
const withCopy = shop({ has: ["set", "copy"] });
const protectedShop = shop({ options: { protect: true } });
const protectedSet = shop({ setOptions: { protect: true } });

export const destroys: readonly Case[][] = [
  given(
    "destroyed with a copy",
    [withCopy],
    `destroy, destroy --target @db, destroy ${dependents}, destroy --refresh ${dependents}`,
  ),
  given("destroyed in a chain", [chain], "destroy --parallel 1"),
  given(
    "destroyed",
    [shop()],
    `destroy --refresh, destroy --remove, destroy --continue-on-error, destroy --target @set,
    destroy --refresh --target @set, destroy --exclude @set, destroy --exclude @db`,
  ),
  given(
    "destroyed by a program without the copy",
    [withCopy, shop()],
    `destroy --run-program, destroy --run-program --refresh ${dependents}`,
  ),
  given("destroyed by a program without all of it", [shop(), onlyOther], "destroy --run-program --refresh"),
  given(
    "destroyed by a program without all of it and its copy",
    [withCopy, onlyOther],
    `destroy --run-program ${dependents}`,
  ),
  given("destroyed, protected", [protectedShop], "destroy, destroy --exclude-protected, destroy --ignore-protect"),
  given("destroyed, a leaf is protected", [protectedSet], `destroy --exclude-protected, destroy ${dependents}`),
  given("destroyed, protected before", [protectedShop], "destroy", { steps: ["state unprotect @db"] }),
  given("destroyed, protected by the state alone", [shop()], "destroy", { steps: ["state protect @db"] }),
];
