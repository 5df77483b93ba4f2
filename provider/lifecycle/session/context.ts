// What one call of a handler is given besides its values. Handlers hold no configuration of their own, so that several
// can live in one process and another front than Pulumi's can serve them.

import type { Clock } from "../../domain/values/clock";
import { parseDuration } from "../../domain/values/duration";
import type { Timeouts } from "../../domain/fields";
import type { Values } from "../../domain/values/value";
import type { Memory, Session } from "./session";

export interface Context {
  /** Opened only when a call is to be made: previews need no key. */
  session: () => Session;
  /** A line on the resource's own row; gone when the operation ends. */
  progress: (line: string) => void;
  /** A line that stays. */
  warn: (line: string) => void;
  /** Effects and progress are not wanted (`dbcloud:quiet`). */
  quiet: boolean;
  memory: Memory;
  /** Names and ids that this run may take over (`DBCLOUD_ADOPT`). */
  adopt: readonly string[];
  /** Nobody waits for this run any more: what it makes would be in no state. */
  isOrphaned?: () => boolean;
}

export type Operation = "create" | "update" | "delete" | "read";

/** The moment an operation must be over, from its own timeout or the default. */
export function deadlineOf(
  clock: Clock,
  operation: Operation,
  timeouts: Timeouts | undefined,
  defaults: Readonly<Record<Operation, number>>,
): number {
  return clock.now() + (givenMs(operation, timeouts) ?? defaults[operation]);
}

/** Time for each call of an operation by itself. A timeout that was given is for all of them together. */
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

/** What a program, or a state, says of timeouts. */
export function timeoutsOf(values: Values): Timeouts | undefined {
  // `check` has held it to its schema.
  return values["timeouts"] as Timeouts | undefined;
}
