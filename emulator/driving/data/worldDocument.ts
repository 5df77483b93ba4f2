// A world as a JSON document: every object with its running changes, all ids ever assigned, and the random seed. `--data`
// stores it; with the clock it is a snapshot, to be restored later, in this emulator or another.

import { z } from "zod";
import { required } from "../../checkedShape";
import type { LedgerEntry, Service, Vpc } from "../../controlPlane/world/entities";
import { kindNames, partsOf } from "../../controlPlane/world/kinds";
import { advanceWorld, emptyWorld, type World } from "../../controlPlane/world/world";
import { lastMs, type ClockState, type SettableClock } from "../../controlPlane/settings/clock";
import { forkOrigin, bodyFields, wireOverride } from "./bodies";

const at = z.number();
const count = z.number().min(0);

/** JSON has no infinity: a duration that never ends is written as a word. */
const duration = z.union([z.number(), z.literal("forever").transform(() => Infinity)]);

const hidden = z.strictObject({ getUntil: at, getReads: count, listUntil: at, listReads: count });

const hold = z.strictObject({ from: at, status: z.string(), until: duration, reads: duration, lastReadAt: at });

function timeline<F extends z.ZodRawShape>(fields: F) {
  const body = z.strictObject(fields);
  return z.strictObject({
    settled: body.optional(),
    changes: z.array(
      z.strictObject({
        at,
        before: body.optional(),
        phases: z.array(z.strictObject({ body, ms: duration, busy: z.boolean() })),
        after: body.optional(),
        staleUntil: at,
        staleReads: count,
        lastStaleReadAt: at,
        comesBack: count,
        shownAfter: z.boolean(),
      }),
    ),
    hold: hold.optional(),
  });
}

const entity = { id: z.string(), hidden, wire: wireOverride.optional() };

const vpc = z.strictObject({
  ...entity,
  projectId: z.string(),
  timeline: timeline(bodyFields.vpc),
  peerings: z.array(z.strictObject({ ...entity, timeline: timeline(bodyFields.peering) })),
});

const logEntry = z.strictObject({
  at,
  sequence: z.int(),
  node: z.int(),
  severity: z.string(),
  message: z.string(),
});

const service = z.strictObject({
  ...entity,
  projectId: z.string(),
  createdAt: at,
  firstBackupAt: at,
  password: z.string(),
  initialPassword: z.string(),
  forkedFrom: forkOrigin.optional(),
  cluster: z.string().optional(),
  source: z.strictObject({ serviceId: z.string(), cluster: z.string().optional(), at }).optional(),
  extensions: z.array(z.string()),
  endpointGapReads: count,
  logs: z.array(logEntry),
  timeline: timeline(bodyFields.service),
  replicaSets: z.array(z.strictObject({ ...entity, timeline: timeline(bodyFields.replicaSet) })),
});

export const ledgerEntry = z.strictObject({
  at,
  kind: z.enum(kindNames),
  id: z.string(),
  name: z.string(),
  event: z.enum(["created", "changed", "deleted"]),
  operation: z.string().optional(),
  by: z.enum(["api", "mutate"]),
  requestId: z.string().optional(),
  overlapped: z.boolean(),
});

export const worldDocument = z.strictObject({
  /** The seed that the generator of ids continues with. */
  randomSeed: z.int(),
  ids: z.array(z.string()),
  vpcs: z.array(vpc),
  services: z.array(service),
  ledger: z.array(ledgerEntry),
});

/** As parsed: times that never end are infinite. */
export type WorldDocument = z.output<typeof worldDocument>;

/** As written: plain JSON. */
export type WrittenWorld = z.input<typeof worldDocument>;

/** Copied through JSON, so that it shares nothing with the world. */
export function documentOf(world: World): WrittenWorld {
  return JSON.parse(textOf(writtenWorld(world))) as WrittenWorld;
}

export const writtenWorld = (world: World, ledger: readonly LedgerEntry[] = world.ledger): object => ({
  randomSeed: world.random.seedOfNext,
  ids: [...world.ids],
  vpcs: world.vpcs,
  services: world.services,
  ledger,
});

export const textOf = (value: unknown): string => JSON.stringify(value, written);

/** Without what an object is part of, and without work on servers, which the reader of the document starts again. */
function written(this: object, name: string, member: unknown): unknown {
  const left = "timeline" in this ? ["kind", "vpc", "service"] : "phases" in this ? ["work", "passing"] : [];
  if (left.includes(name)) return undefined;
  if (member instanceof Map) return [...(member as Map<string, unknown>).values()];
  return member === Infinity ? "forever" : member;
}

/** Adds the objects to an empty world. All count as in progress until the next request checks them. */
export function putObjects(world: World, { vpcs, services }: Pick<WorldDocument, "vpcs" | "services">): void {
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
    for (const object of [owner, ...partsOf(owner)]) world.active.add(object);
}

const format = 1;

export const snapshotDocument = z.strictObject({
  format: z.literal(format, `this emulator reads snapshots of format ${format}`),
  clock: z.strictObject({ now: z.number().min(0).max(lastMs), isFrozen: z.boolean() }),
  world: worldDocument,
});

/** A JSON document. It holds the passwords of the services. */
export interface Snapshot {
  readonly format: 1;
  readonly clock: ClockState;
  /** All objects with their running changes; its form belongs to `format`. */
  readonly world: object;
}

export function takeSnapshot(world: World, clock: SettableClock): Snapshot {
  const state = clock.state();
  advanceWorld(world, state.now);
  return { format, clock: state, world: documentOf(world) };
}

/**
 * Restores the world, the clock included. Throws, and changes nothing, if the document is not a snapshot of this
 * format.
 */
export function restoreSnapshot(world: World, clock: SettableClock, given: unknown): void {
  const { clock: moment, world: document } = required("not a snapshot", snapshotDocument, given);
  requireProjects(world, document);
  emptyWorld(world, document.randomSeed);
  fillWorld(world, document);
  clock.set(moment);
}

export function fillWorld(world: World, document: WorldDocument): void {
  putObjects(world, document);
  for (const id of document.ids) world.ids.add(id);
  world.ledger = document.ledger.map((entry) => ({
    ...entry,
    operation: entry.operation,
    requestId: entry.requestId,
  }));
  world.revision += 1;
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
