// What a handler receives besides its values. Handlers hold no configuration, so that several hosts can share one process
// and callers other than the Pulumi host can use them.

import { type Identity, type OtherProcesses, RunView } from "../view/runView";
import type { Session } from "./session";

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
  /** Names and ids that this run may adopt (`DBCLOUD_ADOPT`). */
  adopt: readonly string[];
  /**
   * Aborted: the operation ends. Every wait ends at once and nothing more is sent; a change that was sent gets its answer.
   * The reason is an error for the user.
   */
  signal: AbortSignal;
}

/** The operation that the engine requested. */
export type HandlerName = "create" | "update" | "delete" | "read";

/** What the handlers of one provider process share about their own operations. */
export class Memory {
  readonly view: RunView;
  /** Objects whose addresses a change of this run moves, or may move because of an unknown value. */
  readonly moving = new Map<string, "moves" | "may move">();
  /** Reads of objects of the state that are under way. */
  readonly readsUnderWay = new Set<symbol>();
  /** Pairs of addresses: an object that the state knows from the first address answered at the second. */
  readonly sameDeployments = new Set<string>();

  constructor(others?: OtherProcesses) {
    this.view = new RunView(others);
  }
}
