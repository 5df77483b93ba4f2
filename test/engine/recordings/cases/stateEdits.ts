// Edits of the state by the CLI, and the run after them.

import { given, type Case } from "../case";
import { elseNamed, named, onlyOther, shop } from "../programs";

const move = (...names: string[]): string =>
  `state move --source dev --dest other ${names.map((name) => `@${name}`).join(" ")}`;

export const stateEdits: readonly Case[][] = [
  given("state delete, still in the program", [shop()], "up, DBCLOUD_ADOPT=other=@walk-other-dev up", {
    steps: ["state delete @other", elseNamed("other")],
  }),
  given("state delete --target-dependents, no longer in the program", [shop(), onlyOther], "up", {
    steps: ["state delete @db --target-dependents"],
  }),
  given("state delete of a set", [shop()], "destroy", { steps: ["state delete @set"] }),
  given("state rename, as in the program", [named("db"), named("orders")], "up", {
    steps: ["state rename @db orders"],
  }),
  given("state move", [shop()], "up, destroy --stack other", {
    steps: [move("db", "set"), elseNamed("db")],
  }),
  given("state move, no longer in the program", [shop(), onlyOther], "up, up --stack other", {
    steps: [move("db", "set")],
  }),
  given("state move of all", [shop()], "up --stack other", { steps: [move("db", "set", "other")] }),
];
