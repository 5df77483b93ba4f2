// Refuses every change before it is sent. It stands before every call of a client, so that no caller can go past it.

import { RefusedError } from "../domain/errors";
import type { Caller } from "./http/call";
import { encodeRequest } from "./operations/request";
import { isChange } from "./operations/operation";

/** The same caller without changes. `remedy`: how to allow them again. */
export function refuseChanges(call: Caller, remedy: string): Caller {
  return async (operation, input, limits) => {
    if (!isChange(operation)) return call(operation, input, limits);
    // An invalid input throws its own error here.
    const { subject } = encodeRequest(operation, input);
    throw new RefusedError(
      "read-only",
      `${subject.label}: refused, because read-only mode is on; nothing was sent`,
      remedy,
    );
  };
}
