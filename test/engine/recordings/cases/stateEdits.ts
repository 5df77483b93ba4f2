// Edits of the state by the CLI, and the run after them.

import { given, type Case } from "../case";
import { named, onlyOther, shop } from "../programs";

const OTHER_STACK = "stack init elsewhere --no-select";
const move = (...names: string[]): string =>
  `state move --source dev --dest elsewhere ${names.map((name) => `@${name}`).join(" ")}`;

export const stateEdits: readonly Case[] = [
  given("state delete, still in the program", "up", [shop()], { steps: ["state delete @other"] }),
  given("state delete, still in the program, adopted", "DBCLOUD_ADOPT=other-dev up", [shop()], {
    steps: ["state delete @other"],
  }),
  given("state delete --target-dependents, no longer in the program", "up", [shop(), onlyOther], {
    steps: ["state delete @db --target-dependents"],
  }),
  given("state delete, destroyed", "destroy", [shop()], { steps: ["state delete @set"] }),
  given("state rename, as in the program", "up", [named("db"), named("orders")], {
    steps: ["state rename @db orders"],
  }),
  given("state move, the stack it left", "up", [shop(), onlyOther], { steps: [OTHER_STACK, move("db", "set")] }),
  given("state move, the stack it left, its program unchanged", "up", [shop()], {
    steps: [OTHER_STACK, move("db", "set")],
  }),
  given("state move, the stack it came to", "up --stack elsewhere", [shop()], {
    steps: [OTHER_STACK, move("db", "set", "other")],
  }),
  given("state move, the stack it came to, no longer in the program", "up --stack elsewhere", [shop(), onlyOther], {
    steps: [OTHER_STACK, move("db", "set")],
  }),
  given("state move, the stack it came to, destroyed", "destroy --stack elsewhere", [shop()], {
    steps: [OTHER_STACK, move("db", "set")],
  }),
];
