// The planner of read replica sets: what can change in place. Name and nodes cannot; the engine replaces the set.
// Pure: no clock, no client.

import type { ReadReplicaSetInputs } from "../domain/readReplicaSet";
import { resize, setEnvironment, switchPooler } from "./sharedSteps";
import type { Live, Plan, Wanted } from "./step";

export function planReadReplicaSet(
  wanted: Wanted<ReadReplicaSetInputs>,
  live: Live<ReadReplicaSetInputs>,
): Plan<ReadReplicaSetInputs> {
  return {
    steps: [...setEnvironment(wanted, live), ...resize(wanted, live), ...switchPooler(wanted, live)],
    conflicts: [],
  };
}
