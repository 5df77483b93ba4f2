// The planner of VPCs: only the name changes in place. Pure: no clock, no client.

import type { VpcInputs } from "../domain/vpc";
import { rename } from "./sharedSteps";
import type { Live, Plan, Wanted } from "./step";

export function planVpc(wanted: Wanted<VpcInputs>, live: Live<VpcInputs>): Plan<VpcInputs> {
  return { steps: rename(wanted, live), conflicts: [] };
}
