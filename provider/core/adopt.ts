// Adopts an existing object instead of creating one. A difference in an input that cannot change is an error before any
// call. One object belongs to one resource.

import { InputError } from "../domain/errors";
import { show } from "../domain/values/value";
import { describeStep } from "../plan/step";
import { whole } from "./patience";
import { notShared } from "./decideDelete";
import { clashesWith } from "./compare";
import type { CreateAttempt } from "./operation";
import type { Reported } from "./reported";
import { lostWithAnswer, objectOf } from "./state";
import { until } from "./wait";

/** Adopts the object after it was checked against the program. */
export async function adoptObject(attempt: CreateAttempt, id: string): Promise<Reported> {
  const { resource, context, session, inputs, scope, deadlineMs } = attempt;
  const { view } = context.memory;
  const object = objectOf(resource, id, scope.projectId);
  const intention = { is: "intends to adopt", objects: [object] } as const;
  view.tell(context.identity, intention);
  const unshared = view.unshared();
  if (unshared !== undefined) throw notShared(`${resource.noun} ${id}`, unshared, "it was not adopted");
  // A delete looks for this intention before it sends anything, and ends. One that has sent something is waited for.
  const times = { untilMs: deadlineMs, pauseMs: () => session.pace.intervalMs };
  await until(session.clock, times, () => !view.claimsOn(object).isGoing);
  const reader = resource.reader(session, scope);
  const item = (await whole(reader).get(id, { deadlineMs })) ?? (await reader.get(id, { deadlineMs }));
  if (item === undefined || item.condition === "deleting") {
    const going = item === undefined ? "" : ` except one that is being deleted (${item.status})`;
    throw new InputError(
      "nothing-to-adopt",
      "adoptId",
      `adoptId: there is no ${resource.noun} ${show(id)} in project ${scope.projectId}${going}; nothing was created`,
      "Correct the id, or remove `adoptId` (or DBCLOUD_ADOPT) to create a new one.",
    );
  }
  const described = item.describe(session.client.serverTime());
  const clashes = clashesWith(resource, inputs, item);
  if (clashes !== "") {
    throw new InputError(
      "adoption-differs",
      "adoptId",
      `${described} cannot be adopted, because it differs in what cannot change:\n${clashes}`,
      "Change the program to match it, or remove the adoption. Nothing was changed.",
    );
  }
  // Two resources with one object would each change it. One that its own resource gives up in this run may be adopted.
  const { isGoing, keeper, shownOnce } = view.claimsOn(object);
  const rival = isGoing ? "which a delete of this run waits for" : (keeper ?? view.obtained(context.identity, object));
  if (rival !== undefined) {
    // What it has said is no longer so.
    view.tell(context.identity, intention);
    throw new InputError(
      "declared-twice",
      "adoptId",
      `${described} already belongs to another resource of this program, ${rival}; nothing was created`,
      "An object can belong to only one resource: remove one of the two.",
    );
  }
  const { steps } = resource.plan(inputs, { ...inputs, ...item.live() });
  const changes = steps.map(describeStep);
  const changing = changes.length === 0 ? "" : `, and changing it in place: ${changes.join("; ")}`;
  const words = shownOnce === undefined ? lostWithAnswer(resource, inputs) : undefined;
  const lost = words === undefined ? "" : `; ${words}`;
  context.warn(
    `adopting ${described}${changing}${lost}. Make sure that no other stack manages it: from now on, destroying this stack deletes it`,
  );
  return item;
}
