// Changes out of band: what somebody does in the vendor's console. They bypass all rules of the control plane, take effect
// at once, without a transition, and reads show them at once.

import { z } from "zod";
import { lastMs } from "../controlPlane/settings/clock";
import type {
  BodyOf,
  ObjectKind,
  AnyEntity,
  Kinds,
  LedgerEntry,
  PeeringBody,
  ReplicaSetBody,
  Service,
  ServiceBody,
  VpcBody,
} from "../controlPlane/world/entities";
import {
  transitional,
  advanceWorld,
  removeObject,
  touch,
  type World,
  addPeering,
  addReplicaSet,
  addService,
  addVpc,
  newServiceBody,
} from "../controlPlane/world/world";
import { requireKnown } from "../checkedShape";
import { Missing } from "../errors";
import { defaultRegion, timeSeriesType } from "../controlPlane/settings/settings";
import { markActive, recordChange } from "../controlPlane/world/changes";
import { kindNames, partsOf, rowOf } from "../controlPlane/world/kinds";
import { appendLogs, startupLogs, type LogLine } from "../controlPlane/world/logs";
import { stateOf, type States } from "../controlPlane/world/state";
import { actual, beginChange, endChange, notStale, patch } from "../controlPlane/world/timeline";
import type { Work } from "../databases/backend";

type Fields<Body> = { readonly [K in keyof Required<Body>]: z.ZodType };

const text = z.string();
const optionalText = text.optional();
const count = z.int().min(0);
const atLeastOne = z.int().min(1);

/** A status is one of the contract: `wire` imitates others. */
const rows = {
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
    cpuMillis: atLeastOne.optional(),
    memoryGbs: atLeastOne.optional(),
    replicaCount: count,
    syncReplicaCount: count,
    environment: text,
    poolerEnabled: z.boolean(),
    vpcId: optionalText,
  },
  replicaSet: {
    status: z.enum(["creating", "active", "resizing", "deleting", "error"]),
    name: text,
    cpuMillis: atLeastOne,
    memoryGbs: atLeastOne,
    nodes: atLeastOne,
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
const owner = { projectId: text.exactOptional() };
const source = z.strictObject({ projectId: text, serviceId: text }).exactOptional();

export const changes = {
  vpc: changeOf(rows.vpc),
  peering: changeOf(rows.peering),
  service: changeOf(rows.service).extend({
    paused: z.boolean().exactOptional(),
    password: text.min(1).exactOptional(),
    createdAt: at,
    firstBackupAt: at,
  }),
  replicaSet: changeOf(rows.replicaSet),
} satisfies { readonly [K in ObjectKind]: z.ZodObject };

export const creations = {
  ...changes,
  vpc: changes.vpc.extend(owner),
  service: changes.service.extend({ ...owner, forkedFrom: source }),
} satisfies { readonly [K in ObjectKind]: z.ZodObject };

/** Fields that override those of the answer as they are, valid or not: `{ status: null, future_field: 1 }`. */
interface WireOverride {
  wire?: Record<string, unknown>;
}

/** `undefined` removes an optional value. A `status` ends the running change, if any. */
export type VpcMutation = Partial<VpcBody> & WireOverride;
export type PeeringMutation = Partial<PeeringBody> & WireOverride;
export type ReplicaSetMutation = Partial<ReplicaSetBody> & WireOverride;
export type ServiceMutation = Partial<Omit<ServiceBody, "moves">> &
  WireOverride & {
    /** true: PAUSED, false: READY. */
    paused?: boolean;
    password?: string;
    /** Epoch milliseconds. */
    createdAt?: number;
    /** Epoch milliseconds; if in the future, no fork from the last snapshot and no replica set until then. */
    firstBackupAt?: number;
  };

interface Mutations {
  vpc: VpcMutation;
  peering: PeeringMutation;
  service: ServiceMutation;
  replicaSet: ReplicaSetMutation;
}

type Deletions = { readonly [K in ObjectKind as `delete${Capitalize<K>}`]: (id: string) => void };

/**
 * All throw an Error if the object does not exist. A VPC is deleted whatever services are in it, and together with its
 * peerings, a service together with its replica sets.
 */
export type Mutate = { readonly [K in ObjectKind]: (id: string, fields: Mutations[K]) => States[K] } & Deletions & {
    readonly createVpc: (fields?: VpcMutation & { projectId?: string }) => States["vpc"];
    readonly createPeering: (vpcId: string, fields?: PeeringMutation) => States["peering"];
    readonly createService: (
      fields?: ServiceMutation & { projectId?: string; forkedFrom?: { projectId: string; serviceId: string } },
    ) => States["service"];
    readonly createReplicaSet: (serviceId: string, fields?: ReplicaSetMutation) => States["replicaSet"];
    /** Writes into the logs of a service. */
    readonly logs: (serviceId: string, lines: readonly LogLine[]) => void;
  };

export const capitalized = <K extends ObjectKind>(kind: K): Capitalize<K> =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as Capitalize<K>;

/** A new object, and its body unless fields are given. */
type Made<K extends ObjectKind> = readonly [entity: Kinds[K], usual: BodyOf<K>];

/** `save` is called after each change. */
export function createMutate(world: World, clock: () => number, defaultProject: string, save: () => void): Mutate {
  const advance = (): number => {
    const now = clock();
    advanceWorld(world, now);
    return now;
  };
  const existing = <K extends ObjectKind>(kind: K, id: string, now: number): Kinds[K] => {
    const row = rowOf(kind);
    const entity = row.find(world, id);
    if (entity && actual<{ status: string }>(entity.timeline, now)) return entity;
    throw new Missing(row.word, id);
  };
  const record = (entity: AnyEntity, event: LedgerEntry["event"], now: number): Work | undefined =>
    recordChange(world, entity, {
      at: now,
      event,
      operation: undefined,
      by: "mutate",
      requestId: undefined,
      overlapped: false,
    });
  const create = <K extends ObjectKind>(kind: K, fields: object, make: (now: number) => Made<K>): States[K] => {
    requireKnown(`mutate.create${capitalized(kind)}`, fields, Object.keys(creations[kind].shape));
    const now = advance();
    const [entity, settled] = make(now);
    Object.assign(entity.timeline, { settled });
    edit(entity, fields);
    const work = record(entity, "created", now);
    if (entity.kind === "service" && work) beginWork(world, entity, work, now);
    save();
    return stateOf[kind](entity, now);
  };
  const change = <K extends ObjectKind>(kind: K, id: string, fields: object): States[K] => {
    requireKnown(`mutate.${kind}`, fields, Object.keys(changes[kind].shape));
    const now = advance();
    const entity = existing(kind, id, now);
    edit(entity, fields);
    record(entity, "changed", now);
    save();
    return stateOf[kind](entity, now);
  };
  const remove = (kind: ObjectKind, id: string): void => {
    const now = advance();
    const entity = existing(kind, id, now);
    const parts = entity.kind === "service" || entity.kind === "vpc" ? [...partsOf(entity)] : [];
    for (const leaving of [...parts, entity]) {
      record(leaving, "deleted", now);
      removeObject(world, leaving);
    }
    save();
  };
  const ofEachKind = kindNames.flatMap((kind) => [
    [kind, (id: string, fields: object) => change(kind, id, fields)],
    [`delete${capitalized(kind)}`, (id: string) => remove(kind, id)],
  ]);
  const name = "made-by-hand";
  const size = { cpuMillis: 500, memoryGbs: 2 };
  return {
    ...(Object.fromEntries(ofEachKind) as Omit<Mutate, `create${string}` | "logs">),
    createVpc: ({ projectId: project = defaultProject, ...fields } = {}) =>
      create("vpc", fields, () => [
        addVpc(world, project),
        { status: "CREATED", name, cidr: "10.0.0.0/16", regionCode: defaultRegion },
      ]),
    createPeering: (vpcId, fields = {}) =>
      create("peering", fields, (now) => {
        const peering = addPeering(world, existing("vpc", vpcId, now));
        const peer = { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0a1b2c3d" };
        return [peering, { status: "active", ...peer, provisionedId: `pcx-${peering.id}` }];
      }),
    createService: ({ projectId: project = defaultProject, forkedFrom, ...fields } = {}) =>
      create("service", fields, (now) => {
        const service = addService(world, project, { createdAt: now, firstBackupAt: now, forkedFrom });
        if (world.backend.state.kind === "off") service.logs.push(...startupLogs(service.id, now));
        return [
          service,
          newServiceBody({
            name,
            regionCode: defaultRegion,
            serviceType: timeSeriesType,
            ...size,
            replicaCount: 0,
            environment: "DEV",
          }),
        ];
      }),
    createReplicaSet: (serviceId, fields = {}) =>
      create("replicaSet", fields, (now) => [
        addReplicaSet(world, existing("service", serviceId, now)),
        { status: "active", name, ...size, nodes: 1, poolerEnabled: false },
      ]),
    logs(id, lines) {
      const now = advance();
      const service = existing("service", id, now);
      appendLogs(service.logs, lines, now);
      touch(world, service);
      save();
    },
  };
}

/** The service is not READY at once if a server has to start first. */
function beginWork(world: World, service: Service, work: Work, now: number): void {
  const after = service.timeline.settled;
  if (!after) return;
  const phases = [{ body: { ...after, status: "CONFIGURING" }, ms: 0, busy: true }];
  service.timeline.settled = undefined;
  beginChange(service.timeline, now, { phases, after }, notStale).work = work;
  markActive(world, service);
}

/** `fields` are of the kind of the object, by their names at least. */
function edit(entity: AnyEntity, { wire, ...fields }: WireOverride & { readonly status?: string }): void {
  const body = entity.kind === "service" ? editService(entity, fields) : fields;
  if (body.status !== undefined) endChange<unknown>(entity.timeline, body.status);
  patch<object>(entity.timeline, (own) => ({ ...own, ...body }));
  entity.wire = wire === undefined ? entity.wire : { ...entity.wire, ...wire };
}

/** Changes what is not in the body; returns what is. */
function editService(
  service: Service,
  { paused, password, createdAt, firstBackupAt, ...fields }: ServiceMutation,
): { readonly status?: string } {
  const isMoved = (body: ServiceBody): boolean => "vpcId" in fields && fields.vpcId !== body.vpcId;
  patch(service.timeline, (body) => ({ ...body, moves: body.moves + (isMoved(body) ? 1 : 0) }));
  service.password = password ?? service.password;
  service.createdAt = createdAt ?? service.createdAt;
  service.firstBackupAt = firstBackupAt ?? service.firstBackupAt;
  return paused === undefined ? fields : { status: paused ? "PAUSED" : "READY", ...fields };
}
