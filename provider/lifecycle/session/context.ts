// What a handler gets besides its values. Handlers hold no configuration of their own, so that several hosts can share one
// process and a front other than Pulumi's can serve them.

import type { Clock } from "../../domain/values/clock";
import { parseDuration } from "../../domain/values/duration";
import type { Timeouts } from "../../domain/fields";
import type { Values } from "../../domain/values/value";
import { abortable } from "./abortable";
import type { Memory, Session } from "./session";

export interface Context {
  /** Opened only for a call of the API: previews need no key. */
  session: () => Session;
  /** Shows a line on the resource's own row until the operation ends. */
  progress: (line: string) => void;
  /** Shows a line that stays. */
  warn: (line: string) => void;
  /** Shows the calls that an update would make, in their order; absent where nobody asks for them. */
  showCalls?: (operations: readonly string[]) => void;
  /** Effects and progress are not wanted (`dbcloud:quiet`). */
  quiet: boolean;
  memory: Memory;
  /** The resource of the program that the call is about; undefined when the front does not know it. */
  identity: Identity | undefined;
  /** Names and ids that this run may take over (`DBCLOUD_ADOPT`). */
  adopt: readonly string[];
  /**
   * Aborted: the operation ends. Every wait ends at once and nothing more is sent; a change that was sent gets its answer.
   * The reason is an error for the user.
   */
  signal: AbortSignal;
}

/** The session of one operation, whose waits end with it. Throws a ConfigError when a setting is missing. */
export function sessionOf({ session, signal }: Pick<Context, "session" | "signal">): Session {
  return abortable(session(), signal);
}

/** A resource of the program, as the front tells resources apart. */
export interface Identity {
  readonly key: string;
  /** Its name in the program, for messages. */
  readonly name: string;
}

export type Operation = "create" | "update" | "delete" | "read";

/** The moment at which an operation must be over, from its own timeout or the default. */
export function deadlineOf(
  clock: Clock,
  operation: Operation,
  timeouts: Timeouts | undefined,
  defaults: Readonly<Record<Operation, number>>,
): number {
  return clock.now() + (givenMs(operation, timeouts) ?? defaults[operation]);
}

/** Time limit of each single call of an operation; undefined when a given timeout limits all of them together. */
export function stepLimitOf(
  operation: Operation,
  timeouts: Timeouts | undefined,
  defaults: Readonly<Record<Operation, number>>,
): number | undefined {
  return givenMs(operation, timeouts) === undefined ? defaults.update : undefined;
}

function givenMs(operation: Operation, timeouts: Timeouts | undefined): number | undefined {
  const given = timeouts?.[operation];
  return given === undefined ? undefined : parseDuration(given);
}

/** The timeouts of a program or a state. */
export function timeoutsOf(values: Values): Timeouts | undefined {
  // `check` has validated it.
  return values["timeouts"] as Timeouts | undefined;
}
