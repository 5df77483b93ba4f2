// The planner of peerings. The API cannot change a peering, so there are no steps. Pure: no clock, no client.

import type { PeeringInputs } from "./inputs";
import { findConflicts, type FixedRows } from "../../plan/conflicts";
import type { Live, Plan, Wanted } from "../../plan/step";

export const fixedOfPeering: FixedRows<PeeringInputs> = {
  projectId: { remedy: "A peering stays in its project: keep it, or declare another peering." },
};

export function planPeering(wanted: Wanted<PeeringInputs>, live: Live<PeeringInputs>): Plan<PeeringInputs> {
  return { steps: [], conflicts: findConflicts(fixedOfPeering, wanted, live) };
}
