// The shapes of request fields, shared by the actions' schemas. As strict as the contract: digits as text for a string,
// integers for a number.

import { invalid } from "../failure";
import { z } from "zod";

/** Both absent means shared. */
export interface Size {
  readonly cpuMillis?: number | undefined;
  readonly memoryGbs?: number | undefined;
}

interface SizeRequest {
  readonly cpu_millis?: string | undefined;
  readonly memory_gbs?: string | undefined;
}

const millisPerGb = 250;

/** Completes a size from `otherwise`, or else by the usual ratio; CPU and memory are shared together or not at all. */
export function sizeFrom({ cpu_millis: cpu, memory_gbs: memory }: SizeRequest, otherwise: Size): Size {
  if (cpu === undefined && memory === undefined)
    return { cpuMillis: otherwise.cpuMillis, memoryGbs: otherwise.memoryGbs };
  if (cpu === "shared" || memory === "shared") {
    if ((cpu ?? "shared") === (memory ?? "shared")) return {};
    throw invalid('cpu_millis and memory_gbs must both be "shared" or both be sizes');
  }
  const cpuMillis = cpu === undefined ? otherwise.cpuMillis : Number(cpu);
  const memoryGbs = memory === undefined ? otherwise.memoryGbs : Number(memory);
  return {
    cpuMillis: cpuMillis ?? (memoryGbs ?? 0) * millisPerGb,
    memoryGbs: memoryGbs ?? Math.max(1, Math.round((cpuMillis ?? 0) / millisPerGb)),
  };
}

export const isShared = (size: Size): boolean => size.cpuMillis === undefined;

/** PostgreSQL cannot store NUL, and half a surrogate pair is not a character. */
const isStorable = (text: string): boolean => !text.includes("\0") && !/\p{Surrogate}/u.test(text);

const text = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine(isStorable, "must be well-formed Unicode without NUL")
    .refine((given) => given.trim() !== "", "must not be blank");

/** API: names of services, forks and replica sets have 1 to 128 characters. */
export const name = text(128);

export const someText = text(255);

export const password = z.string().min(1).max(1024).refine(isStorable, "must be well-formed Unicode without NUL");

export const environmentTag = z.enum(["DEV", "PROD"]);

/** The largest of the plan. */
const [mostCpuMillis, mostMemoryGbs] = [128_000, 512];

/** API: a resize takes digits as text, and cannot ask for `shared`. */
const digits = (most: number) =>
  z
    .string()
    .regex(/^[0-9]+$/, "must be digits")
    .refine((given) => Number(given) > 0, "must be at least 1")
    .refine((given) => Number(given) <= most, `at most ${most}`);

const orShared = (size: z.ZodString) =>
  z.union([z.literal("shared"), size], { error: 'must be a string of digits or "shared"' }).optional();

export const sizeOrShared = {
  cpu_millis: orShared(digits(mostCpuMillis)),
  memory_gbs: orShared(digits(mostMemoryGbs)),
};

export const exactSize = z
  .strictObject({ cpu_millis: digits(mostCpuMillis), memory_gbs: digits(mostMemoryGbs) })
  .transform((size) => ({ cpuMillis: Number(size.cpu_millis), memoryGbs: Number(size.memory_gbs) }));

/** API: a create of a replica set takes numbers. */
const whole = (most: number) =>
  z
    .int()
    .min(1)
    .refine((given) => given <= most, `at most ${most}`);

export const nodeSize = { cpu_millis: whole(mostCpuMillis), memory_gbs: whole(mostMemoryGbs), nodes: whole(10) };

export const count = z.int().min(0);

/** A plan has at most so many HA replicas. */
export const replicas = count.refine((given) => given <= 5, "at most 5 on this plan");

/** An IPv4 CIDR block, address/prefix; the address must be the first one of the block. */
export const cidr = z
  .cidrv4({ abort: true, error: "must be an IPv4 block, like 10.0.0.0/16" })
  .refine((block) => block === networkOf(block), {
    error: ({ input }) => `has host bits set; the block is ${networkOf(String(input))}`,
  });

function networkOf(block: string): string {
  const [address = "", prefix = ""] = block.split("/");
  const hosts = 2 ** (32 - Number(prefix));
  const number = address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
  const first = number - (number % hosts);
  const octets = [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256);
  return `${octets.join(".")}/${prefix}`;
}

export const timestamp = z.iso.datetime({
  offset: true,
  error: "must be a time with its offset, like 2025-01-31T12:00:00Z",
});

/** A parameter of a query that is given once at most. */
export const once = <S extends z.ZodType>(schema: S) =>
  z
    .preprocess((given) => (Array.isArray(given) && given.length === 1 ? (given[0] as unknown) : given), schema)
    .optional();
