// The shapes of request fields, shared by the actions' schemas. Strict where the contract is: digits as text where it
// says string, integers where it says number.

import { z } from "zod";

/** API: names of services, forks and replica sets have 1 to 128 characters. */
export const name = z.string().min(1).max(128);

export const someText = z.string().min(1).max(255);

export const environmentTag = z.enum(["DEV", "PROD"]);

/** Digits as text: what resize takes. API: `shared` cannot be asked for there. */
export const sizeText = z
  .string()
  .regex(/^[0-9]+$/, "must be digits")
  .refine((text) => Number(text) > 0, "must be at least 1");

export const sizeTextOrShared = z.union([z.literal("shared"), sizeText], {
  error: 'must be a string of digits or "shared"',
});

export const atLeastOne = z.int().min(1);

export const count = z.int().min(0);

/** An IPv4 block, address/prefix. */
export const cidr = z.cidrv4();

export const timestamp = z.iso.datetime({ offset: true });
