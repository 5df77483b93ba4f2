// Connects the world with the backend of its services: passes on the wanted state, and handles the backend's reports.

import { Work, type BackendEvents, type WantedService } from "../../databases/backend";
import type { AnyEntity, LedgerEntry, ReplicaSet, Service } from "./entities";
import { ownerOf } from "./kinds";
import { appendLogs } from "./logs";
import { actual, beginChange, notStale, target } from "./timeline";
import { isBusy, touch, type World } from "./world";

/** Makes the backend bring the service of this object to the object's wanted state, once the change is stored. */
export function reconcileBackend(world: World, entity: AnyEntity, event: LedgerEntry["event"]): Work | undefined {
  const owner = ownerOf(entity);
  if (owner.kind !== "service" || world.backend.state.kind === "off") return undefined;
  const wanted = wantedOf(owner, event === "deleted" ? entity : undefined);
  const work = new Work();
  // A change that is not stored is undone: no server must have begun it.
  world.afterStored.push(() => world.backend.apply(wanted, work));
  return work;
}

/**
 * For a world that has replaced another: stops the servers of removed services, and starts those of the others.
 * Resolves when the servers of all services without a running change are up.
 */
export async function reconcileWholeBackend(world: World, now: number): Promise<void> {
  const awaited: Promise<void>[] = [];
  // Removed services come last: a fork may still need their data.
  const all = [...world.services.values()].map((service) => ({ service, wanted: wantedOf(service, undefined) }));
  const isGone = ({ wanted }: { wanted: WantedService }): boolean => wanted.power === "gone";
  for (const { service, wanted } of [...all.filter((one) => !isGone(one)), ...all.filter(isGone)]) {
    const work = new Work();
    world.backend.apply(wanted, work);
    if (work.isDone) continue;
    const timelines = [service.timeline, ...[...service.replicaSets.values()].map(({ timeline }) => timeline)];
    const isAwaited = !isBusy(service, now);
    for (const { changes } of timelines) for (const change of changes.slice(-1)) change.work = work;
    const isQuiet = timelines.every(({ changes }) => changes.length === 0);
    if (isAwaited) awaited.push(work.done);
    if (isQuiet && target(service.timeline)?.status === "READY") showUnstable(world, service, now, work);
  }
  world.backend.keepOnly(new Set(world.services.keys()));
  await Promise.all(awaited);
}

export async function resumeBackend(world: World, now: number, isNew: boolean): Promise<void> {
  const wanted = [...world.services.values()].map((service) => wantedOf(service, undefined));
  await world.backend.resume(
    wanted.filter(({ power }) => power !== "gone"),
    isNew,
  );
  await reconcileWholeBackend(world, now);
}

function wantedOf(service: Service, leaving: AnyEntity | undefined): WantedService {
  const body = service === leaving ? undefined : target(service.timeline);
  const sets = [...service.replicaSets.values()].filter((set) => set !== leaving);
  return {
    id: service.id,
    cluster: service.cluster,
    power: !body || body.status === "DELETED" ? "gone" : body.status === "PAUSED" ? "stopped" : "running",
    password: service.password,
    moves: body?.moves ?? 0,
    memoryGbs: body?.memoryGbs,
    poolerEnabled: body?.poolerEnabled ?? false,
    extensions: service.extensions,
    // Existing servers have their data already; in a restored world the source may be lost.
    source: service.timeline.settled === undefined ? service.source : undefined,
    replicaSets: sets.flatMap(wantedSet),
  };
}

function wantedSet(set: ReplicaSet): WantedService["replicaSets"] {
  const body = target(set.timeline);
  if (!body) return [];
  const { memoryGbs, poolerEnabled } = body;
  return [{ id: set.id, memoryGbs, poolerEnabled }];
}

/** How the world handles reports of the backend. */
export function eventsFor(world: () => World, clock: () => number): BackendEvents {
  const find = (id: string): Service | undefined => world().services.get(id);
  return {
    logged(id, entry) {
      const service = find(id);
      if (service) appendLogs(service.logs, [entry], entry.at);
    },
    failed(id, work, reason) {
      const service = find(id);
      if (!service || !showUnstable(world(), service, clock(), work) || reason === undefined) return;
      const name = JSON.stringify(target(service.timeline)?.name);
      process.emitWarning(`emulator: service ${id} (${name}) is UNSTABLE: ${reason}`);
    },
  };
}

/** Whether the service shows it: while a change runs, the status of the change is enough. */
function showUnstable(world: World, service: Service, now: number, work: Work): boolean {
  const after = target(service.timeline);
  const running = service.timeline.changes.at(-1);
  if (!after || after.status === "DELETED") return false;
  if (running?.passing === undefined && running?.work?.isDone === false) return false;
  const body = { ...(actual(service.timeline, now) ?? after), status: "UNSTABLE" };
  const change = beginChange(service.timeline, now, { phases: [{ body, ms: 0, busy: false }], after }, notStale);
  Object.assign(change, { work, passing: "UNSTABLE" });
  world.active.add(service);
  touch(world, service);
  return true;
}
