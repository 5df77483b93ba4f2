// A virtual private cloud that services can be attached to. It holds no data.
// Contract: "Vpc".

import { z } from "zod";
import type { Fields, Timeouts } from "./fields";
import { adoptId, identifier, name, projectId, required, timeouts } from "./sharedFields";

export interface VpcInputs {
  cidr: string;
  regionCode: string;
  name: string;
  projectId?: string;
  adoptId?: string;
  timeouts?: Timeouts;
}

export interface Vpc {
  vpcId: string;
  cidr: string;
  name: string;
  regionCode: string;
  /** API: only newer deployments, which create and delete VPCs asynchronously, send one. */
  status?: string | undefined;
}

/** `a.b.c.d/prefix` with every part in range; the host bits may be set, as the server alone knows what it makes of them. */
export function isCidr(text: string): boolean {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  if (match === null) return false;
  const [a, b, c, d, prefix] = match.slice(1).map(Number);
  return [a, b, c, d].every((part) => part !== undefined && part <= 255) && prefix !== undefined && prefix <= 32;
}

export const vpcFields: Fields<VpcInputs> = {
  cidr: required({
    schema: z.string().refine(isCidr),
    allowed: 'an IPv4 block like "10.0.0.0/24"',
    change: "replaces",
  }),
  regionCode: required({ schema: identifier, allowed: "a region code", change: "replaces" }),
  name,
  projectId,
  adoptId,
  timeouts,
};

/** API: a server that sends no status creates VPCs at once. */
export function isVpcSettled(status: string | undefined): boolean {
  return status === undefined || status.toUpperCase() === "CREATED";
}

export function isVpcFailed(status: string | undefined): boolean {
  return status?.toUpperCase() === "ERROR";
}

/** On its way out, or out. */
export function isVpcGone(status: string | undefined): boolean {
  return ["DELETING", "DELETED"].includes(status?.toUpperCase() ?? "");
}
