// The pieces that requests and answers are made of, on the wire. Requests are strict, answers are open: unknown
// members are ignored.

import { z } from "zod";
import type { ConnectionPooler, Endpoint } from "../../domain/endpoint";
import { isPathId } from "../../domain/sharedFields";
import { oneLine, shortened } from "../../domain/values/printable";
import type { Size } from "../../domain/sharedFields";
import { type Members, notShown, object, some } from "./objects";

const LONGEST_WORD = 1_000;

// Requests. The `error` of a schema ends the sentence "x must be …".

export const id = z
  .string({ error: "an id" })
  .refine(isPathId, { error: "a non-empty id without invisible characters" });
export const text = z.string({ error: "a string" }).min(1, { error: "a non-empty string" });
export const name = z
  .string({ error: "a string of 1 to 128 characters" })
  .min(1, { error: "a string of 1 to 128 characters" })
  .max(128, { error: "a string of 1 to 128 characters" });
export const amount = z.int({ error: "a whole number, at least 1" }).min(1, { error: "a whole number, at least 1" });
export const environment = z.enum(["DEV", "PROD"], { error: '"DEV" or "PROD"' });

/** API: sizes of services travel as texts. */
export function digits(value: Size | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

// Answers.

/** A word that people read, such as a status: whatever a server puts there stays within its line, and fits into a state. */
export const word = z.string().overwrite((given) => shortened(oneLine(given), LONGEST_WORD));

export const answeredId = z.string().refine(isPathId, { error: "expected an id" });

/** API: no port is 0, and no size. */
export const notZero = z.number().transform((value) => value || undefined);

export const addressRows: Members<Endpoint> = {
  // Contract: both are optional. API: either may come later than the other.
  host: notShown(word),
  port: notShown(notZero),
};
export const endpointShape = object<Endpoint>(addressRows);
export const endpoint = some(endpointShape);

// A pooler without an address is no pooler (`connection_pooler` of the owner).
export const connectionPooler = some(object<ConnectionPooler>({ endpoint: notShown(endpoint) }));

/** The tag, on the wire a member of `metadata`. */
export const environmentTag = z
  .object({ environment: word.nullish() })
  .transform(({ environment: tag }) => tag ?? undefined);
