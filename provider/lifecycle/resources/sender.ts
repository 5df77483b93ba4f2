// Sends the call of a step through the client. The table of operations types both sides, so nothing is cast here and no
// list of calls is kept beside the table.

import type { CallOptions } from "../../api/http/call";
import type { Requests } from "../../plan/calls";

/** The methods of the client that send the calls of one group. */
type Methods<R, Ids, Answer> = {
  readonly [Name in keyof R]: (input: Ids & R[Name], options: CallOptions) => Promise<Answer>;
};

/** The sender of one group of calls. It returns the object if the call shows it. */
export function createSender<R extends Requests[keyof Requests], Ids, Answer>(
  methods: Methods<R, Ids, Answer>,
): <Name extends keyof R>(
  call: { [N in Name]: { readonly operation: N; readonly request: R[N] } }[Name],
  ids: Ids,
  options: CallOptions,
) => Promise<Answer> {
  return ({ operation, request }, ids, options) => methods[operation]({ ...ids, ...request }, options);
}
