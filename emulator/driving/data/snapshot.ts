// Snapshots: the world at one moment, to be restored later, in this emulator or another.

import { z } from "zod";
import type { ClockState, SettableClock } from "../../controlPlane/settings/clock";
import { advanceWorld, type World, emptyWorld } from "../../controlPlane/world/world";
import { documentOf, putObjects, worldDocument, type WorldDocument } from "./worldDocument";

const format = 1;

export const snapshotDocument = z.strictObject({
  format: z.literal(format, `this emulator reads snapshots of format ${format}`),
  clock: z.strictObject({ now: z.number().min(0).max(8.64e15), isFrozen: z.boolean() }),
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
  const parsed = snapshotDocument.safeParse(given);
  if (!parsed.success) throw new TypeError(`not a snapshot: ${firstOf(parsed.error)}`);
  const { clock: moment, world: document } = parsed.data;
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

function firstOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? "no reason given" : `${issue.path.map(String).join(".")}: ${issue.message}`;
}
