// Starts changes: every creation, change and deletion of an object goes through here, so that lag, staleness and the
// ledger are never forgotten.

import type { Work } from "../../databases/backend";
import { type Lag, durationOf, type Timings } from "../settings/settings";
import { beginChange, target, notStale, type Body, type Staleness, type Timeline, type Transition } from "./timeline";
import { reconcileBackend } from "./reconcile";
import type { AnyEntity, Hidden, HiddenFrom, ObjectKind, LedgerEntry } from "./entities";
import { rowOf } from "./kinds";
import { touch, type World } from "./world";

export interface ChangeRequest {
  readonly world: World;
  readonly now: number;
  readonly operation: string;
  readonly requestId: string;
  /** The object that the request is about, once it is found or made. */
  subject?: AnyEntity;
  committed: boolean;
  overlapped: boolean;
  work?: Work | undefined;
}

type EntityOf<B> = AnyEntity & { readonly timeline: Timeline<B> };

/** `name`: of an object that has no body yet. */
export const durationMs = (world: World, step: keyof Timings, entity: AnyEntity, name = nameOf(entity)): number =>
  durationOf(world.settings.timings[step], { id: entity.id, name });

/** Starts a creation, change or deletion. For an existing object, readers see old values for a while. */
export function startChange<B extends Body>(
  context: ChangeRequest,
  entity: EntityOf<B>,
  event: LedgerEntry["event"],
  transition: Transition<B>,
): void {
  const stale = event === "created" ? notStale : staleness(context.world);
  const change = beginChange(entity.timeline, context.now, transition, stale);
  markActive(context.world, entity);
  commit(context, entity, event);
  change.work = context.work;
}

/** The usual change: one status while it runs, the new values at its end. */
export function startUpdate<B extends Body>(
  context: ChangeRequest,
  found: { entity: EntityOf<B>; body: B },
  step: keyof Timings,
  change: { status: string; after: B },
): void {
  const { entity, body } = found;
  const ms = durationMs(context.world, step, entity);
  startChange(context, entity, "changed", {
    phases: [{ body: { ...body, status: change.status }, ms, busy: true }],
    after: change.after,
  });
}

/** The usual deletion: one status while it runs, then `after`, or the object is gone. */
export function startDelete<B extends Body>(
  context: ChangeRequest,
  { entity, body }: { entity: EntityOf<B>; body: B },
  ms: number,
  { status, after }: { status: string; after?: B | undefined },
): void {
  startChange(context, entity, "deleted", { phases: [{ body: { ...body, status }, ms, busy: true }], after });
}

/** Shows a status on an object while another object changes; not a change of its own. */
export function showStatus<B extends Body>(
  world: World,
  entity: EntityOf<B>,
  now: number,
  transition: Transition<B>,
): void {
  beginChange(entity.timeline, now, transition, staleness(world));
  markActive(world, entity);
}

export function commit(context: ChangeRequest, entity: AnyEntity, event: LedgerEntry["event"]): void {
  context.subject = entity;
  context.committed = true;
  const { world, now: at, operation, requestId, overlapped } = context;
  context.work = recordChange(world, entity, { at, event, operation, by: "api", requestId, overlapped });
}

/** The ledger is bounded: older entries are dropped. */
const mostEntries = 10_000;

/** Enters what has happened to the object into the ledger, and has its servers follow. */
export function recordChange(
  world: World,
  entity: AnyEntity,
  change: Omit<LedgerEntry, "kind" | "id" | "name">,
): Work | undefined {
  touch(world, entity);
  world.ledger.push({ kind: entity.kind, id: entity.id, name: nameOf(entity), ...change });
  if (world.ledger.length > mostEntries) world.ledger.shift();
  return reconcileBackend(world, entity, change.event);
}

export function markActive(world: World, entity: AnyEntity): void {
  world.active.add(entity);
  touch(world, entity);
}

export function hiddenAfterCreate({ settings }: World, now: number, kind: ObjectKind): HiddenFrom {
  // Without a lag, nothing is hidden at any time.
  const during = ({ ms, reads = 0 }: Lag): Hidden => ({ until: ms ? now + ms : 0, reads });
  const byId = rowOf(kind).hasGet ? settings.notFoundAfterCreate : {};
  return { get: during(byId), list: during(settings.listLag) };
}

function staleness(world: World): Staleness {
  const { ms = 0, reads = 0, comesBack = 0 } = world.settings.stale;
  return { ms, reads, comesBack };
}

/** The name of an object for the ledger; a peering has no name and is identified by its peer's VPC. */
export function nameOf(entity: AnyEntity): string {
  const timeline = entity.timeline;
  const body = target<{ name?: string; peerVpcId?: string }>(timeline) ?? timeline.changes.at(-1)?.before;
  if (!body) return "";
  return "name" in body ? (body.name ?? "") : (body.peerVpcId ?? "");
}
