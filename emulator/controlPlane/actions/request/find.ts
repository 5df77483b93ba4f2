// Finds the objects in a path, and refuses if they are gone or busy. Decides by the true state of the object, never by
// what stale answers show.

import { currentBody, isBusy } from "../../world/world";
import { partsOf, rowOf } from "../../world/kinds";
import { settle, type Timeline } from "../../world/timeline";
import type { BodyOf, ObjectKind, Kinds, Peering, Service, ServiceBody, Vpc } from "../../world/entities";
import { defaultRegion, type Switches } from "../../settings/switches";
import type { Context } from "../action";
import { conflict, invalid, notFound, planLimit, wrongState } from "../failure";

/** An object and its true state at the time of the request. */
export interface FoundObject<K extends ObjectKind> {
  readonly entity: Kinds[K];
  readonly body: BodyOf<K>;
}

type FoundSet = FoundObject<"replicaSet"> & { readonly parent: ServiceBody };

/** The service or VPC in the path, also after its deletion, while answers still show it. */
function inPath<K extends "service" | "vpc">(context: Context, kind: K): Kinds[K] {
  const entity = rowOf(kind).find(context.world, context.params[`${kind}_id`] ?? "");
  if (!entity || entity.projectId !== context.project.id) throw notFound(kind);
  context.subject = entity;
  return entity;
}

export const serviceOfPath = (context: Context): Service => inPath(context, "service");

export const vpcOfPath = (context: Context): Vpc => inPath(context, "vpc");

export function peeringOfPath(context: Context): Peering {
  const peering = vpcOfPath(context).peerings.get(context.params["peering_id"] ?? "");
  if (!peering) throw notFound("peering");
  context.subject = peering;
  return peering;
}

export const findService = (context: Context): FoundObject<"service"> => found(context, serviceOfPath(context));

export const findVpc = (context: Context): FoundObject<"vpc"> => found(context, vpcOfPath(context));

export const findPeering = (context: Context): FoundObject<"peering"> => found(context, peeringOfPath(context));

export function findReplicaSet(context: Context): FoundSet {
  const { entity: service, body: parent } = findService(context);
  const set = service.replicaSets.get(context.params["replica_set_id"] ?? "");
  if (!set) throw notFound("replicaSet");
  const one: FoundObject<"replicaSet"> = found(context, set);
  context.subject = set;
  return { ...one, parent };
}

/** The service in the path; refuses while the service or one of its replica sets is being changed. */
export function findIdleService(context: Context): FoundObject<"service"> {
  refuseWhileBusy(context, findService(context).entity);
  return findService(context);
}

export function findIdleVpc(context: Context): FoundObject<"vpc"> {
  refuseWhileBusy(context, findVpc(context).entity);
  return findVpc(context);
}

export function findIdleReplicaSet(context: Context): FoundSet {
  findReplicaSet(context);
  findIdleService(context);
  return findReplicaSet(context);
}

function found<E extends Kinds[ObjectKind], B extends { readonly status: string }>(
  { now }: Context,
  entity: E & { readonly timeline: Timeline<B> },
): { entity: E; body: B } {
  const body = currentBody<B>(entity, now);
  if (!body) throw notFound(entity.kind);
  return { entity, body };
}

/** API: a paused service must be started before most other changes; the refused request changes nothing. */
export function requireRunning(body: ServiceBody): void {
  if (body.status === "PAUSED") throw wrongState("service is paused; start it first");
}

export function requireRegion(regionCode: string, { regions }: Switches): void {
  if (regions.includes(regionCode) || regionCode === defaultRegion) return;
  throw invalid(`region_code: there is no region "${regionCode}"; there are ${regions.join(", ")}`);
}

/** Refuses if this many more PostgreSQL servers exceed the limit. */
export function requireRoom({ world }: Context, servers: number): void {
  if (servers > 0 && world.backend.room() < servers) throw planLimit(world.settings.switches.maxServers);
}

function refuseWhileBusy(context: Context, owner: Service | Vpc): void {
  if (!isBusy(owner, context.now)) return;
  const { switches } = context.world.settings;
  if (switches.busy === "refuse") {
    context.refusedAsBusy = true;
    throw conflict(`${rowOf(owner.kind).word} is already being updated`, switches.busyStatus);
  }
  context.overlapped = true;
  for (const { timeline } of [owner, ...partsOf(owner)]) settle<unknown>(timeline);
}
