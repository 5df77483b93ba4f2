// The answers of the admin API: the state of the world and its records, as plain JSON.

import { z } from "zod";
import { actions, isOperation } from "../../controlPlane/actions/index";
import { forkOrigin, bodyFields } from "../data/bodies";
import type { ActiveFault } from "../../controlPlane/http/faults";
import type { RequestRecord } from "../../controlPlane/http/requests";
import type { PostgresState } from "../../databases/backend";
import type { ClockState } from "../../controlPlane/settings/clock";
import type { Kind } from "../../controlPlane/world/entities";
import type { States, WorldState } from "../../controlPlane/world/state";

const text = z.string();
const at = z.number().meta({ description: "epoch milliseconds of the emulator's clock" });

export const operationName = z.enum(Object.keys(actions).filter(isOperation));

export const stateShapes = {
  vpc: z.object({ id: text, projectId: text, ...bodyFields.vpc }),
  peering: z.object({ id: text, vpcId: text, ...bodyFields.peering }),
  service: z.object({
    id: text,
    projectId: text,
    createdAt: at,
    password: text,
    initialPassword: text,
    forkedFrom: forkOrigin.optional(),
    isBusy: z.boolean(),
    replicaSetIds: z.array(text),
    ...bodyFields.service,
  }),
  replicaSet: z.object({ id: text, serviceId: text, ...bodyFields.replicaSet }),
} satisfies { readonly [K in Kind]: z.ZodType<States[K]> };

const postgresState = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("off"), missing: text.optional() }),
  z.object({
    kind: z.literal("processes"),
    version: text,
    source: text,
    bin: text,
    pooler: z.enum(["pgbouncer", "pass-through"]),
    caFile: text,
  }),
]) satisfies z.ZodType<PostgresState>;

export const worldState = z.object({
  postgres: postgresState,
  projects: z.array(z.object({ id: text, name: text })),
  vpcs: z.array(stateShapes.vpc),
  peerings: z.array(stateShapes.peering),
  services: z.array(stateShapes.service),
  replicaSets: z.array(stateShapes.replicaSet),
}) satisfies z.ZodType<WorldState>;

export const requestRecord = z.object({
  id: text,
  at,
  operation: operationName.optional(),
  method: text,
  path: text,
  params: z.record(text, text),
  query: z.record(text, z.array(text)),
  body: z.unknown(),
  status: z.int().optional(),
  refusal: text.optional(),
  caller: text,
  userAgent: text.optional(),
  fault: text.optional(),
  committed: z.boolean(),
  refusedAsBusy: z.boolean(),
}) satisfies z.ZodType<Partial<RequestRecord>>;

export const clockState = z.object({ now: at, isFrozen: z.boolean() }) satisfies z.ZodType<ClockState>;

export const activeFault = z.object({
  id: text,
  kind: text,
  operation: operationName.optional(),
  struck: z.int(),
}) satisfies z.ZodType<Partial<Record<keyof ActiveFault, unknown>>>;
