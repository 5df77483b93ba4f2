// The shapes of request fields, shared by the actions' schemas. As strict as the contract: digits as text for a string,
// integers for a number.

import { z } from "zod";

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

/** Digits as text, as resize takes them. API: a resize cannot ask for `shared`. A switch sets the upper bound. */
export const sizeText = z
  .string()
  .regex(/^[0-9]+$/, "must be digits")
  .refine((digits) => Number(digits) > 0, "must be at least 1");

export const sizeTextOrShared = z.union([z.literal("shared"), sizeText], {
  error: 'must be a string of digits or "shared"',
});

export const atLeastOne = z.int().min(1);

export const count = z.int().min(0);

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
