// The planner of peerings: the API changes nothing about one, so there is never a step. Pure.

import type { PeeringInputs } from "../domain/peering";
import type { Plan } from "./step";

export function planPeering(): Plan<PeeringInputs> {
  return { steps: [], conflicts: [] };
}
