// A world as JSON: every object with its running changes, the latest ids, and the random seed. `--data` stores it in rows;
// with the clock it is a snapshot, to be restored later, in this emulator or another. A checksum tells that it is as it was
// written, so nothing in it is checked again.

import { crc32 } from "node:zlib";
import { z } from "zod";
import { required } from "../../checkedShape";
import type { LedgerEntry, Peering, ReplicaSet, Service, Vpc } from "../../controlPlane/world/entities";
import { markActive } from "../../controlPlane/world/changes";
import { partsOf } from "../../controlPlane/world/kinds";
import { advanceWorld, emptyWorld, type World } from "../../controlPlane/world/world";
import { lastMs, type ClockState, type SettableClock } from "../../controlPlane/settings/clock";

/** Of the folder, and of snapshots. Another one whenever an object gets another member: nothing else tells them apart. */
export const format = 5;

export interface WorldDocument {
  /** The seed that the generator of ids continues with. */
  readonly randomSeed: number;
  readonly ids: readonly string[];
  readonly vpcs: readonly (Omit<Vpc, "kind" | "peerings"> & { peerings: readonly Omit<Peering, "kind" | "vpc">[] })[];
  readonly services: readonly (Omit<Service, "kind" | "replicaSets"> & {
    replicaSets: readonly Omit<ReplicaSet, "kind" | "service">[];
  })[];
  readonly ledger: readonly LedgerEntry[];
}

export const textOf = (value: unknown): string => JSON.stringify(value, written);

/** Without what an object is part of, and without work on servers, which the reader of the document starts again. */
function written(this: object, name: string, member: unknown): unknown {
  const left = "timeline" in this ? ["kind", "vpc", "service"] : "phases" in this ? ["work", "passing"] : [];
  if (left.includes(name)) return undefined;
  if (member instanceof Map) return [...(member as Map<string, unknown>).values()];
  // JSON has no infinity, and this is as good as never.
  return member === Infinity ? Number.MAX_VALUE : member;
}

/** Adds the objects to an empty world. All count as in progress until the next request checks them. */
export function fillWorld(world: World, { vpcs, services, ids, ledger }: WorldDocument): void {
  for (const { peerings, ...own } of vpcs) {
    const made: Vpc = { kind: "vpc", ...own, peerings: new Map() };
    for (const part of peerings) made.peerings.set(part.id, { kind: "peering", vpc: made, ...part });
    world.vpcs.set(made.id, made);
  }
  for (const { replicaSets, ...own } of services) {
    const made: Service = { kind: "service", ...own, replicaSets: new Map() };
    for (const part of replicaSets) made.replicaSets.set(part.id, { kind: "replicaSet", service: made, ...part });
    world.services.set(made.id, made);
  }
  for (const owner of [...world.vpcs.values(), ...world.services.values()])
    for (const object of [owner, ...partsOf(owner)]) markActive(world, object);
  for (const id of ids) world.ids.add(id);
  world.ledger = [...ledger];
}

/** A JSON document. It holds the passwords of the services. */
export interface Snapshot {
  readonly format: typeof format;
  readonly clock: ClockState;
  /** All objects with their running changes; its form belongs to `format`. */
  readonly world: object;
  /** Only an unchanged snapshot is restored. */
  readonly sum: number;
}

const snapshotDocument = z.strictObject({
  format: z.literal(format),
  clock: z.strictObject({ now: z.number().min(0).max(lastMs), isFrozen: z.boolean() }),
  world: z.custom<WorldDocument>(),
  sum: z.number(),
});

const sumOf = (world: object): number => crc32(JSON.stringify(world));

export function takeSnapshot(world: World, clock: SettableClock): Snapshot {
  const state = clock.state();
  advanceWorld(world, state.now);
  const { random, ids, vpcs, services, ledger } = world;
  const whole = { randomSeed: random.seedOfNext, ids: [...ids], vpcs, services, ledger };
  const document = JSON.parse(textOf(whole)) as object;
  return { format, clock: state, world: document, sum: sumOf(document) };
}

/**
 * Restores the world, the clock included. Throws, and changes nothing, if the document is not a snapshot of this
 * format.
 */
export function restoreSnapshot(world: World, clock: SettableClock, given: unknown): void {
  const { clock: moment, world: document, sum } = required("not a snapshot", snapshotDocument, given);
  if (typeof document !== "object" || sumOf(document) !== sum)
    throw new TypeError("not a snapshot: its world is not as it was taken; change objects after it is restored");
  requireProjects(world, document);
  emptyWorld(world, document.randomSeed);
  fillWorld(world, structuredClone(document));
  clock.set(moment);
}

/** Objects of a project that this emulator lacks would be unreachable. */
function requireProjects(world: World, { vpcs, services }: WorldDocument): void {
  const known = world.projects.map(({ id }) => id);
  const foreign = [...vpcs, ...services].find(({ projectId }) => !known.includes(projectId));
  if (foreign === undefined) return;
  throw new TypeError(
    `the snapshot has objects of project ${foreign.projectId}; this emulator has only ${known.join(", ")}`,
  );
}
