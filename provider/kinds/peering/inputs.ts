// A peering between one of our VPCs and a VPC in somebody's cloud account. The peer accepts it on their side.
// Contract: "Peering".

import { z } from "zod";
import type { Field, InputsOf } from "../../domain/fields";
import { adoptId, identifier, projectId, required, timeouts, regionCode } from "../../domain/sharedFields";

/** The state that a peering must reach before its dependents start. */
export type PeeringWaitFor = "provisioned" | "active" | "none";

export interface Peering {
  /** The id of the peering. */
  peeringId: string;
  peerAccountId: string;
  peerRegionCode: string;
  peerVpcId: string;
  status?: string | undefined;
  /** The id that the cloud gave the peering ("pcx-…"). The peer's accepter needs it. */
  provisionedId?: string | undefined;
  /** Null if it has not failed. */
  errorMessage?: string | null | undefined;
}

export const peeringFields = {
  vpcId: required({ schema: identifier, allowed: "the id of a VPC", change: "replaces" }),
  peerAccountId: required({
    schema: identifier,
    allowed: "a cloud account id, as a string",
    change: "replaces",
    identifies: true,
  }),
  peerRegionCode: required({ ...regionCode, allowed: "a cloud region", change: "replaces", identifies: true }),
  peerVpcId: required({
    schema: identifier,
    allowed: "the id of the peer's VPC",
    change: "replaces",
    identifies: "name",
  }),
  waitFor: {
    schema: z.enum(["provisioned", "active", "none"]),
    allowed: '"provisioned", "active" or "none"',
    change: "lifecycle",
  },
  projectId: { ...projectId, remedy: "A peering stays in its project: keep it, or declare another peering." },
  adoptId,
  timeouts,
} satisfies Record<string, Field>;

export type PeeringInputs = InputsOf<typeof peeringFields>;
