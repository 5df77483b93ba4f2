// The planner of read replica sets, for the inputs that change in place. For name and nodes the engine replaces the set.
// Pure: no clock, no client.

import type { InPlaceKey } from "../../domain/fields";
import type { readReplicaSetFields, ReadReplicaSetInputs } from "./inputs";
import type { Call } from "../../plan/calls";
import { findConflicts, type FixedRows } from "../../plan/conflicts";
import { resizeOf, setEnvironment, switchPooler } from "../../plan/sharedSteps";
import { type Live, type Plan, type Rows, type Step, stepsOf, type Wanted } from "../../plan/step";

type ReadReplicaSetCall = Call<"readReplicaSets">;
/** A step of a read replica set: its call, and its request, are those of the table of operations. */
export type ReadReplicaSetStep = Step<ReadReplicaSetInputs, ReadReplicaSetCall>;

export const fixedOfReadReplicaSet: FixedRows<ReadReplicaSetInputs> = {
  projectId: { remedy: "A read replica set stays in the project of its service: keep it." },
};

const resize = resizeOf("read replica set");

/** The order of the rows is the order of the calls. */
export const readReplicaSetRows: Rows<
  InPlaceKey<typeof readReplicaSetFields>,
  ReadReplicaSetInputs,
  ReadReplicaSetCall
> = {
  environment: { calls: ["setEnvironment"], steps: setEnvironment, touches: [] },
  cpuMillis: { calls: ["resize"], steps: resize, touches: [] },
  memoryGbs: { calls: ["resize"], steps: resize, touches: [] },
  poolerEnabled: { calls: ["enablePooler", "disablePooler"], steps: switchPooler, touches: ["connectionPooler"] },
};

export function planReadReplicaSet(
  wanted: Wanted<ReadReplicaSetInputs>,
  live: Live<ReadReplicaSetInputs>,
): Plan<ReadReplicaSetInputs, ReadReplicaSetCall> {
  return {
    steps: stepsOf(readReplicaSetRows, wanted, live),
    conflicts: findConflicts(fixedOfReadReplicaSet, wanted, live),
  };
}
