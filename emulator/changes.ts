// Beginning changes: every creation, change and deletion of an object goes through here, so that lag, staleness and the
// ledger are never forgotten.

import type { Context } from "./action";
import { durationOf, type Lag, type Timings } from "./settings";
import { begin, goal, promptly, type Phase, type Staleness, type Track } from "./timeline";
import type { AnyEntity, LedgerEntry, Unseen } from "./entities";
import { touch, type World } from "./world";

interface Body {
  readonly status: string;
}

type EntityOf<B> = AnyEntity & { readonly track: Track<B> };

export interface Course<B> {
  readonly phases: readonly Phase<B>[];
  readonly after: B | undefined;
}

/** The milliseconds that a step takes for this object. */
export function msFor(world: World, step: keyof Timings, object: { id: string; name: string }): number {
  return durationOf(world.settings.timings[step], object);
}

/** Begins the course of a new object, a change or a deletion. Of existing objects readers see old values for a while. */
export function start<B extends Body>(
  context: Context,
  entity: EntityOf<B>,
  event: LedgerEntry["event"],
  course: Course<B>,
): void {
  begin(entity.track, context.now, course, event === "created" ? promptly : staleness(context.world));
  watch(context.world, entity);
  commit(context, entity, event);
}

/** The usual change: one status while it runs, the new values at its end. */
export function startStep<B extends Body>(
  context: Context,
  found: { entity: EntityOf<B>; body: B },
  step: keyof Timings,
  change: { status: string; after: B },
): void {
  const { entity, body } = found;
  const ms = msFor(context.world, step, { id: entity.id, name: labelOf(entity) });
  start(context, entity, "changed", {
    phases: [{ body: { ...body, status: change.status }, ms, busy: true }],
    after: change.after,
  });
}

/** A status to show on an object while something else runs; not a change of its own. */
export function startShowing<B extends Body>(world: World, entity: EntityOf<B>, now: number, course: Course<B>): void {
  begin(entity.track, now, course, staleness(world));
  watch(world, entity);
}

export function commit(context: Context, entity: AnyEntity, event: LedgerEntry["event"]): void {
  context.subject = entity;
  context.committed = true;
  touch(context.world, entity);
  context.world.ledger.push({
    at: context.now,
    kind: entity.kind,
    id: entity.id,
    name: labelOf(entity),
    event,
    operation: context.operation,
    by: "api",
    requestId: context.requestId,
    overlapped: context.overlapped,
  });
}

export function watch(world: World, entity: AnyEntity): void {
  world.active.add(entity);
  touch(world, entity);
}

/** How long a new object stays unseen. A replica set has no GET of its own. */
export function unseenFrom(world: World, now: number, kind: AnyEntity["kind"]): Unseen {
  const byId: Lag = kind === "replicaSet" ? {} : world.settings.notFoundAfterCreate;
  const inLists: Lag = world.settings.listLag;
  return {
    getUntil: now + (byId.ms ?? 0),
    getReads: byId.reads ?? 0,
    listUntil: now + (inLists.ms ?? 0),
    listReads: inLists.reads ?? 0,
  };
}

function staleness(world: World): Staleness {
  const { ms = 0, reads = 0, comesBack = 0 } = world.settings.stale;
  return { ms, reads, comesBack };
}

/** The name of an object for the ledger; a peering has none and goes by its peer's VPC. */
export function labelOf(entity: AnyEntity): string {
  const track = entity.track;
  const body = goal<{ name?: string; peerVpcId?: string }>(track) ?? track.changes.at(-1)?.before;
  if (!body) return "";
  return "name" in body ? (body.name ?? "") : (body.peerVpcId ?? "");
}
