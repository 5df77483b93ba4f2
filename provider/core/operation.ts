// What an operation of the engine works with: its context, and the object. Types only.

import type { Values } from "../domain/values/value";
import type { PollOptions, Session } from "./session";
import type { EntryFacts } from "./runLog";
import type { Identity, Memory } from "./runView";
import type { Resource, Scope } from "./kind";

/**
 * What a handler receives besides its values. Handlers hold no configuration, so that several hosts can share one process and
 * callers other than the Pulumi host can use them.
 */
export interface Context {
  /** Opened only for a call of the API, because previews need no key. */
  session: () => Session;
  /** Shows a line beside the resource in Pulumi's output until the operation ends. */
  progress: (line: string) => void;
  /** Shows a line that stays in the output. */
  warn: (line: string) => void;
  /** Shows the calls that an update would make, in their order. Absent unless the user asks for them. */
  showCalls?: (label: string, operations: readonly string[]) => void;
  /** Effects and progress are not wanted (`dbcloud:quiet`). */
  quiet: boolean;
  memory: Memory;
  /** The resource of the program that the call is for; undefined if the caller does not know it. */
  identity: Identity | undefined;
  /** What this run may adopt: the words of `DBCLOUD_ADOPT`. */
  adopt: readonly string[];
  /** Whether the user says that the project's objects are gone although all are missing at once (`DBCLOUD_BELIEVE_GONE`). */
  believesGone: (projectId: string) => boolean;
  /** The time limit of the operation where `timeouts` gives none. Default: that of the kind. */
  limitMs?: number | undefined;
  /**
   * Aborted: the operation ends. Every wait ends at once and nothing more is sent; a change that was sent gets its answer.
   * The reason is an error for the user.
   */
  signal: AbortSignal;
}

/** The operation that the engine requested. */
export type HandlerName = "create" | "update" | "delete" | "read";

/** What an operation works with, before it has an object. */
export interface Opened {
  readonly resource: Resource;
  readonly context: Context;
  readonly session: Session;
  readonly scope: Scope;
  /** The end of the operation. It moves on by the time spent waiting for a lock, and with each step that has a limit. */
  deadlineMs: number;
  /** Time limit of each single step; undefined when the program set a limit for the whole operation. */
  readonly stepMs: number | undefined;
}

/** One object that an operation works on. */
export interface Target extends Opened {
  readonly id: string;
  /** The object in messages: "service orders (svc1234567)". */
  readonly label: string;
  /** A 404 before this moment means that the server lags behind our own create, not that the object is lost. */
  readonly unseenUntilMs?: (() => number) | undefined;
}

/** One create attempt. */
export interface CreateAttempt extends Opened {
  readonly inputs: Values;
  /** The objects that the new one replaces: the live one, and those of earlier runs that are still to be deleted. */
  readonly predecessors: readonly EntryFacts[];
  /** The object that the server counts as changing during the create, such as the service of a replica set. */
  readonly parent: Affected | undefined;
}

/** What gives an object a name. Without an id, the object is to be created. */
export type Naming = Opened & Pick<CreateAttempt, "inputs" | "predecessors"> & { readonly id?: string };

/** Another object that the create changes: what the new one is in, or the one that it copies. */
export interface Affected {
  /** The lock that is held while the create is sent. */
  readonly lock: string;
  /** Whether the new object is a part of it, so that the lock is held until that is up. */
  readonly isPart: boolean;
  /** How long it may be too young for the create. */
  readonly tooEarlyMs: number;
  /** Polls it once. */
  isIdle(poll: PollOptions): Promise<boolean>;
}
