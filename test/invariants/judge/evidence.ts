// What the judge knows during a run: what the program and the user asked for, changes by hand, ids named in errors, and
// the true state of the server to compare with.

import type { Emulator } from "../../../emulator/index";
import { createDuplicateWatch, type DuplicateWatch } from "./duplicates";
import { createLeakSearch, type LeakSearch } from "./leaks";
import { createOverlapWatch, type OverlapWatch } from "./overlaps";
import type { Entry, Failure, Operation } from "./observer";
import { type Fact, factsOf, isLeaving } from "./truth";

export const BREACHES = [
  "duplicate",
  "orphan",
  "unasked delete",
  "lost id",
  "leak",
  "overlap",
  "untrue",
  "held up",
] as const;

export type Breach = (typeof BREACHES)[number];

export interface Violation {
  breach: Breach;
  what: string;
}

export interface Evidence {
  /** A function, because the emulator is made after the judge. */
  readonly world: () => Emulator;
  readonly violations: Violation[];
  readonly operations: Record<Operation, number>;
  readonly leaks: LeakSearch;
  readonly duplicates: DuplicateWatch;
  readonly overlaps: OverlapWatch;
  /** Ids of objects of other owners. */
  readonly foreign: Set<string>;
  /** Ids of objects that were deleted by hand. */
  readonly deletedByHand: Set<string>;
  /** Properties that were changed by hand, by id. */
  readonly touched: Map<string, Set<string>>;
  readonly asked: {
    deleted: Set<string>;
    /** `logical id` of each entry whose deletion was asked for; another entry with the same id keeps the object. */
    rows: Set<string>;
    replaced: Set<string>;
    left: Set<string>;
  };
  /**
   * Creates in progress: the object that each would make → its resource. `unknownOutcomes`: the same for creates whose
   * process was killed.
   */
  readonly creates: Map<string, string>;
  readonly unknownOutcomes: Map<string, string>;
  failures: Failure[];
  /** The texts of all errors, joined. */
  told: string;
  ledgerSeen: number;
  begunMs: number;
}

export function openEvidence(world: () => Emulator): Evidence {
  return {
    world,
    violations: [],
    operations: { create: 0, update: 0, delete: 0, read: 0 },
    leaks: createLeakSearch(),
    duplicates: createDuplicateWatch(() => factsOf(world().state())),
    overlaps: createOverlapWatch(world),
    foreign: new Set(),
    deletedByHand: new Set(),
    touched: new Map(),
    asked: { deleted: new Set(), rows: new Set(), replaced: new Set(), left: new Set() },
    creates: new Map(),
    unknownOutcomes: new Map(),
    failures: [],
    told: "",
    ledgerSeen: 0,
    begunMs: 0,
  };
}

export function blame({ violations }: Evidence, breach: Breach, what: string): void {
  violations.push({ breach, what });
}

export function factsNow({ world }: Evidence): Fact[] {
  return factsOf(world().state());
}

/** The object on the server, unless it is being deleted. */
export function find(evidence: Evidence, { id, kind }: Pick<Entry, "id" | "kind">): Fact | undefined {
  return factsNow(evidence).find((fact) => fact.id === id && fact.kind === kind && !isLeaving(fact));
}

/** Whether a known deletion explains that it is gone. */
export function isExplained({ deletedByHand, asked }: Evidence, id: string): boolean {
  return deletedByHand.has(id) || asked.deleted.has(id);
}

export function forget(creates: Map<string, string>, logical: string): void {
  for (const [key, whose] of creates) if (whose === logical) creates.delete(key);
}
