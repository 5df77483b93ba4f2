// The fields that out-of-band changes may set, by kind: the fields of the body, and a few that no answer shows. In
// JSON, `null` removes an optional value, and a status is one of the contract: `wire` imitates others.

import { z } from "zod";
import { bodyFields, forkOrigin, wireOverride } from "../data/bodies";
import type { Kind } from "../../controlPlane/world/entities";
import { replicaSetStatus, serviceStatus, vpcStatus } from "../openapi/shapes";

/** Every field may be left out; optional ones may be removed. */
function changeOf<Shape extends Record<string, z.ZodType>>(fields: Shape) {
  const each = Object.entries(fields).map(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? z.union([field, z.null().transform(() => undefined)]) : field;
    return [name, z.optional(inner)] as const;
  });
  // Each field keeps its own checks; only the check that at least one is given is dropped.
  return z.strictObject(Object.fromEntries(each) as { [K in keyof Shape]: z.ZodOptional<Shape[K]> });
}

const { moves: _, ...serviceOwn } = bodyFields.service;
const wire = wireOverride.exactOptional();
const at = z.number().exactOptional();
const projectId = z.string().exactOptional();

export const changes = {
  vpc: changeOf({ ...bodyFields.vpc, status: vpcStatus }).extend({ wire }),
  peering: changeOf(bodyFields.peering).extend({ wire }),
  service: changeOf({ ...serviceOwn, status: serviceStatus }).extend({
    wire,
    paused: z.boolean().exactOptional(),
    password: z.string().min(1).exactOptional(),
    createdAt: at,
    firstBackupAt: at,
  }),
  replicaSet: changeOf({ ...bodyFields.replicaSet, status: replicaSetStatus }).extend({ wire }),
} satisfies { readonly [K in Kind]: z.ZodObject };

/** The fields that the creation of an object may set. */
export const creations = {
  vpc: changes.vpc.extend({ projectId }),
  peering: changes.peering,
  service: changes.service.extend({ projectId, forkedFrom: forkOrigin.exactOptional() }),
  replicaSet: changes.replicaSet,
} satisfies { readonly [K in Kind]: z.ZodObject };
