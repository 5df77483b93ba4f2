// The bodies of objects as JSON, for what comes in from outside: kept worlds, and changes out of band. A property without
// a row does not compile.

import { z } from "zod";
import type { Address, PeeringBody, ReplicaSetBody, ServiceBody, VpcBody } from "../world/entities";

type Fields<Body> = { readonly [K in keyof Required<Body>]: z.ZodType };

const text = z.string();
const optionalText = text.optional();
const count = z.int().min(0);
const size = z.int().min(1);

export const vpcFields = {
  status: text,
  name: text,
  cidr: text,
  regionCode: text,
} satisfies Fields<VpcBody>;

export const peeringFields = {
  status: text,
  peerAccountId: text,
  peerRegionCode: text,
  peerVpcId: text,
  provisionedId: optionalText,
  errorMessage: optionalText,
} satisfies Fields<PeeringBody>;

export const replicaSetFields = {
  status: text,
  name: text,
  cpuMillis: size,
  memoryGbs: size,
  nodes: size,
  poolerEnabled: z.boolean(),
  environment: optionalText,
} satisfies Fields<ReplicaSetBody>;

const address = z.strictObject({
  host: text.exactOptional(),
  port: z.int().exactOptional(),
} satisfies Fields<Address>);

export const serviceFields = {
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
} satisfies Fields<ServiceBody>;

export const vpcBody = z.strictObject(vpcFields) satisfies z.ZodType<VpcBody>;
export const peeringBody = z.strictObject(peeringFields) satisfies z.ZodType<PeeringBody>;
export const replicaSetBody = z.strictObject(replicaSetFields) satisfies z.ZodType<ReplicaSetBody>;
export const serviceBody = z.strictObject(serviceFields) satisfies z.ZodType<ServiceBody>;

export const forkOrigin = z.strictObject({ projectId: text, serviceId: text });

/** Fields laid over the wire form. */
export const wireOverride = z.record(text, z.unknown());
