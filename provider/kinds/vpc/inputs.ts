// A virtual private cloud that services can be attached to. It holds no data.
// Contract: "Vpc".

import { z } from "zod";
import type { Condition, Field, InputsOf } from "../../domain/fields";
import { adoptId, name, projectId, required, timeouts, regionCode } from "../../domain/sharedFields";

export interface Vpc {
  /** The id of the VPC. */
  vpcId: string;
  cidr: string;
  name: string;
  regionCode: string;
  /** API: only newer deployments, which create and delete VPCs asynchronously, send one; null on others. */
  status?: string | null | undefined;
}

const block = z.cidrv4();

/** `a.b.c.d/prefix` without its host bits; undefined for what is no block. API: a server may take these bits away. */
export function blockOf(text: unknown): string | undefined {
  if (!block.safeParse(text).success) return undefined;
  const [a, b, c, d, prefix] = String(text).split(/[./]/).map(Number) as [number, number, number, number, number];
  const address = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
  const first = address - (address % 2 ** (32 - prefix));
  return `${[24, 16, 8, 0].map((bits) => Math.floor(first / 2 ** bits) % 256).join(".")}/${prefix}`;
}

/** Whether two blocks are the same addresses. */
function isSameBlock(a: unknown, b: unknown): boolean {
  return (blockOf(a) ?? a) === (blockOf(b) ?? b);
}

export const vpcFields = {
  cidr: required({
    schema: z.string().refine((text) => blockOf(text) === text),
    allowed: 'an IPv4 block like "10.0.0.0/24", with all host bits zero',
    change: "replaces",
    identifies: true,
    isSame: isSameBlock,
  }),
  regionCode: required({ ...regionCode, change: "replaces", identifies: true }),
  // API: unlike the names of services, those of VPCs have no limit.
  name: { ...name, schema: z.string().min(1), allowed: "a non-empty string" },
  projectId: { ...projectId, remedy: "A VPC stays in its project: keep it, or declare another VPC." },
  adoptId,
  timeouts,
} satisfies Record<string, Field>;

export type VpcInputs = InputsOf<typeof vpcFields>;

/** API: a server that sends no status creates VPCs at once. */
export function conditionOfVpc({ status }: Pick<Vpc, "status">): Condition {
  switch (status?.toUpperCase()) {
    case undefined:
    case "CREATED":
      return "settled";
    case "ERROR":
      return "failed";
    case "DELETING":
    case "DELETED":
      return "deleting";
    default:
      return "pending";
  }
}
