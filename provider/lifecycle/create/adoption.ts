// Adopts an existing object instead of creating one. A difference in an input that cannot change is an error before any
// call. One object belongs to one resource.

import { InputError } from "../../domain/errors";
import { show } from "../../domain/values/value";
import { explain } from "../../plan/step";
import type { CreateAttempt } from "./attempt";
import { objectOf } from "../view/runView";
import { clashesWith } from "../state/clashes";

/** Adopts the object after it was checked against the program. */
export async function adoptObject(attempt: CreateAttempt, id: string): Promise<unknown> {
  const { resource, context, session, inputs, scope, deadlineMs } = attempt;
  const item = await resource.reader(session, scope).get(id, { deadlineMs });
  const clashes = item === undefined ? [] : clashesWith(resource, inputs, item, scope);
  if (item === undefined || resource.condition(item) === "deleting") throw missingObject(attempt, id, item);
  if (clashes.length > 0) {
    throw new InputError(
      "adoptId",
      `${resource.describe(item, session.client.serverTime())} cannot be adopted, because it differs in what cannot change:\n${clashes.map((line) => `  ${line}`).join("\n")}`,
      "Change the program to match it, or drop the adoption. Nothing was changed.",
    );
  }
  recordAdoption(attempt, id, item);
  const changes = explain({ steps: resource.plan(inputs, resource.live(item, scope)).steps, conflicts: [] });
  const changing = changes.length === 0 ? "" : `, and changing it in place: ${changes.join("; ")}`;
  context.warn(
    `adopting ${resource.describe(item, session.client.serverTime())}${changing}. No other stack may hold it: from now on a destroy of this stack deletes it`,
  );
  return item;
}

function missingObject({ resource, scope }: CreateAttempt, id: string, item: unknown): InputError {
  const what = `${resource.noun} ${show(id)}`;
  const problem =
    item === undefined
      ? `there is no ${what} in project ${scope.projectId}`
      : `${what} in project ${scope.projectId} is going or gone (${resource.statusOf(item)})`;
  return new InputError(
    "adoptId",
    `adoptId: ${problem}; nothing was created`,
    "Correct the id, or drop `adoptId` to create a new one.",
  );
}

/** Records the adoption. Two resources with one object would each change it, and a delete of one would affect both. */
function recordAdoption({ resource, session, context }: CreateAttempt, id: string, item: unknown): void {
  const { view } = context.memory;
  const object = objectOf(resource, id);
  // An object that its own resource gives up in this run may be adopted by this one.
  const keeper = view.keeperOf(object);
  if (keeper !== undefined) {
    throw new InputError(
      "adoptId",
      `${resource.describe(item, session.client.serverTime())} is another resource of this program already, ${keeper}; nothing was created`,
      "One object can belong to one resource only: drop one of the two.",
    );
  }
  view.obtained(context.identity, object);
}
