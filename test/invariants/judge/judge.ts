// Checks the invariants while a run goes on: compares the emulator's ledger and true state with what the engine was
// told and stores. Never asks the provider.

import type { Emulator, RequestRecord } from "../../../emulator/index";
import { blame, type Breach, factsNow, openEvidence, type Violation } from "./evidence";
import type { Failure, Observer, Operation, State } from "./observer";
import { reportsTo } from "./reports";
import { compare, review, strays } from "./review";
import type { Fact } from "./truth";

export interface Judge extends Observer {
  readonly violations: Violation[];
  /** How often the engine called each operation. */
  readonly operations: Record<Operation, number>;
  /** Failures since the last command began. */
  readonly failures: Failure[];
  blame(breach: Breach, what: string): void;
  /** Must be called for each answered request of the provider. */
  requested(record: RequestRecord): void;
  /** A line that a user sees. */
  said(line: string): void;
  noteSecret(value: string): void;
  /** Somebody else made the object: the program must not change it. */
  noteForeign(id: string): void;
  /** These properties were changed by hand: until the next read, the provider cannot know it. */
  noteTouched(id: string, keys: readonly string[]): void;
  /** The object was deleted by hand. */
  noteDeleted(id: string): void;
  /** A user removed it from the state: it stays in the cloud. */
  noteLeft(id: string): void;
  begin(nowMs: number): void;
  /** Checks everything after a command. `wasKilled`: the outcomes of its creates may be unknown. */
  review(state: State, wasKilled: boolean): void;
  /** Reports every difference between server and state. */
  compare(state: State): void;
  /** The objects of the program that are on the server and in no state. */
  strays(state: State): Fact[];
  /** Ids of the objects that the program left in the cloud on purpose. */
  left(): string[];
  /** Whether an error has named this id. */
  wasTold(id: string): boolean;
  /** Whether somebody else has a service of this name. */
  isTaken(name: string): boolean;
  /** Whether the outcome of this resource's last create is unknown. */
  isOutcomeUnknown(logical: string): boolean;
}

export function createJudge(world: () => Emulator): Judge {
  const evidence = openEvidence(world);
  const { violations, operations, leaks, duplicates, foreign, deletedByHand, touched, asked, unknownOutcomes } =
    evidence;
  return {
    ...reportsTo(evidence),
    violations,
    operations,
    get failures() {
      return evidence.failures;
    },
    blame: (breach, what) => blame(evidence, breach, what),
    begin(nowMs) {
      evidence.begunMs = nowMs;
      evidence.overlaps.begin(nowMs);
      evidence.failures = [];
    },
    requested(record) {
      evidence.overlaps.requested(record);
      if (!record.committed || record.method !== "POST") return;
      const made = world().ledger().at(-1);
      if (made?.event === "created" && made.requestId === record.id) duplicates.created(made);
    },
    review: (state, wasKilled) => review(evidence, state, wasKilled),
    compare: (state) => compare(evidence, state),
    strays: (state) => strays(evidence, state),
    left: () => [...asked.left],
    wasTold: (id) => evidence.told.includes(id),
    isTaken: (name) =>
      factsNow(evidence).some((fact) => fact.kind === "service" && fact.identity === name && foreign.has(fact.id)),
    isOutcomeUnknown: (logical) => [...unknownOutcomes.values()].includes(logical),
    said: (line) => leaks.said(line),
    noteSecret: (value) => leaks.noteSecret(value),
    noteForeign: (id) => void foreign.add(id),
    noteTouched: (id, keys) => void touched.set(id, new Set([...(touched.get(id) ?? []), ...keys])),
    noteDeleted: (id) => void deletedByHand.add(id),
    noteLeft: (id) => void asked.left.add(id),
  };
}
