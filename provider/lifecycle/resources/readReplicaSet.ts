// Read replica sets, as the lifecycle sees them: through their parent service, because the contract has no GET of
// their own, and under its lock, because their changes count against the parent's one at a time.

import { plainAddresses } from "../../domain/endpoint";
import { ContractError, InputError } from "../../domain/errors";
import { describeUnreadable, listed, type Listed, unreadableOf } from "../../domain/listed";
import {
  isReplicaSetFailed,
  isReplicaSetSettled,
  readReplicaSetFields,
  type ReadReplicaSet,
  type ReadReplicaSetInputs,
} from "../../domain/readReplicaSet";
import type { Environment } from "../../domain/sharedFields";
import { isPoolerEnabled, isServiceGone, isServiceSettled, type Service } from "../../domain/service";
import { isUsualSize, unusualSize } from "../../domain/values/size";
import type { Shown } from "../../domain/fields";
import { show, textOf, withoutUndefined } from "../../domain/values/value";
import {
  fixedOfReadReplicaSet,
  planReadReplicaSet,
  readReplicaSetRows,
  type ReadReplicaSetStep,
} from "../../plan/readReplicaSet";
import type { PathIds, Requests } from "../../plan/calls";
import type { View } from "../session/sharedReader";
import { objectOf } from "../state/memory";
import type { Place, ResourceDefinition } from "./resource";
import { createSender } from "./sendCall";
import type { Session } from "../session/session";

const MINUTE_MS = 60_000;

/** A set as its parent shows it. API: what happens to one of the two is a change of both. */
type ShownSet = ReadReplicaSet & { parentStatus?: string };

export const readReplicaSet: ResourceDefinition<ReadReplicaSetInputs, ShownSet> = {
  kind: "readReplicaSet",
  noun: "read replica set",
  fields: readReplicaSetFields,
  isNamed: true,
  rows: readReplicaSetRows,
  fixed: fixedOfReadReplicaSet,
  parentKey: "serviceId",
  owner: { kind: "service", key: "serviceId" },
  addresses: ["endpoint", "connectionPooler"],
  // API: where a service goes, its read replica sets go.
  movesWith: (state) => ({ object: objectOf({ kind: "service" }, textOf(state, "serviceId") ?? ""), noun: "service" }),
  derived: (state) => ({ ...plainAddresses(state) }),
  undocumented: new Set(),
  deadlinesMs: () => ({ create: 60 * MINUTE_MS, update: 60 * MINUTE_MS, delete: 60 * MINUTE_MS, read: 5 * MINUTE_MS }),

  mustReplace: (state) => {
    const status = textOf(state, "status");
    return status !== undefined && isReplicaSetFailed(status) ? `has failed (${status})` : undefined;
  },

  rules: ({ cpuMillis, memoryGbs }, isKnown) => {
    if (cpuMillis === undefined || memoryGbs === undefined || !isKnown("cpuMillis") || !isKnown("memoryGbs")) {
      return { errors: [], warnings: [] };
    }
    return { errors: [], warnings: isUsualSize(cpuMillis, memoryGbs) ? [] : [unusualSize(cpuMillis, memoryGbs)] };
  },
  plan: planReadReplicaSet,

  place: (values, projectId) => ({ projectId, serviceId: textOf(values, "serviceId") }),
  view,
  present,
  idOf: (item) => item.replicaSetId,
  describe: (item) => `read replica set ${show(item.name)} (${item.replicaSetId}, ${item.status}, ${item.nodes} nodes)`,
  statusOf: ({ status, parentStatus }) =>
    isReplicaSetSettled(status) && isBusy(parentStatus) ? `${status}, its service ${parentStatus}` : status,
  condition: ({ status, parentStatus }) => {
    if (isReplicaSetFailed(status)) return "failed";
    if (status.toLowerCase() === "deleting") return "gone";
    return isReplicaSetSettled(status) && !isBusy(parentStatus) ? "settled" : "pending";
  },
  live: (item, place) => {
    const shown: Shown<ReadReplicaSetInputs, typeof readReplicaSetFields> = {
      serviceId: parentOf(place),
      name: item.name,
      nodes: item.nodes,
      cpuMillis: item.cpuMillis,
      memoryGbs: item.memoryGbs,
      poolerEnabled: isPoolerEnabled(item),
      environment: item.environment as Environment | undefined,
      projectId: place.projectId,
    };
    return withoutUndefined(shown);
  },
  outputs: ({ status, endpoint, connectionPooler }) => ({ status, endpoint, connectionPooler }),

  claim: (inputs) => `${inputs.name} of ${inputs.serviceId}`,
  nameOf: (inputs) => inputs.name,
  isTwin: (inputs, item) => item.name === inputs.name,
  createOperation: () => "createReplicaSet",
  couldBe: (inputs, item) =>
    inputs.nodes === item.nodes && inputs.cpuMillis === item.cpuMillis && inputs.memoryGbs === item.memoryGbs,
  createHost: (session, _inputs, place) => ({
    lock: lockOf(place),
    isPart: true,
    isIdle: async (inMs, deadlineMs) => {
      const parent = await session.services(place.projectId).next(parentOf(place), inMs, deadlineMs);
      return parent === undefined || isServiceSettled(parent.status);
    },
  }),
  tooEarlyMs: 60 * MINUTE_MS,
  post: (session, { name, nodes, cpuMillis, memoryGbs }, place, limits) => {
    const request = { projectId: place.projectId, serviceId: parentOf(place), name, nodes, cpuMillis, memoryGbs };
    return session.client.readReplicaSets.create(request, limits);
  },

  send: (session, step: ReadReplicaSetStep, replicaSetId, place, limits) => {
    const ids = { projectId: place.projectId, serviceId: parentOf(place), replicaSetId };
    return createSender<Requests["readReplicaSets"], PathIds["readReplicaSets"], void>(session.client.readReplicaSets)(
      step,
      ids,
      limits,
    );
  },
  lock: (_id, place) => lockOf(place),
  deleteOperation: "deleteReplicaSet",
  remove: (session, replicaSetId, place, limits) =>
    session.client.readReplicaSets.delete(
      { projectId: place.projectId, serviceId: parentOf(place), replicaSetId },
      limits,
    ),
};

function parentOf(place: Place): string {
  return place.serviceId ?? "";
}

function lockOf(place: Place): string {
  return `service/${parentOf(place)}`;
}

function isBusy(status: string | undefined): status is string {
  return status !== undefined && !isServiceSettled(status) && !isServiceGone(status);
}

/** The parent's view, narrowed to one of its sets: waits for sets and services share the same looks. */
function view(session: Session, place: Place): View<ShownSet> {
  const services = session.services(place.projectId);
  const serviceId = parentOf(place);
  const find = (parent: Service | undefined, id: string): ShownSet | undefined => {
    const item = parent?.readReplicaSets.find(({ replicaSetId }) => replicaSetId === id);
    if (parent === undefined) return undefined;
    if (item === undefined) throwIfUnreadable(parent, id);
    return item && { ...item, parentStatus: parent.status };
  };
  return {
    async look(id, options) {
      const seen = find(await services.look(serviceId, options), id);
      // What was seen a moment ago, or a list that lags behind, is no proof of absence.
      const { maxAgeMs: _, ...fresh } = options ?? {};
      return seen ?? find(await services.look(serviceId, fresh), id);
    },
    own: async (id, deadlineMs) => find(await services.own(serviceId, deadlineMs), id),
    next: async (id, inMs, deadlineMs) => find(await services.next(serviceId, inMs, deadlineMs), id),
    // API: the parent's field with the sets may vanish for a moment.
    lacks: () => false,
    async all(options) {
      const parent = await services.look(serviceId, options);
      if (parent !== undefined) return listed([...parent.readReplicaSets], unreadableOf(parent.readReplicaSets));
      throw new InputError(
        "serviceId",
        `serviceId: there is no service ${show(serviceId)} in project ${place.projectId}; nothing was created`,
        "Give the id of a service of this project: `serviceId` of a resource, or what `getService({ name })` finds.",
      );
    },
    changed: () => {
      services.changed(serviceId);
    },
  };
}

/** By the parent itself and by its project's list: the parent's field with the sets may vanish for a moment. */
async function present(session: Session, place: Place, deadlineMs: number): Promise<Listed<ReadReplicaSet>> {
  const services = session.services(place.projectId);
  const serviceId = parentOf(place);
  const parent = await services.look(serviceId, { deadlineMs });
  const shown = (await services.all({ deadlineMs })).find((item) => item.serviceId === serviceId);
  // A service that is gone has taken its sets with it; one that only lags behind in the list has not.
  const both = [parent?.readReplicaSets ?? [], shown?.readReplicaSets ?? []];
  return listed(both.flat(), both.flatMap(unreadableOf));
}

/** A set that its service shows in a way that cannot be read: said for this set alone. */
function throwIfUnreadable({ serviceId, readReplicaSets }: Service, id: string): void {
  const unreadable = unreadableOf(readReplicaSets).find((item) => item.id === id);
  if (unreadable === undefined) return;
  throw new ContractError(
    "getService",
    `getService (services/${serviceId}): its read replica set ${describeUnreadable(unreadable)}, which is not what the contract says.`,
    "The other sets and the service itself are not affected. If this persists, the server and this version of the provider disagree.",
  );
}
