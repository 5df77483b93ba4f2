// What there is to import: the objects somebody named, or a whole project, each as the inputs that declare it.
// Reads only. Uses the lifecycle's tables, so that an imported object is exactly what a refresh will see.

import type { Kind } from "../provider/domain/kinds";
import { ProviderError, TransportError } from "../provider/domain/errors";
import type { Condition } from "../provider/domain/fields";
import type { Values } from "../provider/domain/values/value";
import { describeUnreadable, listed, unreadableOf } from "../provider/domain/listed";
import { resources } from "../provider/kinds/index";
import { peering, peeringsIn } from "../provider/kinds/peering/definition";
import { readReplicaSet, reportedSet } from "../provider/kinds/readReplicaSet/definition";
import type { Resource, Scope } from "../provider/core/kind";
import type { Reported } from "../provider/core/reported";
import { service } from "../provider/kinds/service/definition";
import { reportedService } from "../provider/kinds/service/reported.definition";
import { vpc } from "../provider/kinds/vpc/definition";
import { reportedVpc } from "../provider/kinds/vpc/reported.definition";
import type { Session } from "../provider/core/session";
import { declaredInputs } from "../provider/core/declared";
import { effectiveProtection } from "../provider/core/protection";

/** One object, ready to be declared. */
export interface ImportableObject {
  kind: Resource["kind"];
  id: string;
  scope: Scope;
  /** The inputs that are set, with their live values; never a secret, because the API shows none. */
  inputs: Values;
  /** The live tag asks for protection, which counts from the import on. */
  isProtected: boolean;
  /** What it is called in messages, in one line. */
  title: string;
}

export interface Inventory {
  projectId: string;
  found: ImportableObject[];
  /** What the reader should know: objects left out, objects on the move. */
  notes: string[];
}

/** One object by its ids, as `KIND:ID` names it on the command line. */
export interface ImportTarget {
  kind: ImportableObject["kind"];
  id: string;
  /** The VPC of a peering, the service of a replica set. */
  parentId?: string;
}

/** For an object, and for the first lists: somebody waits. A server that has answered them may take longer for many peerings. */
const LIMIT_MS = 30_000;
const PEERINGS_LIMIT_MS = 120_000;

export async function findAll(session: Session, projectId: string): Promise<Inventory> {
  const deadlineMs = session.clock.now() + LIMIT_MS;
  const scope = { projectId };
  const [someVpcs, someServices] = await Promise.all([
    session.vpcs(projectId).list({ deadlineMs }),
    session.services(projectId).list({ deadlineMs }),
  ]);
  // The same project gives the same names and the same files, in whatever order a server lists.
  const vpcs = someVpcs.toSorted(by((item) => `${item.name} ${item.vpcId}`));
  const services = someServices.toSorted(by((item) => `${item.name} ${item.serviceId}`));
  const hidden = [
    ...unread(vpc.noun, someVpcs),
    ...unread(service.noun, someServices),
    ...someServices.flatMap(({ readReplicaSets }) => unread(readReplicaSet.noun, readReplicaSets)),
  ];
  const peeringsDeadlineMs = session.clock.now() + PEERINGS_LIMIT_MS;
  const peerings = await Promise.all(
    vpcs.map(async ({ vpcId }) => {
      const inVpc = { projectId, vpcId };
      const items = (await peeringsIn(session, inVpc, { deadlineMs: peeringsDeadlineMs })) ?? listed([]);
      hidden.push(...unread(peering.noun, items));
      return items.toSorted(by((item) => item.id)).map((item) => seen(peering, item, inVpc, session));
    }),
  );
  // In the order of the files: what others refer to comes before them.
  const items: Readonly<Record<Kind, readonly InventoryItem[]>> = {
    vpc: vpcs.map((item) => seen(vpc, reportedVpc(item, scope), scope, session)),
    peering: peerings.flat(),
    service: services.map((item) => seen(service, reportedService(item), scope, session)),
    readReplicaSet: services.flatMap(({ serviceId, readReplicaSets }) => {
      const inService = { projectId, serviceId };
      return readReplicaSets
        .toSorted(by((item) => `${item.name} ${item.replicaSetId}`))
        .map((item) => seen(readReplicaSet, reportedSet(item, inService), inService, session));
    }),
  };
  return inventoryOf(projectId, Object.values(items).flat(), hidden);
}

/** What can be declared, and a note for everything else. */
function inventoryOf(projectId: string, items: readonly InventoryItem[], hidden: readonly string[]): Inventory {
  const declarable = items.filter(({ condition }) => condition === "settled" || condition === "pending");
  const notes = items.flatMap(({ condition, found }) => {
    if (condition === "failed") return [`left out, because it has failed: ${found.title}`];
    if (condition === "deleting") return [`left out, because it is being deleted: ${found.title}`];
    return onTheMove(found, condition);
  });
  return { projectId, found: declarable.map(({ found }) => found), notes: [...hidden, ...notes] };
}

function unread(noun: string, items: readonly unknown[]): string[] {
  return unreadableOf(items).map((item) => `left out, because it cannot be read: ${noun} ${describeUnreadable(item)}`);
}

function by<T>(keyOf: (item: T) => string): (one: T, other: T) => number {
  return (one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    if (a === b) return 0;
    return a < b ? -1 : 1;
  };
}

export async function findNamed(
  session: Session,
  projectId: string,
  targets: readonly ImportTarget[],
): Promise<Inventory> {
  const items = await Promise.all(targets.map((target) => findOne(session, projectId, target)));
  return {
    projectId,
    found: items.map(({ found }) => found),
    notes: items.flatMap(({ found, condition }) =>
      condition === "failed"
        ? [`has failed, and may be replaced by \`pulumi up\`: ${found.title}`]
        : onTheMove(found, condition),
    ),
  };
}

function onTheMove(found: ImportableObject, condition: InventoryItem["condition"]): string[] {
  return condition === "pending" ? [`is being changed: refresh when that has finished: ${found.title}`] : [];
}

async function findOne(
  session: Session,
  projectId: string,
  { kind, id, parentId = "" }: ImportTarget,
): Promise<InventoryItem> {
  const resource = resources[kind];
  const { parent } = resource;
  const scope = { projectId, ...(parent && { [parent.key]: parentId }) };
  const read = resource.reader(session, scope).get(id, { deadlineMs: session.clock.now() + LIMIT_MS });
  const item = await read.catch((error: unknown) => {
    if (!(error instanceof TransportError)) throw error;
    const { operation, sent, message, hint } = error;
    throw new TransportError(operation, sent, `${resource.noun} ${id}: ${message}`, { cause: error, hint });
  });
  if (item === undefined || item.condition === "deleting") {
    const where = parent === undefined ? "" : ` of ${parentId}`;
    throw new ProviderError(
      "INPUT",
      "no-such-object",
      `there is no ${resource.noun} ${id}${where} in project ${projectId}; nothing was written`,
      "Correct the id, or use --all to see what there is.",
    );
  }
  return seen(resource, item, scope, session);
}

interface InventoryItem {
  found: ImportableObject;
  condition: Condition;
}

function seen(resource: Resource, item: Reported, scope: Scope, session: Session): InventoryItem {
  const live = item.live();
  const found = {
    kind: resource.kind,
    id: item.id,
    scope,
    inputs: declaredInputs(resource, live),
    isProtected: effectiveProtection(resource, {}, live),
    title: item.describe(session.client.serverTime()),
  };
  return { found, condition: item.condition };
}
