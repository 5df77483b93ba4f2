// The planner of read replica sets, for the inputs that change in place. For name and nodes the engine replaces the set.
// Pure: no clock, no client.

import type { InPlaceKey } from "../../domain/fields";
import { readReplicaSetFields, type ReadReplicaSetInputs } from "./inputs";
import type { Call } from "../../plan/calls";
import { resizeOf, setEnvironment, switchPooler } from "../../plan/sharedSteps";
import { createPlanner, type PlanRows } from "../../plan/planner";
import type { Step } from "../../plan/step";

type ReadReplicaSetCall = Call<"readReplicaSets">;
/** A step of a read replica set: its call, and its request, are those of the table of operations. */
export type ReadReplicaSetStep = Step<ReadReplicaSetInputs, ReadReplicaSetCall>;

const resize = resizeOf("read replica set");

/** The order of the rows is the order of the calls. */
const rows: PlanRows<InPlaceKey<typeof readReplicaSetFields>, ReadReplicaSetInputs, ReadReplicaSetCall> = {
  environment: { calls: ["setEnvironment"], steps: setEnvironment, touches: [] },
  cpuMillis: { calls: ["resize"], steps: resize, touches: [] },
  memoryGbs: { calls: ["resize"], steps: resize, touches: [] },
  poolerEnabled: { calls: ["enablePooler", "disablePooler"], steps: switchPooler, touches: ["connectionPooler"] },
};

export const readReplicaSetPlanner = createPlanner(rows, readReplicaSetFields);
