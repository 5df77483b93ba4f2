// The pieces that requests and answers are made of, on the wire. Requests are strict, answers are open: unknown
// members are ignored, `null` is absent.

import { z } from "zod";
import type { ConnectionPooler, Endpoint } from "../domain/endpoint";
import type { Size } from "../domain/size";
import { isWellFormed } from "./redaction";

/** An id that can stand in a path: not empty, and no step up or along it. */
export function isPathId(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." && isWellFormed(text);
}

// Requests. The `error` of a schema ends the sentence "x must be …".

export const id = z.string({ error: "an id" }).refine(isPathId, { error: "an id that is not empty" });
export const text = z.string({ error: "a text" }).min(1, { error: "a text that is not empty" });
export const name = z
  .string({ error: "a text of 1 to 128 characters" })
  .min(1, { error: "a text of 1 to 128 characters" })
  .max(128, { error: "a text of 1 to 128 characters" });
export const count = z.int({ error: "a whole number, at least 0" }).min(0, { error: "a whole number, at least 0" });
export const amount = z.int({ error: "a whole number, at least 1" }).min(1, { error: "a whole number, at least 1" });
export const size = z.union([amount, z.literal("shared")], { error: 'a whole number, at least 1, or "shared"' });
export const environment = z.enum(["DEV", "PROD"], { error: '"DEV" or "PROD"' });
export const moment = z.iso.datetime({ offset: true, error: "a time like 2026-01-31T12:00:00Z" });

/** API: sizes of services travel as texts. */
export function digits(value: Size | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

// Answers.

export const answeredId = z.string().refine(isPathId, { error: "expected an id" });

/** A member that may be missing or `null`. */
export function optional<T>(schema: z.ZodType<T>): z.ZodType<T | undefined> {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** API: a server that has nothing to list may send `null`. */
export function listOf<T>(schema: z.ZodType<T>): z.ZodType<T[]> {
  return z
    .array(schema)
    .nullish()
    .transform((value) => value ?? []);
}

/** Takes out the members that are not there, so that absent looks the same however it was said. */
export function present<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}

export const endpoint: z.ZodType<Endpoint> = z
  .object({ host: optional(z.string()), port: optional(z.number()) })
  .transform(present);

export const connectionPooler: z.ZodType<ConnectionPooler> = z
  .object({ endpoint: optional(endpoint) })
  .transform(present);

export const metadata = z.object({ environment: optional(z.string()) });
