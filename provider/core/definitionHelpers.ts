// What the definitions of the kinds share: sending a step, the wait for another object, a member of one, and the error for one
// that is not there. The table of operations types both sides of a call, so nothing is cast here.

import type { CallOptions } from "../api/http/state";
import { InputError } from "../domain/errors";
import { listed, type Listed } from "../domain/listed";
import { show } from "../domain/values/value";
import type { Call, CallName, Group, PathIds, Requests } from "../plan/calls";
import type { Reader, Session } from "./session";
import type { Member } from "./kind";
import type { Reported } from "./reported";

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

const reports = new WeakMap<object, Reported>();
const lists = new WeakMap<object, Listed<Reported>>();

/** The reader of a kind for the core. Many creates share a list of a thousand objects, so each is made a report of once. */
export function reportedBy<O extends object>(reader: Reader<O>, report: (item: O) => Reported): Reader<Reported> {
  const once = (item: O): Reported => {
    const made = reports.get(item) ?? report(item);
    reports.set(item, made);
    return made;
  };
  const ifShown = (item: O | undefined): Reported | undefined => item && once(item);
  return {
    ...reader,
    get: async (id, options) => ifShown(await reader.get(id, options)),
    fetch: async (id, deadlineMs, turn) => ifShown(await reader.fetch(id, deadlineMs, turn)),
    nextPoll: async (id, options) => ifShown(await reader.nextPoll(id, options)),
    shown: () => reader.shown().map(once),
    unlisted: async (others) => (await reader.unlisted(others)).map(once),
    async list(options) {
      const list = await reader.list(options);
      const made = lists.get(list) ?? listed(list.map(once), list.unreadable);
      lists.set(list, made);
      return made;
    },
  };
}

/** An object as a member of the one that holds it. `lock`: the key under which it is changed. */
export function memberOf(session: Session, item: Reported, lock: string): Member {
  const isSettled = item.condition === "settled" || item.condition === "failed";
  const isQueued = session.locks.isHeld(lock);
  return { words: item.describe(session.client.serverTime()), is: isSettled && !isQueued ? "staying" : "moving" };
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
