// The planner of peerings. The API cannot change a peering, so there are no steps.

import { createPlanner } from "../../plan/planner";
import type { AnyCall } from "../../plan/step";
import { peeringFields, type PeeringInputs } from "./inputs";

export const planPeering = createPlanner<PeeringInputs, AnyCall>({}, peeringFields);
