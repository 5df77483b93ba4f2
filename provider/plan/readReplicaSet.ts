// The planner of read replica sets: what can change in place. Name and nodes cannot; the engine replaces the set.
// Pure: no clock, no client.

import type { ReadReplicaSetInputs } from "../domain/readReplicaSet";
import { findConflicts, type FixedRows } from "./conflicts";
import { resizeOf, setEnvironment, switchPooler } from "./sharedSteps";
import type { Live, Plan, Wanted } from "./step";

export const fixedOfReadReplicaSet: FixedRows<ReadReplicaSetInputs> = {
  projectId: { wayOut: "A read replica set stays in the project of its service: keep it." },
};

const resize = resizeOf("read replica set");

export function planReadReplicaSet(
  wanted: Wanted<ReadReplicaSetInputs>,
  live: Live<ReadReplicaSetInputs>,
): Plan<ReadReplicaSetInputs> {
  return {
    steps: [...setEnvironment(wanted, live), ...resize(wanted, live), ...switchPooler(wanted, live)],
    conflicts: findConflicts(fixedOfReadReplicaSet, wanted, live),
  };
}
