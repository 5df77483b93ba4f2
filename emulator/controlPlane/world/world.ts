// The state of the emulator: projects, VPCs with their peerings, services with their replica sets, and the ledger of
// all committed changes. Knows nothing of HTTP; every function takes the current time.

import { randomBytes, randomInt } from "node:crypto";
import type {
  BodyOf,
  Hidden,
  HiddenFrom,
  ObjectKind,
  NewService,
  Peering,
  ReplicaSet,
  Service,
  ServiceBody,
  Vpc,
  AnyEntity,
  LedgerEntry,
  Project,
} from "./entities";
import { type Body, type Timeline, advance, isChanging, settle, actual, target, visible } from "./timeline";
import { createRandom, hashOf, randomText, type Random } from "./random";
import type { Backend } from "../../databases/backend";
import type { SettableClock } from "../settings/clock";
import type { Settings } from "../settings/settings";
import { ownerOf, partsOf, rowOf, type Objects } from "./kinds";

const letters = "abcdefghijklmnopqrstuvwxyz";
const passwordLetters = `${letters}${letters.toUpperCase()}0123456789`;

/** Not from the seed: other users of this machine reach the databases, and may know the seed. */
const newPassword = (): string =>
  Array.from({ length: 16 }, () => passwordLetters.charAt(randomInt(passwordLetters.length))).join("");

function newEntity<K extends ObjectKind>(world: World, kind: K, hidden = visibleAtOnce()) {
  const timeline: Timeline<BodyOf<K>> = { changes: [] };
  return { kind, id: newId(world, kind), timeline, hidden };
}

export function addVpc(world: World, projectId: string, hidden?: HiddenFrom): Vpc {
  const vpc: Vpc = { ...newEntity(world, "vpc", hidden), projectId, peerings: new Map() };
  world.vpcs.set(vpc.id, vpc);
  return vpc;
}

export function addPeering(world: World, vpc: Vpc, hidden?: HiddenFrom): Peering {
  const peering: Peering = { ...newEntity(world, "peering", hidden), vpc };
  vpc.peerings.set(peering.id, peering);
  return peering;
}

export function addService(
  world: World,
  projectId: string,
  options: Pick<Service, "createdAt" | "firstBackupAt"> &
    Partial<Pick<Service, "forkedFrom" | "source" | "extensions" | "hidden">>,
): Service {
  const entity = newEntity(world, "service", options.hidden);
  const initialPassword = newPassword();
  const service: Service = {
    ...entity,
    extensions: [],
    ...options,
    projectId,
    password: initialPassword,
    initialPassword,
    cluster: world.backend.state.kind === "processes" ? randomBytes(6).toString("hex") : undefined,
    replicaSets: new Map(),
    logs: [],
    endpointGapReads: 0,
  };
  world.services.set(service.id, service);
  return service;
}

export function addReplicaSet(world: World, service: Service, hidden?: HiddenFrom): ReplicaSet {
  const set: ReplicaSet = { ...newEntity(world, "replicaSet", hidden), service };
  service.replicaSets.set(set.id, set);
  return set;
}

export function newServiceBody(asked: NewService): ServiceBody {
  return { ...asked, status: "READY", syncReplicaCount: 0, poolerEnabled: false, moves: 0 };
}

export interface World extends Objects {
  readonly settings: Settings;
  readonly backend: Backend;
  readonly clock: SettableClock;
  random: Random;
  readonly projects: Project[];
  /** Objects with a change in progress, for the server or for its readers; all others do not depend on the clock. */
  readonly active: Set<AnyEntity>;
  /** Increases with every change. */
  revision: number;
  /** What has changed since the world was stored. */
  readonly touched: Set<Service | Vpc>;
  /** The latest ids assigned: none of them is used again, not even after a deletion. */
  readonly ids: Set<string>;
  ledger: LedgerEntry[];
  /** Tells the backend of changes, once they are stored. */
  afterStored: (() => void)[];
}

export function createWorld(seed: number, given: Pick<World, "settings" | "backend" | "clock" | "projects">): World {
  return {
    ...given,
    random: createRandom(seed),
    vpcs: new Map(),
    services: new Map(),
    active: new Set(),
    revision: 0,
    touched: new Set(),
    ids: new Set(),
    ledger: [],
    afterStored: [],
  };
}

export function touch(world: World, entity: AnyEntity): void {
  world.revision += 1;
  world.touched.add(ownerOf(entity));
}

/** Removes all objects, in place: every holder of the world sees it. New ids are generated from this seed. */
export function emptyWorld(world: World, seed: number): void {
  for (const owner of [...world.vpcs.values(), ...world.services.values()]) touch(world, owner);
  world.vpcs.clear();
  world.services.clear();
  world.active.clear();
  world.ids.clear();
  world.ledger = [];
  world.random = createRandom(seed);
}

/** Ends changes that are over by `now`, and removes objects that no reader can see any more. */
export function advanceWorld(world: World, now: number): void {
  for (const entity of world.active) {
    const isPending = advance<unknown>(entity.timeline, now);
    if (isPending || isHidden(entity.hidden, now)) continue;
    touch(world, entity);
    world.active.delete(entity);
    if (entity.timeline.settled === undefined) removeObject(world, entity);
  }
}

export function settleWorld(world: World, now: number): void {
  for (const entity of world.active) {
    settle<unknown>(entity.timeline);
    Object.assign(entity.hidden, visibleAtOnce());
    touch(world, entity);
    if (entity.timeline.changes.length > 0) continue;
    world.active.delete(entity);
    if (entity.timeline.settled === undefined) removeObject(world, entity);
  }
  for (const service of world.services.values()) {
    if (service.firstBackupAt > now) touch(world, service);
    service.firstBackupAt = Math.min(service.firstBackupAt, now);
    service.endpointGapReads = 0;
  }
}

export function removeObject(world: World, entity: AnyEntity): void {
  world.active.delete(entity);
  touch(world, entity);
  rowOf(entity.kind).siblings(world, entity).delete(entity.id);
  const owner = ownerOf(entity);
  if (owner === entity) for (const part of partsOf(owner)) world.active.delete(part);
}

const visibleAtOnce = (): HiddenFrom => ({ get: { until: 0, reads: 0 }, list: { until: 0, reads: 0 } });

const isHidden = ({ get, list }: HiddenFrom, now: number): boolean =>
  [get, list].some(({ until, reads }) => reads > 0 || now < until);

/** The true state of the object at this moment, or undefined if it is gone, DELETED included. */
export function currentBody<B extends Body>(entity: { readonly timeline: Timeline<B> }, now: number): B | undefined {
  const body = actual(entity.timeline, now);
  return body?.status === "DELETED" ? undefined : body;
}

export const transitional = ["QUEUED", "CONFIGURING", "PAUSING", "RESUMING", "UPGRADING", "OPTIMIZING", "DELETING"];

/** One change at a time: a service or VPC is busy with its own change and with those of its parts. */
export function isBusy(owner: Service | Vpc, now: number): boolean {
  if (isChanging<unknown>(owner.timeline, now)) return true;
  if (owner.kind === "service" && transitional.includes(actual(owner.timeline, now)?.status ?? "")) return true;
  for (const part of partsOf(owner)) if (isChanging<unknown>(part.timeline, now)) return true;
  return false;
}

/** The services of a VPC: those in it, those being attached, and those whose detach is not finished. */
export function servicesInVpc(world: World, vpcId: string, now: number): Service[] {
  return [...world.services.values()].filter((service) => {
    const body = currentBody(service, now);
    return body !== undefined && (body.vpcId === vpcId || target(service.timeline)?.vpcId === vpcId);
  });
}

/** They are stored with each change. */
const mostIds = 1_000;

/** A new id that no object of the world has, nor one of the latest that are gone. */
function newId(world: World, kind: ObjectKind): string {
  for (;;) {
    const plain = randomText(world.random, ...rowOf(kind).ids);
    const id = world.settings.switches.idLooks === "hostile" ? `../${plain}?a=b#é %2f` : plain;
    if (world.ids.has(id) || rowOf(kind).find(world, id)) continue;
    world.ids.add(id);
    for (const oldest of world.ids) if (world.ids.size > mostIds) world.ids.delete(oldest);
    return id;
  }
}

/**
 * An object as a reader sees it: a new one may be missing, and old values may still show. A read uses up one of the stale
 * reads, so each function call stands for one answer sent.
 */
interface Seeable<B> {
  readonly timeline: Timeline<B>;
  readonly hidden: HiddenFrom;
}

/** One GET by id. */
export function readById<B extends Body>(entity: Seeable<B>, now: number): B | undefined {
  return isHiddenNow(entity.hidden.get, now) ? undefined : visible(entity.timeline, now, true);
}

/** One appearance of each in a list. API: no list has a documented order, and this one is not that of the creations. */
export function listed<B extends Body, E extends Seeable<B> & { readonly id: string }>(
  objects: Iterable<E & Seeable<B>>,
  now: number,
): { entity: E; body: B }[] {
  const placed = [...objects].map((entity) => ({ entity, place: hashOf(entity.id, 2 ** 31) }));
  const ordered = placed.toSorted((one, other) => one.place - other.place);
  return ordered.flatMap(({ entity }) => {
    const body = isHiddenNow(entity.hidden.list, now) ? undefined : visible<B>(entity.timeline, now, true);
    return body ? [{ entity, body }] : [];
  });
}

function isHiddenNow(hidden: Hidden, now: number): boolean {
  if (hidden.reads === 0) return now < hidden.until;
  hidden.reads -= 1;
  return true;
}

/** The answer to a change: what a read would see at that moment, without counting as a read. */
export function bodyInAnswer<B extends Body>(entity: Seeable<B>, now: number): B | undefined {
  return visible(entity.timeline, now, false);
}
