// The planner of VPCs: only the name changes in place. Pure: no clock, no client.

import type { VpcInputs } from "../domain/vpc";
import { findConflicts, type FixedRows } from "./conflicts";
import { rename } from "./sharedSteps";
import type { Live, Plan, Wanted } from "./step";

export const fixedOfVpc: FixedRows<VpcInputs> = {
  projectId: { wayOut: "A VPC stays in its project: keep it, or declare another VPC." },
};

export function planVpc(wanted: Wanted<VpcInputs>, live: Live<VpcInputs>): Plan<VpcInputs> {
  return { steps: rename(wanted, live), conflicts: findConflicts(fixedOfVpc, wanted, live) };
}
