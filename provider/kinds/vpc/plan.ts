// The planner of VPCs: only the name changes in place. Pure: no clock, no client.

import type { InPlaceKey } from "../../domain/fields";
import type { vpcFields, VpcInputs } from "./inputs";
import type { Call } from "../../plan/calls";
import { findConflicts, type FixedRows } from "../../plan/conflicts";
import { rename } from "../../plan/sharedSteps";
import { type Live, type Plan, type Rows, type Step, stepsOf, type Wanted } from "../../plan/step";

type VpcCall = Call<"vpcs">;
/** A step of a VPC: its call, and its request, are those of the table of operations. */
export type VpcStep = Step<VpcInputs, VpcCall>;

export const vpcRows: Rows<InPlaceKey<typeof vpcFields>, VpcInputs, VpcCall> = {
  name: { calls: ["rename"], steps: rename, touches: [] },
};

export const fixedOfVpc: FixedRows<VpcInputs> = {
  projectId: { remedy: "A VPC stays in its project: keep it, or declare another VPC." },
};

export function planVpc(wanted: Wanted<VpcInputs>, live: Live<VpcInputs>): Plan<VpcInputs, VpcCall> {
  return { steps: stepsOf(vpcRows, wanted, live), conflicts: findConflicts(fixedOfVpc, wanted, live) };
}
