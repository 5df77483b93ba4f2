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

/** How a member is read: in snake_case on the wire, or by the first of the other names under which it has a value. */
type Member<V> = z.ZodType<V> | { readonly on: readonly string[]; readonly schema: z.ZodType<V> };

/** Each member needs its entry, or nobody would ever see it. */
type Members<T> = { readonly [K in keyof T]-?: Member<K extends OptionalKey<T> ? T[K] | null : T[K]> };

/** An object by its members. Those that may be missing are left out where they have no value, however the server says that. */
export function object<T extends object>(members: Members<T>): z.ZodType<T> {
  const rows = Object.entries<Member<unknown>>(members).map(([key, member]) => {
    const { on, schema } = "on" in member ? member : { on: [snakeCase(key)], schema: member };
    return { key, on, schema, mayLack: schema.safeParse(undefined).success };
  });
  const wire = z.object(Object.fromEntries(rows.flatMap(({ on, schema }) => on.map((name) => [name, schema]))));
  // A schema per member could do it too, at three times the cost of everything else in a list of a thousand services.
  return wire.transform((shown) => {
    const found: Record<string, unknown> = {};
    for (const { key, on, mayLack } of rows) {
      for (const name of on) {
        const value = shown[name];
        if (value === undefined || value === null || (value === "" && mayLack)) continue;
        found[key] = value;
        break;
      }
    }
    return found as T;
  });
}

/** The same for an object of optional members only, which has no value itself when none of them has one. */
export function some<T extends object>(members: Members<T>): z.ZodType<T | undefined> {
  return object<T>(members).transform((found) => (Object.keys(found).length === 0 ? undefined : found));
}

/** `vpcId` is `vpc_id`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export const someWord = word.nullish();

/** API: no port is 0, and no size. */
export const notZero = z
  .number()
  .nullish()
  .transform((value) => value || undefined);

export const endpoint = some<Endpoint>({ host: someWord, port: notZero }).nullish();

export const connectionPooler = some<ConnectionPooler>({ endpoint }).nullish();

/** The environment, on the wire a member of `metadata`. */
export const environmentTag = {
  on: ["metadata"],
  schema: z
    .object({ environment: someWord })
    .transform(({ environment: tag }) => tag)
    .nullish(),
};
