// The planner of VPCs: only the name changes in place. Pure: no clock, no client.

import type { InPlaceKey } from "../../domain/fields";
import { vpcFields, type VpcInputs } from "./inputs";
import type { Call } from "../../plan/calls";
import { rename } from "../../plan/sharedSteps";
import { createPlanner, type PlanRows } from "../../plan/planner";
import type { Step } from "../../plan/step";

type VpcCall = Call<"vpcs">;
/** A step of a VPC: its call, and its request, are those of the table of operations. */
export type VpcStep = Step<VpcInputs, VpcCall>;

const rows: PlanRows<InPlaceKey<typeof vpcFields>, VpcInputs, VpcCall> = {
  name: { calls: ["rename"], steps: rename, touches: [] },
};

export const vpcPlanner = createPlanner(rows, vpcFields);
