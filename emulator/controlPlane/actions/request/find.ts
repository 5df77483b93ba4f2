// Finds the objects in a path, and refuses if they are gone or busy. Decides by the true state of the object, never by
// what stale answers show.

import { currentBody, isBusy, readById } from "../../world/world";
import { ownerOf, partsOf, rowOf } from "../../world/kinds";
import { settle, type Timeline } from "../../world/timeline";
import type { BodyOf, ObjectKind, Kinds, Service, ServiceBody, Vpc } from "../../world/entities";
import { defaultRegion, type Switches } from "../../settings/settings";
import type { Context } from "../action";
import { conflict, invalid, notFound, planLimit } from "../failure";

/** An object and its true state at the time of the request. */
export interface FoundObject<K extends ObjectKind> {
  readonly entity: Kinds[K];
  readonly body: BodyOf<K>;
}

/** The object in the path, also after its deletion, while answers still show it. */
function inPath<K extends ObjectKind>(context: Context, kind: K): Kinds[K] {
  const { world, params, project } = context;
  const ownerKind = kind === "vpc" || kind === "peering" ? "vpc" : "service";
  const owner = rowOf(ownerKind).find(world, params[rowOf(ownerKind).parameter] ?? "");
  if (owner?.projectId !== project.id) throw notFound(ownerKind);
  const entity = rowOf(kind).find(world, params[rowOf(kind).parameter] ?? "");
  if (!entity || ownerOf(entity) !== owner) throw notFound(kind);
  context.subject = entity;
  return entity;
}

/** As one GET shows it, which a lag may hide. */
export function findShown<K extends ObjectKind>(context: Context, kind: K): FoundObject<K> {
  return found(context, kind, readById);
}

export function find<K extends ObjectKind>(context: Context, kind: K): FoundObject<K> {
  return found(context, kind, currentBody);
}

/** Refuses while its service or VPC, or a part of that, is being changed. */
export function findIdle<K extends ObjectKind>(context: Context, kind: K): FoundObject<K> {
  refuseWhileBusy(context, ownerOf(find(context, kind).entity));
  return find(context, kind);
}

type Seeable<K extends ObjectKind> = Kinds[K] & { readonly timeline: Timeline<BodyOf<K>> };

function found<K extends ObjectKind>(
  context: Context,
  kind: K,
  read: (entity: Seeable<K>, now: number) => BodyOf<K> | undefined,
): FoundObject<K> {
  const entity = inPath(context, kind);
  const body = read(entity, context.now);
  if (!body) throw notFound(kind);
  return { entity, body };
}

/** API: a paused service must be started before most other changes; the refused request changes nothing. */
export function requireRunning(body: ServiceBody): void {
  if (body.status === "PAUSED") throw invalid("service is paused; start it first");
}

export function requireRegion(regionCode: string, { regions }: Switches): void {
  if (regions.includes(regionCode) || regionCode === defaultRegion) return;
  throw invalid(`region_code: there is no region "${regionCode}"; there are ${regions.join(", ")}`);
}

/** Refuses if one more PostgreSQL server exceeds the limit. */
export function requireRoom({ world }: Context): void {
  if (world.backend.room() < 1) throw planLimit(world.settings.switches.maxServers);
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
