// The world the emulator keeps: projects, VPCs with their peerings, services with their replica sets, and the ledger of
// all that was ever committed. Knows nothing of HTTP; every function takes the moment it is asked for.

import { createRandom, randomText, type Random } from "./random";
import type { Backend } from "../postgres/backend";
import type { Settings } from "../settings/settings";
import type { AnyEntity, LedgerEntry, Project, Service, Hidden, Vpc } from "./entities";
import { advance, isChanging, settle, actual, type Timeline } from "./timeline";

export interface World {
  readonly settings: Settings;
  /** What stands behind the services. */
  readonly backend: Backend;
  random: Random;
  readonly projects: Project[];
  readonly vpcs: Map<string, Vpc>;
  readonly services: Map<string, Service>;
  /** Objects with something under way, for the server or for its readers; all others do not depend on the clock. */
  readonly active: Set<AnyEntity>;
  /** Grows with everything that may show in an answer, so that written answers can be kept until then. */
  revision: number;
  /** Written lists of services, by project. */
  readonly writtenLists: Map<string, WrittenList>;
  /** Every id ever given out: none is used twice, not even after a deletion. */
  readonly ids: Set<string>;
  ledger: LedgerEntry[];
  /** Services and VPCs that changed since they were last written to a folder; undefined where nothing is written. */
  unsaved: Set<Service | Vpc> | undefined;
}

export interface WrittenList {
  readonly revision: number;
  readonly form: string;
  /** The text between the services that are under way, and those services, in the order of the list. */
  readonly parts: readonly (Buffer | Service)[];
  /** The whole text, where nothing is under way. */
  readonly whole: Buffer | undefined;
}

export function createWorld(options: {
  settings: Settings;
  backend: Backend;
  seed: number;
  projects: Project[];
}): World {
  return {
    settings: options.settings,
    backend: options.backend,
    random: createRandom(options.seed),
    projects: options.projects,
    vpcs: new Map(),
    services: new Map(),
    active: new Set(),
    revision: 0,
    writtenLists: new Map(),
    ids: new Set(),
    ledger: [],
    unsaved: undefined,
  };
}

/** Ends whatever is over by `now` and forgets objects that nobody can see any more. */
export function advanceWorld(world: World, now: number): void {
  for (const entity of world.active) {
    const isPending = advance<unknown>(entity.timeline, now);
    if (isPending || isHidden(entity.hidden, now)) continue;
    world.active.delete(entity);
    if (entity.timeline.settled === undefined) removeObject(world, entity);
  }
}

/** Finishes every running change and drops all staleness. */
export function settleWorld(world: World, now: number): void {
  for (const entity of world.active) {
    settle<unknown>(entity.timeline);
    Object.assign(entity.hidden, visibleAtOnce());
    invalidate(world, entity);
    if (entity.timeline.changes.length > 0) continue;
    world.active.delete(entity);
    if (entity.timeline.settled === undefined) removeObject(world, entity);
  }
  for (const service of world.services.values()) {
    if (service.firstBackupAt > now) invalidate(world, service);
    service.firstBackupAt = Math.min(service.firstBackupAt, now);
    service.endpointGapReads = 0;
  }
}

export function removeObject(world: World, entity: AnyEntity): void {
  world.active.delete(entity);
  invalidate(world, entity);
  switch (entity.kind) {
    case "vpc":
      world.vpcs.delete(entity.id);
      return;
    case "peering":
      entity.vpc.peerings.delete(entity.id);
      return;
    case "service":
      world.services.delete(entity.id);
      for (const set of entity.replicaSets.values()) world.active.delete(set);
      return;
    case "replicaSet":
      entity.service.replicaSets.delete(entity.id);
      return;
  }
}

/** Drops the written form of the service that this object shows in. */
export function invalidate(world: World, entity: AnyEntity): void {
  world.revision += 1;
  world.unsaved?.add(ownerOf(entity));
  if (entity.kind === "service") entity.written = undefined;
  if (entity.kind === "replicaSet") entity.service.written = undefined;
}

/** The service or VPC that an object is part of, or is itself. */
function ownerOf(entity: AnyEntity): Service | Vpc {
  if (entity.kind === "replicaSet") return entity.service;
  return entity.kind === "peering" ? entity.vpc : entity;
}

export const visibleAtOnce = (): Hidden => ({ getUntil: 0, getReads: 0, listUntil: 0, listReads: 0 });

function isHidden(hidden: Hidden, now: number): boolean {
  return hidden.getReads > 0 || hidden.listReads > 0 || now < hidden.getUntil || now < hidden.listUntil;
}

/** What the object is at this moment, or undefined when it is gone, DELETED included. */
export function currentBody<B extends { readonly status: string }>(
  entity: { readonly timeline: Timeline<B> },
  now: number,
): B | undefined {
  const body = actual(entity.timeline, now);
  return body?.status === "DELETED" ? undefined : body;
}

const transitional = new Set(["QUEUED", "CONFIGURING", "PAUSING", "RESUMING", "UPGRADING", "OPTIMIZING", "DELETING"]);

/** One change at a time: a service is busy with its own change and with those of its replica sets. */
export function isServiceBusy(service: Service, now: number): boolean {
  if (isChanging(service.timeline, now) || transitional.has(actual(service.timeline, now)?.status ?? "")) return true;
  for (const set of service.replicaSets.values()) if (isChanging(set.timeline, now)) return true;
  return false;
}

/** A VPC is busy with its own change, and while one of its peerings is being provisioned or leaves. */
export function isVpcBusy(vpc: Vpc, now: number): boolean {
  if (isChanging(vpc.timeline, now)) return true;
  for (const peering of vpc.peerings.values()) if (isChanging(peering.timeline, now)) return true;
  return false;
}

/** An id that no object of the world has. VPC and peering ids are digits, service ids ten letters and digits. */
export function newId(world: World, kind: AnyEntity["kind"]): string {
  const isNumeric = kind === "vpc" || kind === "peering";
  for (;;) {
    const plain = isNumeric ? randomText(world.random, "digits", 5) : randomText(world.random, "word", 10);
    const id = world.settings.switches.idLooks === "hostile" ? `../${plain}?a=b#é %2f` : plain;
    if (world.ids.has(id)) continue;
    world.ids.add(id);
    return id;
  }
}

export const newPassword = (world: World): string => randomText(world.random, "password", 16);
