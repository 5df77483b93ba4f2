// The inputs that several resources have in common: names and switches, where an object lives, what to adopt, how long
// to wait.

import { z } from "zod";
import { DURATION_ALLOWED, parseDuration } from "./values/duration";
import type { Field } from "./fields";
import { oneLine } from "./values/printable";

/** An id that can stand in a path and in a message: not empty, no step up or along it, nothing that steers a terminal. */
export function isPathId(text: string): boolean {
  return text.trim() !== "" && text.length <= 256 && text !== "." && text !== ".." && oneLine(text) === text;
}

export const identifier = z.string().refine(isPathId);
/** RFC 3339, with seconds and a zone. */
export const moment = z.iso.datetime({ offset: true });
const duration = z.string().refine((text) => parseDuration(text) !== undefined);

/** A compute size: whole millicores or gigabytes, or the word "shared" for a service on shared resources. */
export type Size = number | "shared";

export function required<F extends Field>(field: F): F & { required: true } {
  return { ...field, required: true };
}

export const name = {
  schema: z.string().min(1).max(128),
  allowed: "a string of 1 to 128 characters",
  change: "inPlace",
  identifies: "name",
} satisfies Field;

export const regionCode = {
  schema: identifier,
  allowed: "a region code",
  isSame: isSameWord,
} satisfies Omit<Field, "change">;

// Any text, as configuration gives it: an editor suggests the words, and a preview refuses any other.
/** The environment tag. */
export type Environment = "DEV" | "PROD" | (string & Record<never, never>);

/** Whether two tags or regions are equal, ignoring case. */
export function isSameWord(a: unknown, b: unknown): boolean {
  return typeof a === "string" && typeof b === "string" ? a.toUpperCase() === b.toUpperCase() : a === b;
}

/** API: answers have any text as the tag. "prod" in any case is production. */
export function isProductionTag(tag: unknown): boolean {
  return isSameWord(tag, "PROD");
}

export const environment = {
  schema: z.enum(["DEV", "PROD"]),
  allowed: '"DEV" or "PROD"',
  change: "inPlace",
  isSame: isSameWord,
} satisfies Field;

/** API: no rule is documented. gRPC: a longer one, with the connection strings made of it, could not be saved after an error. */
export const password = {
  schema: z.string().min(1).max(1_000),
  allowed: "1 to 1,000 characters",
  secret: true,
} satisfies Omit<Field, "change">;

export const flag = { schema: z.boolean(), allowed: "true or false" };

/** `byCreate` of what a call of its own sets after the create. */
export const setLater = (): undefined => undefined;

export const poolerEnabled = { ...flag, change: "inPlace", none: false, byCreate: setLater } satisfies Field;

export const adoptId = {
  schema: identifier,
  allowed: "the id of an existing object",
  change: "lifecycle",
} satisfies Field;

export const projectId = { schema: identifier, allowed: "the id of a project", change: "fixed" } satisfies Field;

const limit = duration.optional().describe(DURATION_ALLOWED);

export const timeouts = {
  schema: z.strictObject({ create: limit, update: limit, delete: limit, read: limit }),
  allowed: `create, update, delete and read, each ${DURATION_ALLOWED}`,
  change: "lifecycle",
} satisfies Field;
