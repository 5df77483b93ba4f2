import type { Operation } from "../../provider/api/operation";
import type { BACKOFF, BUDGET, repeats } from "../../provider/api/retry";

export interface Sources {
  operationList: readonly Operation<unknown, unknown>[];
  repeats: typeof repeats;
  BACKOFF: typeof BACKOFF;
  BUDGET: typeof BUDGET;
}

export function writeRepeats(document: string, sources: Sources): string;
