// The schemas of object bodies as JSON, for input from outside: stored worlds and changes out of band. A property
// without a row, or a kind without its table, does not compile.

import { z } from "zod";
import type { Address, BodyOf, Kind } from "../../controlPlane/world/entities";

type Fields<Body> = { readonly [K in keyof Required<Body>]: z.ZodType };

const text = z.string();
const optionalText = text.optional();
const count = z.int().min(0);
const size = z.int().min(1);

const address = z.strictObject({
  host: text.exactOptional(),
  port: z.int().exactOptional(),
} satisfies Fields<Address>);

export const bodyFields = {
  vpc: {
    status: text,
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
    status: text,
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
    moves: count,
    dataTieringEnabled: z.boolean(),
    logExporterId: optionalText,
    metricExporterId: optionalText,
    endpoint: address.optional(),
  },
  replicaSet: {
    status: text,
    name: text,
    cpuMillis: size,
    memoryGbs: size,
    nodes: size,
    poolerEnabled: z.boolean(),
    environment: optionalText,
  },
} satisfies { readonly [K in Kind]: Fields<BodyOf<K>> };

export const forkOrigin = z.strictObject({ projectId: text, serviceId: text });

/** Fields that override those of the wire form. */
export const wireOverride = z.record(text, z.unknown());
