// The inputs that several resources have in common: names and switches, where an object lives, what to take over, how long
// to wait.

import { z } from "zod";
import { DURATION_ALLOWED, parseDuration } from "./duration";
import type { Field } from "./fields";

export const identifier = z.string().min(1).max(256);
export const duration = z.string().refine((text) => parseDuration(text) !== undefined);

export function required(field: Field): Field {
  return { ...field, required: true };
}

export const name: Field = {
  schema: z.string().min(1).max(128),
  allowed: "1 to 128 characters",
  change: "inPlace",
  calls: ["rename"],
};

export const environment: Field = {
  schema: z.enum(["DEV", "PROD"]),
  allowed: '"DEV" or "PROD"',
  change: "inPlace",
  calls: ["setEnvironment"],
};

export const poolerEnabled: Field = {
  schema: z.boolean(),
  allowed: "true or false",
  change: "inPlace",
  calls: ["enablePooler", "disablePooler"],
};

export const adoptId: Field = { schema: identifier, allowed: "the id of an existing object", change: "lifecycle" };

export const projectId: Field = { schema: identifier, allowed: "the id of a project", change: "fixed" };

export const timeouts: Field = {
  schema: z.strictObject({
    create: duration.optional(),
    update: duration.optional(),
    delete: duration.optional(),
    read: duration.optional(),
  }),
  allowed: `create, update, delete and read, each ${DURATION_ALLOWED}`,
  change: "lifecycle",
};
