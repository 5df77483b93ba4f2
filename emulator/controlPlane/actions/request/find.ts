// Finds the objects in a path, and refuses if they are gone or busy. Decides by the true state of the object, never by
// what stale answers show.

import type { Context } from "../action";
import { conflict, invalid, notFound, planLimit, wrongState } from "../failure";
import type { Switches } from "../../settings/switches";
import { partsOf } from "../../world/kinds";
import { settle, type Timeline } from "../../world/timeline";
import type {
  Kind,
  Peering,
  PeeringBody,
  ReplicaSet,
  ReplicaSetBody,
  Service,
  ServiceBody,
  Vpc,
  VpcBody,
} from "../../world/entities";
import { currentBody, isBusy } from "../../world/world";

/** An object and its true state at the time of the request. */
export interface Found<E, B> {
  readonly entity: E;
  readonly body: B;
}

function found<
  E extends { readonly kind: Kind; readonly timeline: Timeline<B> },
  B extends { readonly status: string },
>({ now }: Context, entity: E): Found<E, B> {
  const body = currentBody<B>(entity, now);
  if (!body) throw notFound(entity.kind);
  return { entity, body };
}

/** The service in the path, also while it shows as DELETED. */
export function serviceOfPath(context: Context): Service {
  const service = context.world.services.get(context.params["service_id"] ?? "");
  if (!service || service.projectId !== context.project.id) throw notFound("service");
  context.subject = service;
  return service;
}

export function findService(context: Context): Found<Service, ServiceBody> {
  return found(context, serviceOfPath(context));
}

/** The VPC in the path, also after its deletion, while answers still show it. */
export function vpcOfPath(context: Context): Vpc {
  const vpc = context.world.vpcs.get(context.params["vpc_id"] ?? "");
  if (!vpc || vpc.projectId !== context.project.id) throw notFound("vpc");
  context.subject = vpc;
  return vpc;
}

export function findVpc(context: Context): Found<Vpc, VpcBody> {
  return found(context, vpcOfPath(context));
}

/** The peering in the path, also after its deletion, while answers still show it. */
export function peeringOfPath(context: Context): Peering {
  const peering = vpcOfPath(context).peerings.get(context.params["peering_id"] ?? "");
  if (!peering) throw notFound("peering");
  context.subject = peering;
  return peering;
}

export function findPeering(context: Context): Found<Peering, PeeringBody> {
  return found(context, peeringOfPath(context));
}

export function findReplicaSet(context: Context): Found<ReplicaSet, ReplicaSetBody> & { parent: ServiceBody } {
  const { entity: service, body: parent } = findService(context);
  const set = service.replicaSets.get(context.params["replica_set_id"] ?? "");
  if (!set) throw notFound("replicaSet");
  const { entity, body } = found<ReplicaSet, ReplicaSetBody>(context, set);
  context.subject = entity;
  return { entity, body, parent };
}

/** The service in the path; refuses while the service or one of its replica sets is being changed. */
export function findIdleService(context: Context): Found<Service, ServiceBody> {
  refuseWhileBusy(context, findService(context).entity, "service");
  return findService(context);
}

/** The VPC in the path; refuses while the VPC or one of its peerings is being changed. */
export function findIdleVpc(context: Context): Found<Vpc, VpcBody> {
  refuseWhileBusy(context, findVpc(context).entity, "VPC");
  return findVpc(context);
}

/** The replica set in the path; refuses while its service, or any set of it, is being changed. */
export function findIdleReplicaSet(context: Context): Found<ReplicaSet, ReplicaSetBody> & { parent: ServiceBody } {
  findReplicaSet(context);
  findIdleService(context);
  return findReplicaSet(context);
}

/** API: a paused service must be started before most other changes; the refused request changes nothing. */
export function requireRunning(body: ServiceBody): void {
  if (body.status === "PAUSED") throw wrongState("service is paused; start it first");
}

/** The default region of a switch is always there. */
export function requireRegion(regionCode: string, { regions, defaultRegion }: Switches): void {
  if (regions.includes(regionCode) || regionCode === defaultRegion) return;
  throw invalid(`region_code: there is no region "${regionCode}"; there are ${regions.join(", ")}`);
}

/** Refuses if this many more PostgreSQL servers exceed the limit. */
export function requireRoom({ world }: Context, servers: number): void {
  if (servers > 0 && world.backend.room() < servers) throw planLimit(world.settings.switches.maxServers);
}

function refuseWhileBusy(context: Context, owner: Service | Vpc, what: string): void {
  if (!isBusy(owner, context.now)) return;
  const { switches } = context.world.settings;
  if (switches.busy === "refuse") {
    context.refusedAsBusy = true;
    throw conflict(`${what} is ${switches.busyText}`, switches.busyStatus);
  }
  context.overlapped = true;
  for (const { timeline } of [owner, ...partsOf(owner)]) settle<unknown>(timeline);
}
