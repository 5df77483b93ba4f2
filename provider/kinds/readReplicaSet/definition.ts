// The table of read replica sets. They are read through their parent service, because the contract has no GET for them,
// and changed under its lock, because the parent allows one change at a time, theirs included.

import { lateAddress } from "../../domain/endpoint";
import { ContractError, isRefusal } from "../../domain/errors";
import { describeUnreadable, isEmpty, isShown, isWhole, listed, type Listed, unreadableOf } from "../../domain/listed";
import { conditionOfReplicaSet, readReplicaSetFields, type ReadReplicaSet, type ReadReplicaSetInputs } from "./inputs";
import { conditionOfService, isPoolerEnabled, type Service } from "../service/inputs";
import { isProductionTag } from "../../domain/sharedFields";
import { MINUTE_MS } from "../../domain/values/duration";
import type { ShownInputs } from "../../domain/fields";
import { show, textOf, withoutUndefined } from "../../domain/values/value";
import { servicesOf } from "../service/reported.definition";
import { readReplicaSetPlanner, type ReadReplicaSetStep } from "./plan";
import type { ResourceDefinition, Scope } from "../../core/kind";
import type { Reported } from "../../core/reported";
import { sendStep, noSuchObject } from "../../core/definitionHelpers";
import { parentIn } from "../../core/state";
import type { ListOptions, Session, Reader } from "../../core/session";
import type { ClientSession } from "../../core/createSession";

export const readReplicaSet: ResourceDefinition<ReadReplicaSetInputs> = {
  kind: "readReplicaSet",
  noun: "read replica set",
  hasGlobalIds: true,
  fields: readReplicaSetFields,
  outputs: { endpoint: { isAddress: true }, connectionPooler: { isAddress: true } },
  replacementEffect: "the new one has other addresses",
  parent: {
    kind: "service",
    hasGlobalIds: true,
    noun: "service",
    key: "serviceId",
    whenMoved: "its addresses are read again",
    reader: servicesOf,
    // API: a set needs the first backup of its service.
    tooEarlyMs: 60 * MINUTE_MS,
    isOwner: true,
  },
  deadlinesMs: () => ({ create: 60 * MINUTE_MS, update: 60 * MINUTE_MS, delete: 60 * MINUTE_MS, read: 5 * MINUTE_MS }),

  statusNote: (state) => {
    const status = textOf(state, "status") ?? "";
    const condition = conditionOfReplicaSet({ status });
    return condition === "failed" ? { condition, failure: `has failed (${status})` } : { condition };
  },

  ...readReplicaSetPlanner,

  reader,
  listAll,

  identity: (inputs) => `${inputs.name} of service ${inputs.serviceId}`,
  createOperation: () => "createReplicaSet",
  post: async (session: ClientSession, { name, nodes, cpuMillis, memoryGbs }, scope, limits) => {
    const request = { projectId: scope.projectId, serviceId: parentOf(scope), name, nodes, cpuMillis, memoryGbs };
    const { id, value } = await session.client.readReplicaSets.create(request, limits);
    return { id, value: value && reportedSet(value, scope) };
  },

  send: async (session: ClientSession, step: ReadReplicaSetStep, replicaSetId, scope, limits) => {
    const ids = { projectId: scope.projectId, serviceId: parentOf(scope), replicaSetId };
    await sendStep<"readReplicaSets", void>(session.client.readReplicaSets, step, ids, limits);
    return undefined;
  },
  deletion: { operation: "deleteReplicaSet" },
  remove: (session: ClientSession, replicaSetId, scope, limits) =>
    session.client.readReplicaSets.delete(
      { projectId: scope.projectId, serviceId: parentOf(scope), replicaSetId },
      limits,
    ),
};

function parentOf(scope: Scope): string {
  return parentIn(scope, "serviceId");
}

/** API: a change of a set, or of its service, counts as a change of both. `parent`: where the read has shown it. */
export function reportedSet(item: ReadReplicaSet, scope: Scope, parent?: Service): Reported {
  const { replicaSetId: id, name, nodes, cpuMillis, memoryGbs, status, endpoint, connectionPooler } = item;
  const own = conditionOfReplicaSet(item);
  // Only a change of its service keeps it busy.
  const isHeldUp = own === "settled" && parent !== undefined && conditionOfService(parent) === "pending";
  const shown: ShownInputs<ReadReplicaSetInputs, typeof readReplicaSetFields> = {
    serviceId: parentOf(scope),
    name,
    nodes,
    cpuMillis,
    memoryGbs,
    poolerEnabled: isPoolerEnabled(item),
    environment: item.environment as ReadReplicaSetInputs["environment"],
    projectId: scope.projectId,
  };
  return {
    id,
    name,
    status: isHeldUp ? `${status}, its service ${parent.status}` : status,
    condition: isHeldUp ? "pending" : own,
    showsCondition: true,
    isWhole: parent !== undefined && isWhole(parent),
    isProduction: parent?.environment === undefined ? undefined : isProductionTag(parent.environment),
    lateAddress: lateAddress(item),
    live: () => withoutUndefined(shown),
    outputs: () => ({ status, endpoint, connectionPooler }),
    describe: () => `read replica set ${show(name)} (${id}, ${status}, nodes: ${nodes})`,
  };
}

/** The parent's reader, narrowed to its sets: waits for sets and services share the same reads. */
function reader(session: Session, scope: Scope): Reader<Reported> {
  const services = session.services(scope.projectId);
  const serviceId = parentOf(scope);
  const find = async (parent: Service | undefined, id: string, limits: Limits): Promise<Reported | undefined> => {
    if (parent === undefined) return undefined;
    const isIt = ({ replicaSetId }: ReadReplicaSet): boolean => replicaSetId === id;
    const sets =
      isDeleted(parent) || parent.readReplicaSets.some(isIt) ? setsIn(parent) : await setsOf(session, parent, limits);
    const item = sets.find(isIt);
    if (item === undefined) throwIfUnreadable(serviceId, sets, id);
    return item && reportedSet(item, scope, parent);
  };
  const reports = (sets: ReadReplicaSet[]): Listed<Reported> => reportsOf(merged(sets), scope);
  return {
    async get(id, options = {}) {
      const parent = await services.get(serviceId, options);
      const seen = await find(parent, id, options);
      // A parent is missing only by a read of its own. An earlier read, or a list that lags behind, is no proof of absence.
      if (seen !== undefined || parent === undefined) return seen;
      const { maxAgeMs: _, ...fresh } = options;
      return find(await services.get(serviceId, fresh), id, fresh);
    },
    fetch: async (id, deadlineMs, turn) =>
      find(await services.fetch(serviceId, deadlineMs, turn), id, { deadlineMs, turn }),
    nextPoll: async (id, options) => find(await services.nextPoll(serviceId, options), id, options),
    // API: the parent's field with the sets may vanish for a moment.
    absentSinceMs: () => undefined,
    shown: () => [],
    unlisted: () => Promise.resolve([]),
    missing: () => [],
    async list(options = {}) {
      const parent = await services.get(serviceId, options);
      const own = parent === undefined ? [] : await setsOf(session, parent, options);
      if (!isEmpty(own)) return reports(own);
      // API: a new service can answer 404, and one that is there can lack its sets, for a moment, while the list has them.
      const { maxAgeMs: _, ...fresh } = options;
      const item = await inList(services, serviceId, parent === undefined ? fresh : options);
      if (item !== undefined) return reports(setsIn(item));
      if (parent !== undefined) return reports(own);
      throw noSuchObject("service", "serviceId", { id: serviceId, projectId: scope.projectId });
    },
    invalidate: () => {
      services.invalidate(serviceId);
    },
  };
}

type Limits = Pick<ListOptions, "deadlineMs" | "turn">;

/** The sets that the service shows, and those of the server's own list of them, where there is one. */
export async function setsOf(
  session: Pick<Session, "replicaSets">,
  parent: Service,
  limits: Limits,
): Promise<Listed<ReadReplicaSet>> {
  if (isDeleted(parent)) return listed([]);
  const { projectId, serviceId } = parent;
  const own = await session.replicaSets(projectId, serviceId, limits).catch((error: unknown) => {
    // API: a plan without an undocumented operation may answer 403, and a key without the permission is not told what exists.
    if (isRefusal(error, "forbidden") && isShown(parent.readReplicaSets)) return undefined;
    throw error;
  });
  return merged(parent.readReplicaSets, own ?? []);
}

/** API: some servers still show a deleted service, with its sets. They are gone with it. */
function setsIn(service: Service): ReadReplicaSet[] {
  return isDeleted(service) ? [] : service.readReplicaSets;
}

function isDeleted({ status }: Service): boolean {
  return status.toUpperCase() === "DELETED";
}

/** Each set once, as the first list shows it. */
function merged(...lists: readonly ReadReplicaSet[][]): Listed<ReadReplicaSet> {
  const all = lists.flat();
  const firsts = all.filter((item) => all.find((one) => one.replicaSetId === item.replicaSetId) === item);
  return listed(firsts, lists.flatMap(unreadableOf));
}

function reportsOf(sets: Listed<ReadReplicaSet>, scope: Scope): Listed<Reported> {
  return listed(
    sets.map((item) => reportedSet(item, scope)),
    sets.unreadable,
  );
}

/** Reads the parent itself and its project's list. API: the row of another service may show a set for a while. */
async function listAll(session: Session, scope: Scope, options: ListOptions): Promise<Listed<Reported> | undefined> {
  const services = session.services(scope.projectId);
  const { maxAgeMs: _ofList, ...limits } = options;
  // A list that shows the service, without its sets, is no sign that reads by an id answer.
  const parent = await services.get(parentOf(scope), { ...options, isAlone: true });
  if (parent === undefined) return undefined;
  const own = await setsOf(session, parent, limits);
  // What is unreadable in the row of another service is none of this one.
  const shownBy = (one: Service): ReadReplicaSet[] =>
    one.serviceId === parentOf(scope) ? setsIn(one) : [...setsIn(one)];
  const all = merged(own, ...(await services.list(options)).map(shownBy));
  return reportsOf(all, scope);
}

async function inList(
  services: Reader<Service>,
  serviceId: string,
  options: ListOptions,
): Promise<Service | undefined> {
  return (await services.list(options)).find((item) => item.serviceId === serviceId);
}

/** Throws if this set is shown in an unreadable form. The error concerns only this set. */
function throwIfUnreadable(serviceId: string, sets: ReadReplicaSet[], id: string): void {
  const unreadable = unreadableOf(sets).find((item) => item.id === id);
  if (unreadable === undefined) return;
  throw new ContractError(
    "broken-answer",
    "getService",
    `getService (services/${serviceId}): its read replica set ${describeUnreadable(unreadable)}, which does not match the contract.`,
    "The other sets and the service itself are not affected.",
  );
}
