// What every out-of-band change does: it bypasses all rules of the control plane, without transition and without lag.

import type { Work } from "../../databases/backend";
import { reconcileBackend } from "../../controlPlane/world/reconcile";
import { nameOf } from "../../controlPlane/world/changes";
import type { AnyEntity, LedgerEntry } from "../../controlPlane/world/entities";
import { actual, patch, settle, type Timeline } from "../../controlPlane/world/timeline";
import { invalidate, removeObject, type World } from "../../controlPlane/world/world";
import type { WireOverride } from "./mutate";

/** Brings the world up to date and returns the time. */
export type AdvanceWorld = () => number;

export function existing<B extends { readonly status: string }, E extends { readonly timeline: Timeline<B> }>(
  entity: E | undefined,
  now: number,
  what: string,
  id: string,
): E {
  if (!entity || !actual(entity.timeline, now)) throw new Error(`the emulator has no ${what} with id ${id}`);
  return entity;
}

export function edit<B extends { readonly status: string }>(
  world: World,
  entity: AnyEntity & { readonly timeline: Timeline<B> },
  { wire, ...fields }: Partial<B> & WireOverride,
  now: number,
): void {
  if ("status" in fields) settle(entity.timeline);
  patch(entity.timeline, (body) => ({ ...body, ...fields }));
  if (wire !== undefined) entity.wire = { ...entity.wire, ...wire };
  record(world, entity, "changed", now);
}

export function remove(world: World, entity: AnyEntity, now: number): void {
  record(world, entity, "deleted", now);
  removeObject(world, entity);
}

export function record(world: World, entity: AnyEntity, event: LedgerEntry["event"], now: number): Work | undefined {
  invalidate(world, entity);
  const work = reconcileBackend(world, entity, event);
  const { kind, id } = entity;
  const name = nameOf(entity);
  world.ledger.push({
    at: now,
    kind,
    id,
    name,
    event,
    operation: undefined,
    by: "mutate",
    requestId: undefined,
    overlapped: false,
  });
  return work;
}
