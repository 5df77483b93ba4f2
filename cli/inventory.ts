// What there is to import: the objects somebody named, or a whole project, each as the inputs that declare it.
// Reads only. Uses the lifecycle's tables, so that an imported object is exactly what a refresh will see.

import { ProviderError } from "../provider/domain/errors";
import type { Condition } from "../provider/domain/fields";
import type { Values } from "../provider/domain/values/value";
import { resources } from "../provider/kinds/index";
import type { Resource, Scope } from "../provider/core/kind";
import type { Reported } from "../provider/core/reported";
import type { Session } from "../provider/core/session";
import { declaredInputs } from "../provider/core/declared";
import { effectiveProtection } from "../provider/core/protection";
import { collectProject, createLists, type LiveObject } from "./drift/collect";
import { resources as resourceOf } from "./drift/state";

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
  condition: Condition;
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

/** Somebody waits for an object. A server that has answered the first lists may take longer for many peerings. */
const LIMIT_MS = 30_000;
const PEERINGS_LIMIT_MS = 120_000;

/** `given`: the inputs that each object is declared with beside its own. */
export async function findAll(session: Session, projectId: string, given: Values): Promise<Inventory> {
  const lists = createLists(session, PEERINGS_LIMIT_MS);
  const [vpcs] = await Promise.all([lists.vpcs(projectId), lists.services(projectId)]);
  await Promise.all(vpcs.map(({ vpcId }) => lists.peerings(projectId, vpcId)));
  const { objects, problems } = await collectProject(lists, projectId, [], () => true);
  // In the order of the files: what others refer to comes before them. The same project gives the same files, in whatever
  // order a server lists.
  const kinds = Object.keys(resourceOf);
  const place = ({ kind, parent, item }: LiveObject): string =>
    `${kinds.indexOf(kind)} ${parent?.item.name ?? ""} ${item.name} ${item.id}`;
  const ordered = objects.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
  const items = ordered.map(({ kind, item, scope }) => seen(resourceOf[kind], item, scope, session, given));
  return inventoryOf(
    projectId,
    items,
    problems.map(({ reason }) => `left out: ${reason}`),
  );
}

const NOTES: Readonly<Record<Condition, string | undefined>> = {
  settled: undefined,
  pending: "is being changed: refresh when that has finished",
  failed: "left out, because it has failed",
  deleting: "left out, because it is being deleted",
};

/** What can be declared, and a note for everything else. */
function inventoryOf(projectId: string, all: readonly ImportableObject[], hidden: readonly string[] = []): Inventory {
  const found = all.filter(({ condition }) => condition === "settled" || condition === "pending");
  const notes = all.flatMap(({ condition, title }) => {
    const note = NOTES[condition];
    return note === undefined ? [] : [`${note}: ${title}`];
  });
  return { projectId, found, notes: [...hidden, ...notes] };
}

export async function findNamed(
  session: Session,
  projectId: string,
  targets: readonly ImportTarget[],
  given: Values,
): Promise<Inventory> {
  const all = await Promise.all(targets.map((target) => findOne(session, projectId, target, given)));
  return inventoryOf(projectId, all);
}

async function findOne(
  session: Session,
  projectId: string,
  { kind, id, parentId = "" }: ImportTarget,
  given: Values,
): Promise<ImportableObject> {
  const resource = resources[kind];
  const { parent } = resource;
  const scope = { projectId, ...(parent && { [parent.key]: parentId }) };
  const item = await resource.reader(session, scope).get(id, { deadlineMs: session.clock.now() + LIMIT_MS });
  if (item === undefined || item.condition === "deleting") {
    const where = parent === undefined ? "" : ` of ${parentId}`;
    throw new ProviderError(
      "INPUT",
      "no-such-object",
      `there is no ${resource.noun} ${id}${where} in project ${projectId}; nothing was written`,
      "Correct the id, or use --all to see what there is.",
    );
  }
  return seen(resource, item, scope, session, given);
}

function seen(resource: Resource, item: Reported, scope: Scope, session: Session, given: Values): ImportableObject {
  const { id, condition } = item;
  const live = item.live();
  return {
    kind: resource.kind,
    id,
    scope,
    condition,
    inputs: { ...declaredInputs(resource, live), ...given },
    isProtected: effectiveProtection(resource, {}, live),
    title: item.describe(session.client.serverTime()),
  };
}
