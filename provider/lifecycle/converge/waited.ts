// What a wait knows of the object that it waits for.

import type { Target } from "../resources/observation";
import type { Context } from "../session/context";

/** The object in the answer of an accepted call: often absent, and never a proof. */
export interface Answered {
  item: unknown;
}

export interface Waited extends Target {
  readonly context: Context;
  /** A 404 before this moment means that the server lags behind our own create, not that the object is lost. */
  readonly unseenUntilMs?: (() => number) | undefined;
  /** The object as last read. */
  observed?: unknown;
  /** When a change under way at the object was last observed. */
  unsettledMs?: number | undefined;
  /** The last answer; undefined until a call was sent, and where the answer was lost. */
  answered?: Answered | undefined;
  /** The server took a call, or may have taken one. */
  hasTouched: boolean;
}
