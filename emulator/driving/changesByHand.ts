// What a change out of band may set, as JSON. A property without a row does not compile.

import { z } from "zod";
import { lastMs } from "../controlPlane/settings/clock";
import type { Address, BodyOf, ObjectKind } from "../controlPlane/world/entities";
import { transitional } from "../controlPlane/world/world";

type Fields<Body> = { readonly [K in keyof Required<Body>]: z.ZodType };

const text = z.string();
const optionalText = text.optional();
const count = z.int().min(0);
const size = z.int().min(1);

const address = z.strictObject({
  host: text.exactOptional(),
  port: z.int().exactOptional(),
} satisfies Fields<Address>);

/** A status is one of the contract: `wire` imitates others. */
const fields = {
  vpc: {
    status: z.enum(["CREATING", "CREATED", "DELETING", "DELETED", "ERROR", "UNKNOWN"]),
    name: text,
    cidr: text,
    regionCode: text,
  },
  peering: {
    status: text,
    peerAccountId: text,
    peerRegionCode: text,
    peerVpcId: text,
    provisionedId: optionalText,
    errorMessage: optionalText,
  },
  service: {
    status: z.enum([...transitional, "READY", "PAUSED", "UNSTABLE", "DELETED"]),
    name: text,
    regionCode: text,
    serviceType: text,
    cpuMillis: size.optional(),
    memoryGbs: size.optional(),
    replicaCount: count,
    syncReplicaCount: count,
    environment: text,
    poolerEnabled: z.boolean(),
    vpcId: optionalText,
    dataTieringEnabled: z.boolean(),
    logExporterId: optionalText,
    metricExporterId: optionalText,
    endpoint: address.optional(),
  },
  replicaSet: {
    status: z.enum(["creating", "active", "resizing", "deleting", "error"]),
    name: text,
    cpuMillis: size,
    memoryGbs: size,
    nodes: size,
    poolerEnabled: z.boolean(),
    environment: optionalText,
  },
} satisfies { readonly [K in ObjectKind]: Fields<Omit<BodyOf<K>, "moves">> };

/** Every field may be left out; in JSON, `null` removes an optional value. */
function changeOf<Shape extends Record<string, z.ZodType>>(of: Shape) {
  const each = Object.entries(of).map(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? z.nullable(field).transform((value) => value ?? undefined) : field;
    return [name, z.optional(inner)] as const;
  });
  const shape = Object.fromEntries(each) as { [K in keyof Shape]: z.ZodOptional<Shape[K]> };
  return z.strictObject(shape).extend({ wire: z.record(text, z.unknown()).exactOptional() });
}

/** A moment that an answer can show. */
export const moment = z.int().min(0).max(lastMs);
const at = moment.exactOptional();
const projectId = text.exactOptional();
const forkedFrom = z.strictObject({ projectId: text, serviceId: text }).exactOptional();

export const changes = {
  vpc: changeOf(fields.vpc),
  peering: changeOf(fields.peering),
  service: changeOf(fields.service).extend({
    paused: z.boolean().exactOptional(),
    password: text.min(1).exactOptional(),
    createdAt: at,
    firstBackupAt: at,
  }),
  replicaSet: changeOf(fields.replicaSet),
} satisfies { readonly [K in ObjectKind]: z.ZodObject };

export const creations = {
  ...changes,
  vpc: changes.vpc.extend({ projectId }),
  service: changes.service.extend({ projectId, forkedFrom }),
} satisfies { readonly [K in ObjectKind]: z.ZodObject };
