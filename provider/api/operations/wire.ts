// The pieces that requests and answers are made of, on the wire. Requests are strict, answers are open: unknown
// members are ignored. What no value of a member means stands in `optionalMembers.ts`.

import { z } from "zod";
import type { ConnectionPooler, Endpoint } from "../../domain/endpoint";
import { oneLine } from "../../domain/values/printable";
import type { Size } from "../../domain/values/size";

/** An id that can stand in a path and in a message: not empty, no step up or along it, nothing that steers a terminal. */
export function isPathId(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." && oneLine(text) === text;
}

// Requests. The `error` of a schema ends the sentence "x must be …".

export const id = z
  .string({ error: "an id" })
  .refine(isPathId, { error: "an id that is not empty, without invisible characters" });
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

/** A word that people read, such as a status: whatever a server puts there stays within its line. */
export const word = z.string().overwrite(oneLine);

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

export type OptionalKey<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T] & string;
/** Each member needs its entry, or nobody would ever see it. */
type Optional<T> = { readonly [K in OptionalKey<T>]-?: T[K] | null };

/**
 * An object with its optional members, without those that have no value, however the server says that. A schema per member
 * could do it too, at three times the cost of everything else in a list of a thousand services.
 */
export function withOptional<T extends object>(object: Omit<T, OptionalKey<T>>, members: Optional<T>): T {
  const shown = object as T;
  for (const key in members) {
    const member = members[key as OptionalKey<T>];
    if (member !== undefined && member !== null && member !== "") shown[key as OptionalKey<T>] = member;
  }
  return shown;
}

/** The same for an object of optional members only, which has no value itself when none of them has one. */
export function unlessEmpty<T extends object>(members: Optional<T>): T | undefined {
  const object = withOptional<T>({} as Omit<T, OptionalKey<T>>, members);
  return Object.keys(object).length === 0 ? undefined : object;
}

/** API: no port is 0, and no size. */
export function notZero(value: number | null | undefined): number | undefined {
  return value === 0 || value === null ? undefined : value;
}

export const endpoint: z.ZodType<Endpoint | undefined> = z
  .object({ host: word.nullish(), port: z.number().nullish() })
  .transform(({ host, port }) => unlessEmpty<Endpoint>({ host, port: notZero(port) }));

export const connectionPooler: z.ZodType<ConnectionPooler | undefined> = z
  .object({ endpoint: endpoint.nullish() })
  .transform((wire) => unlessEmpty<ConnectionPooler>({ endpoint: wire.endpoint }));

export const metadata = z.object({ environment: word.nullish() });
