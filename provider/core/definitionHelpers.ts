// What the definitions of the kinds share: sending a step, the wait for another object, a member of one, and the error for one
// that is not there. The table of operations types both sides of a call, so nothing is cast here.

import type { CallOptions } from "../api/http/state";
import { InputError } from "../domain/errors";
import type { Condition } from "../domain/fields";
import { show } from "../domain/values/value";
import type { Call, CallName, Group, PathIds, Requests } from "../plan/calls";
import type { Reader, Session } from "./session";
import type { BusyWith, Member, ResourceDefinition, Scope } from "./kind";

/** The methods of the client that send the calls of one group. */
type Methods<G extends Group, Answer> = {
  readonly [Name in CallName<G>]: (input: PathIds[G] & Requests[G][Name], options: CallOptions) => Promise<Answer>;
};

/** Returns the object if the call shows it. */
export function sendStep<G extends Group, Answer, Name extends CallName<G> = CallName<G>>(
  methods: Methods<G, Answer>,
  { operation, request }: Call<G, Name>,
  ids: PathIds[G],
  options: CallOptions,
): Promise<Answer> {
  return methods[operation]({ ...ids, ...request }, options);
}

/** An object that is idle when it has settled or is gone. */
export function busyUntilSettled<O>(reader: Reader<O>, id: string, conditionOf: (item: O) => Condition): BusyWith {
  return {
    isIdle: async (poll) => {
      const item = await reader.nextPoll(id, poll);
      return item === undefined || conditionOf(item) === "settled";
    },
  };
}

type Contained<Observed> = Pick<ResourceDefinition<never, Observed>, "condition" | "describe" | "idOf" | "lock">;

/** An object as a member of the one that holds it. */
export function memberOf<Observed>(
  session: Session,
  resource: Contained<Observed>,
  item: Observed,
  scope: Scope,
): Member {
  const words = resource.describe(item, session.client.serverTime());
  const condition = resource.condition(item);
  const isSettled = condition === "settled" || condition === "failed";
  const isQueued = session.locks.isHeld(resource.lock(resource.idOf(item), scope));
  return { words, is: isSettled && !isQueued ? "staying" : "moving" };
}

/** The other objects that inputs name by their ids. */
const NAMED = {
  service: ["service", "`serviceId` of a resource", "getService"],
  vpc: ["VPC", "`vpcId` of a resource (`network.vpcId`)", "getVpc"],
} as const;

/** The error for an input that names an object which the project does not have. */
export function noSuchObject(
  kind: keyof typeof NAMED,
  path: string,
  { id, projectId, outcome = "nothing was created" }: { id: string; projectId: string; outcome?: string },
): InputError {
  const [noun, output, lookup] = NAMED[kind];
  return new InputError(
    "no-such-object",
    path,
    `${path}: there is no ${noun} ${show(id)} in project ${projectId}; ${outcome}`,
    `Give the id of a ${noun} of this project: ${output}, or what \`${lookup}({ name })\` finds.`,
  );
}
