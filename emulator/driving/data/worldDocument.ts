// A world as a JSON document: every object with its running changes, all ids ever assigned, and the random seed.
// Snapshots and `--data` store it.

import { z } from "zod";
import type { AnyEntity, Peering, ReplicaSet, Service, Vpc } from "../../controlPlane/world/entities";
import { kindNames } from "../../controlPlane/world/kinds";
import type { Timeline } from "../../controlPlane/world/timeline";
import type { World } from "../../controlPlane/world/world";
import { forkOrigin, bodies, wireOverride } from "./bodies";

const at = z.number();
const count = z.number().min(0);

/** JSON has no infinity: a duration that never ends is written as a word. */
const duration = z.union([z.number(), z.literal("forever").transform(() => Infinity)]);

const hidden = z.strictObject({ getUntil: at, getReads: count, listUntil: at, listReads: count });

const hold = z.strictObject({ from: at, status: z.string(), until: duration, reads: count, lastReadAt: at });

const timeline = <B extends z.ZodType>(body: B) =>
  z.strictObject({
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

const entity = { id: z.string(), hidden, wire: wireOverride.optional() };

const vpc = z.strictObject({
  ...entity,
  projectId: z.string(),
  timeline: timeline(bodies.vpc),
  peerings: z.array(z.strictObject({ ...entity, timeline: timeline(bodies.peering) })),
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
  timeline: timeline(bodies.service),
  replicaSets: z.array(z.strictObject({ ...entity, timeline: timeline(bodies.replicaSet) })),
});

const ledgerEntry = z.strictObject({
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

/** For `textOf`. */
export const writtenWorld = (world: World): object => ({
  randomSeed: world.random.seedOfNext,
  ids: [...world.ids],
  vpcs: [...world.vpcs.values()].map(vpcDocument),
  services: [...world.services.values()].map(serviceDocument),
  ledger: world.ledger,
});

export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (member === Infinity ? "forever" : member));
}

const vpcDocument = ({ id, hidden: unseen, wire, projectId, timeline: course, peerings }: Vpc) => ({
  id,
  hidden: unseen,
  wire,
  projectId,
  timeline: courseDocument(course),
  peerings: [...peerings.values()].map(partDocument),
});

function serviceDocument(made: Service) {
  // Properties that follow from the others are left out.
  const { kind: _kind, written: _written, ...own } = made;
  return {
    ...own,
    timeline: courseDocument(made.timeline),
    replicaSets: [...made.replicaSets.values()].map(partDocument),
  };
}

const partDocument = ({ id, hidden: unseen, wire, timeline: course }: Peering | ReplicaSet) => ({
  id,
  hidden: unseen,
  wire,
  timeline: courseDocument(course),
});

/** Work on servers belongs to this process; the reader of the document starts it again. */
const courseDocument = ({ settled, changes, hold: held }: AnyEntity["timeline"]) => ({
  settled,
  changes: changes.map(({ work: _work, passing: _passing, ...change }) => change),
  hold: held,
});

/** Adds the objects to an empty world. All count as in progress until the next request checks them. */
export function putObjects(world: World, { vpcs, services }: Pick<WorldDocument, "vpcs" | "services">): void {
  for (const document of vpcs) putVpc(world, document);
  for (const document of services) putService(world, document);
}

function putVpc(world: World, document: WorldDocument["vpcs"][number]): void {
  const { peerings, timeline: course, wire, ...own } = document;
  const made: Vpc = { kind: "vpc", ...own, wire, timeline: whole(course), peerings: new Map() };
  world.vpcs.set(made.id, made);
  world.active.add(made);
  for (const { id, hidden: unseen, wire: laid, timeline: part } of peerings) {
    const peering: Peering = { kind: "peering", id, vpc: made, hidden: unseen, wire: laid, timeline: whole(part) };
    made.peerings.set(id, peering);
    world.active.add(peering);
  }
}

function putService(world: World, document: WorldDocument["services"][number]): void {
  const { replicaSets, timeline: course, wire, forkedFrom, cluster, source, ...own } = document;
  const from = source && { ...source, cluster: source.cluster };
  const rest = { wire, forkedFrom, cluster, source: from, written: undefined };
  const made: Service = { kind: "service", ...own, ...rest, timeline: whole(course), replicaSets: new Map() };
  world.services.set(made.id, made);
  world.active.add(made);
  for (const { id, hidden: unseen, wire: laid, timeline: part } of replicaSets) {
    const set: ReplicaSet = {
      kind: "replicaSet",
      id,
      service: made,
      hidden: unseen,
      wire: laid,
      timeline: whole(part),
    };
    made.replicaSets.set(id, set);
    world.active.add(set);
  }
}

interface GivenTimeline<B> {
  settled?: B | undefined;
  changes: (Omit<Timeline<B>["changes"][number], "before" | "after" | "work" | "passing"> & {
    before?: B | undefined;
    after?: B | undefined;
  })[];
  hold?: Timeline<B>["hold"];
}

const noWork = { work: undefined, passing: undefined };

function whole<B>({ settled, changes, hold: held }: GivenTimeline<B>): Timeline<B> {
  return {
    settled,
    changes: changes.map((change) => ({ ...change, before: change.before, after: change.after, ...noWork })),
    hold: held,
  };
}
