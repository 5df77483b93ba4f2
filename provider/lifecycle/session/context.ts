// What a handler gets besides its values. Handlers hold no configuration of their own, so that several hosts can share one
// process and another caller than the Pulumi host can serve them.

import type { Memory } from "../state/memory";
import type { Session } from "./session";

export interface Context {
  /** Opened only for a call of the API: previews need no key. */
  session: () => Session;
  /** Shows a line beside the resource in Pulumi's output until the operation ends. */
  progress: (line: string) => void;
  /** Shows a line that stays. */
  warn: (line: string) => void;
  /** Shows the calls that an update would make, in their order; absent where nobody asks for them. */
  showCalls?: (label: string, operations: readonly string[]) => void;
  /** Effects and progress are not wanted (`dbcloud:quiet`). */
  quiet: boolean;
  memory: Memory;
  /** The resource of the program that the call is about; undefined when the caller does not know it. */
  identity: Identity | undefined;
  /** Names and ids that this run may adopt (`DBCLOUD_ADOPT`). */
  adopt: readonly string[];
  /**
   * Aborted: the operation ends. Every wait ends at once and nothing more is sent; a change that was sent gets its answer.
   * The reason is an error for the user.
   */
  signal: AbortSignal;
}

/** A resource of the program, as the caller tells resources apart. */
export interface Identity {
  readonly key: string;
  /** Its name in the program, for messages. */
  readonly name: string;
}

/** What the engine asked for. */
export type HandlerName = "create" | "update" | "delete" | "read";
