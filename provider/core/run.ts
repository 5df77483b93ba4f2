// One run of an operation over one object: what is given, and what has happened so far.

import type { Values } from "../domain/values/value";
import type { Step, Wanted } from "../plan/step";
import type { Opened, Target } from "./operation";
import type { Refuse } from "./kind";
import type { Reported } from "./reported";
import { owedOf, sentOf } from "./state";

/** What has happened so far. An error may end the run at any moment, and what is saved and reported then follows from this. */
export interface Progress {
  /** The object as last read. */
  observed?: Reported;
  /** When it was read, or a moment before that. Undefined if no wait of this run has read it. */
  observedMs?: number;
  /** The object from which the plan was made. */
  start?: Reported;
  readonly landed: Step[];
  /** Undefined until there is a plan. */
  remaining?: Step[];
  /** The step under way. */
  current?: Step | undefined;
  /**
   * The server has accepted the call of the step, or the create before it. `item` is the object in its answer: often absent, and
   * never a proof.
   */
  answered?: { item: Reported | undefined } | undefined;
  /** The call of the step got no answer, or one that proves nothing: it may have taken effect. */
  hasLostAnswers: boolean;
  /** What the state and the reads before the call of the step have shown. */
  before: readonly Values[];
  /** An earlier run has sent the call of the step, and the server has accepted it. */
  isAwaited: boolean;
  /** The inputs of such a call that the program has taken back since: what they show now is not what follows. */
  takenBack: readonly string[];
  /** The inputs that something else has set after a call of this run. The state has them as the program says. */
  overridden: readonly string[];
  /** The server took a call, or may have taken one. */
  hasTouched: boolean;
  /** When a change under way at the object was last observed. */
  unsettledMs?: number;
}

export interface Run extends Target {
  /** The state before the operation; empty for a new object. */
  readonly olds: Values;
  /** The entries that an interrupted operation has left to do. */
  readonly owed: readonly string[];
  /** Whether a call of an earlier run may have taken effect since. */
  readonly isResumed: boolean;
  readonly inputs: Values;
  /** The values of the inputs that the server may not show: recorded, or as the create sent them. */
  readonly assumed: Values;
  /** The inputs that calls are to set. */
  readonly wanted: Wanted;
  /** The object has no entry in the state yet. */
  readonly isNew: boolean;
  /** The outputs that only the answer of the create had. */
  readonly shownOnce?: Values | undefined;
  /** The operation of the first wait: the name of the create call; undefined if the object only has to settle. */
  readonly createOperation?: string | undefined;
  /** Returns what the object lacks, besides a settled status, before its first step. */
  readonly missing?: ((item: Reported) => string | undefined) | undefined;
  /** Refuses each step while the object must not be touched. */
  readonly refuse?: Refuse | undefined;
  readonly progress: Progress;
}

/** What a handler knows when its run begins. */
export type Given = Omit<Run, "owed" | "isResumed" | "progress">;

export function openRun(given: Given, known: Partial<Progress> = {}): Run {
  const owed = owedOf(given.olds);
  const isResumed = sentOf(given.olds).length > 0;
  return {
    ...given,
    owed,
    isResumed,
    progress: {
      hasTouched: false,
      landed: [],
      overridden: [],
      before: [],
      hasLostAnswers: false,
      isAwaited: false,
      takenBack: [],
      ...known,
    },
  };
}

/** Works under a lock. The time spent waiting for it does not count. */
export function underLock<T>(opened: Opened, key: string, work: () => Promise<T>): Promise<T> {
  const { clock, locks } = opened.session;
  const askedMs = clock.now();
  return locks.run(key, () => {
    opened.deadlineMs += clock.now() - askedMs;
    return work();
  });
}
