// The result of one read of a whole collection.

import type { Listed } from "../../domain/listed";

/** The items of one list, and when it began: in time, and in the order of reads and changes. */
export interface Snapshot<O> {
  startedMs: number;
  order: number;
  all: Listed<O>;
  byId: ReadonlyMap<string, O>;
}
