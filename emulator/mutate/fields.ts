// What changes out of band may say, by kind: the fields of the body, and a few that no answer shows. `null` takes an
// optional value away in JSON.

import { z } from "zod";
import { bodyFields, forkOrigin, wireOverride } from "../data/bodies";
import type { Kind } from "../world/entities";

/** Every field may be left out; those that an object may lack can be taken away. */
function changeOf<Shape extends Record<string, z.ZodType>>(fields: Shape) {
  const each = Object.entries(fields).map(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? z.union([field, z.null().transform(() => undefined)]) : field;
    return [name, z.optional(inner)] as const;
  });
  // Each field keeps what its own schema says; only the absence of all of them is allowed.
  return z.strictObject(Object.fromEntries(each) as { [K in keyof Shape]: z.ZodOptional<Shape[K]> });
}

const { moves: _, ...serviceOwn } = bodyFields.service;
const wire = wireOverride.exactOptional();
const at = z.number().exactOptional();
const projectId = z.string().exactOptional();

export const changes = {
  vpc: changeOf(bodyFields.vpc).extend({ wire }),
  peering: changeOf(bodyFields.peering).extend({ wire }),
  service: changeOf(serviceOwn).extend({
    wire,
    paused: z.boolean().exactOptional(),
    password: z.string().min(1).exactOptional(),
    createdAt: at,
    firstBackupAt: at,
  }),
  replicaSet: changeOf(bodyFields.replicaSet).extend({ wire }),
} satisfies { readonly [K in Kind]: z.ZodObject };

/** What the creation of an object may say. */
export const creations = {
  vpc: changes.vpc.extend({ projectId }),
  peering: changes.peering,
  service: changes.service.extend({ projectId, forkedFrom: forkOrigin.exactOptional() }),
  replicaSet: changes.replicaSet,
} satisfies { readonly [K in Kind]: z.ZodObject };
