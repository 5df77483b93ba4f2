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

/** The addresses of a block as numbers; undefined for what is no block. */
function rangeOf(text: unknown): { first: number; end: number; prefix: number } | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(typeof text === "string" ? text : "");
  const [a = 256, b = 256, c = 256, d = 256, prefix = 33] = (match ?? []).slice(1).map(Number);
  if (Math.max(a, b, c, d) > 255 || prefix > 32) return undefined;
  const address = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
  const size = 2 ** (32 - prefix);
  const first = address - (address % size);
  return { first, end: first + size, prefix };
}

/** `a.b.c.d/prefix` without its host bits; undefined for what is no block. API: a server may take these bits away. */
export function blockOf(text: unknown): string | undefined {
  const range = rangeOf(text);
  if (range === undefined) return undefined;
  const { first, prefix } = range;
  return `${[24, 16, 8, 0].map((bits) => Math.floor(first / 2 ** bits) % 256).join(".")}/${prefix}`;
}

/** As code. An address that ends in 0 and says no prefix is the usual block of 256. */
function blockMeant(value: unknown): string | undefined {
  const isBare = typeof value === "string" && value.endsWith(".0");
  const block = isBare ? blockOf(`${value}/24`) : blockOf(value);
  return block === undefined ? undefined : JSON.stringify(block);
}

/** Whether two blocks are the same addresses. */
function isSameBlock(a: unknown, b: unknown): boolean {
  return (blockOf(a) ?? a) === (blockOf(b) ?? b);
}

const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"].map(rangeOf);

function isPublic(block: unknown): boolean {
  const range = rangeOf(block);
  return range !== undefined && !PRIVATE.some((one) => one && one.first <= range.first && range.end <= one.end);
}

export const vpcFields = {
  cidr: required({
    schema: z.string().refine((text) => blockOf(text) === text),
    allowed: 'an IPv4 block like "10.0.0.0/24", with all host bits zero',
    change: "replaces",
    identifies: true,
    isSame: isSameBlock,
    meant: blockMeant,
    unusual: (value) =>
      isPublic(value) ? "has public addresses, whose hosts on the Internet cannot be reached from the VPC" : undefined,
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
