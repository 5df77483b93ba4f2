// Services, as the lifecycle sees them.

import { plainAddresses } from "../domain/endpoint";
import { ApiError, InputError, RefusedError } from "../domain/errors";
import { formatDuration } from "../domain/duration";
import {
  haReplicasOf,
  isPoolerEnabled,
  isServiceGone,
  isServicePaused,
  isServiceReady,
  isServiceSettled,
  isSharedSize,
  serviceFields,
  serviceSize,
  type Environment,
  type ForkFrom,
  type Service,
  type ServiceInputs,
} from "../domain/service";
import { show, textOf, withoutUndefined } from "../domain/value";
import type { Shown } from "../domain/fields";
import type { PathIds, Requests } from "../plan/calls";
import { fixedOfService, planService, serviceRows, type ServiceStep } from "../plan/service";
import type { Live } from "../plan/step";
import { converge } from "./converge";
import { openRun } from "./run";
import { createSender } from "./sendCall";
import { rulesOfService, troubleOf } from "./serviceRules";
import type { Session } from "./session";
import type { CallLimits, Created, Host, Leaving, Place, Resource, Values } from "./resource";

const MINUTE_MS = 60_000;

export const service: Resource<ServiceInputs, Service> = {
  kind: "service",
  noun: "service",
  fields: serviceFields,
  holdsData: true,
  isNamed: true,
  rows: serviceRows,
  fixed: fixedOfService,
  addresses: ["endpoint", "vpcEndpoint", "connectionPooler"],
  derived: (state) => ({ ...plainAddresses(state) }),
  undocumented: new Set(["start", "rename", "deleteService"]),
  deadlinesMs: (inputs) => ({
    create: inputs["forkFrom"] === undefined ? 45 * MINUTE_MS : 12 * 60 * MINUTE_MS,
    update: 45 * MINUTE_MS,
    delete: 45 * MINUTE_MS,
    read: 5 * MINUTE_MS,
  }),

  trouble: (state) => troubleOf(textOf(state, "status")),
  rules: rulesOfService,
  plan: planService,
  recorded: (state) => ({
    ...state,
    addons: state["addons"] ?? addonsOf(textOf(state, "serviceType") ?? ""),
    forkFrom: state["forkFrom"] ?? state["forkedFrom"],
    vpcId: state["vpcId"] ?? null,
  }),

  place: (_values, projectId) => ({ projectId }),
  view: (session, { projectId }) => session.services(projectId),
  reach: (session, { projectId }, since) => session.vpcs(projectId).all(since),
  present: (session, { projectId }, deadlineMs) => session.client.services.list({ projectId }, { deadlineMs }),
  idOf: (item) => item.serviceId,
  describe: (item, nowMs) => `service ${show(item.name)} (${item.serviceId}, ${item.status}, ${ageOf(item, nowMs)})`,
  statusOf: (item) => item.status,
  condition: ({ status }) => {
    if (isServiceGone(status)) return "gone";
    return isServiceSettled(status) ? "settled" : "pending";
  },
  live,
  outputs,

  claim: (inputs) => inputs.name,
  nameOf: (inputs) => inputs.name,
  isTwin: (inputs, item) => item.name === inputs.name,
  couldBe,
  createdMs: (item) => Date.parse(item.created),
  beforeCreate: async (session, inputs, place) => {
    if (inputs.vpcId === undefined) return;
    const regionCode = inputs.regionCode ?? (await regionOfParent(session, inputs.forkFrom, place));
    await checkVpc(session, place, inputs.vpcId, regionCode);
  },
  createOperation: (inputs) => (inputs.forkFrom === undefined ? "createService" : "forkService"),
  createHost: (session, { forkFrom }, place) => (forkFrom === undefined ? undefined : hostOf(session, forkFrom, place)),
  tooEarlyMs: 10 * MINUTE_MS,
  post,
  beforeSteps: async (session, steps, item, place, recorded) => {
    const attach = steps.find((step) => step.operation === "attachToVPC");
    const detach = steps.find((step) => step.operation === "detachFromVPC");
    if (attach === undefined && detach !== undefined) refuseToLeaveAnother(detach.request["vpcId"], recorded);
    if (attach !== undefined) await checkVpc(session, place, String(attach.request["vpcId"]), item.regionCode);
  },

  lateAddress: ({ status, vpcEndpoint, endpoint }) => {
    const isThere = endpoint?.host !== undefined && endpoint.port !== undefined;
    return isThere || vpcEndpoint !== undefined || !isServiceReady(status) ? undefined : "no endpoint yet";
  },

  send: (session, step: ServiceStep, serviceId, { projectId }, limits) =>
    createSender<Requests["services"], PathIds["services"], Service | undefined | void>(session.client.services)(
      step,
      { projectId, serviceId },
      limits,
    ),
  lock: lockOf,
  deleteOperation: "deleteService",
  remove: (session, serviceId, { projectId }, limits) =>
    session.client.services.delete({ projectId, serviceId }, limits),
  leave,
};

function lockOf(serviceId: string): string {
  return `service/${serviceId}`;
}

/** API: a parent is copied only while nothing else happens to it; the fork is then a service of its own. */
function hostOf(session: Session, { serviceId }: ForkFrom, place: Place): Host {
  return {
    lock: lockOf(serviceId),
    isPart: false,
    isIdle: async (inMs, deadlineMs) => {
      const parent = await session.services(place.projectId).next(serviceId, inMs, deadlineMs);
      return parent === undefined || isServiceSettled(parent.status);
    },
  };
}

/** Nothing that the service shows says that another request made it; what it does not show says nothing. */
function couldBe({ regionCode, cpuMillis, memoryGbs, forkFrom }: ServiceInputs, item: Service): boolean {
  const size = serviceSize(item);
  const parentId = item.forkedFrom?.serviceId;
  const pairs = [
    [regionCode, item.regionCode],
    [cpuMillis, size?.cpuMillis],
    [memoryGbs, size?.memoryGbs],
    [forkFrom?.serviceId, parentId],
  ];
  const isOther = pairs.some(([asked, seen]) => asked !== undefined && seen !== undefined && asked !== seen);
  return !isOther && (forkFrom !== undefined || parentId === undefined);
}

function ageOf(item: Service, nowMs: number): string {
  const ageMs = nowMs - Date.parse(item.created);
  return Number.isNaN(ageMs) ? "of unknown age" : `${formatDuration(Math.max(0, ageMs))} old`;
}

/** API: the type tells which addons a service was made with, where it tells anything. */
function addonsOf(serviceType: string): ServiceInputs["addons"] {
  if (serviceType === "SERIESDB") return ["time-series"];
  return serviceType === "POSTGRES" ? [] : undefined;
}

function live(item: Service, place: Place): Live<ServiceInputs> {
  const size = serviceSize(item);
  const shared = isSharedSize(item) ? ("shared" as const) : undefined;
  const isStill = isServiceReady(item.status) || isServicePaused(item.status);
  const shown: Shown<ServiceInputs, typeof serviceFields> = {
    name: item.name,
    regionCode: item.regionCode,
    addons: addonsOf(item.serviceType),
    cpuMillis: size?.cpuMillis ?? shared,
    memoryGbs: size?.memoryGbs ?? shared,
    environment: item.environment as Environment | undefined,
    haReplicas: haReplicasOf(item),
    vpcId: item.vpcEndpoint?.vpcId ?? null,
    poolerEnabled: isPoolerEnabled(item),
    paused: isStill ? isServicePaused(item.status) : undefined,
    forkFrom: item.forkedFrom as ForkFrom | undefined,
    projectId: place.projectId,
  };
  return withoutUndefined(shown);
}

function outputs(item: Service): Values {
  const { created, status, serviceType, endpoint, connectionPooler, vpcEndpoint, resources, forkedFrom } = item;
  const { dataTieringEnabled, logExporterId, metricExporterId } = item;
  const addresses = { endpoint, connectionPooler, vpcEndpoint };
  const extras = { dataTieringEnabled, logExporterId, metricExporterId };
  return { created, status, serviceType, ...addresses, resources, forkedFrom, ...extras };
}

/** Dropping `vpcId` means the VPC that is recorded. Where the service is now, somebody else has put it. */
function refuseToLeaveAnother(current: unknown, recorded: Values | undefined): void {
  const ours = recorded?.["vpcId"];
  if (ours === undefined || ours === current) return;
  throw new InputError(
    "vpcId",
    `vpcId: the program drops VPC ${show(ours)}, but the service was moved outside Pulumi and is in VPC ${show(current)}; nothing was changed`,
    `To keep it there, set \`vpcId: ${show(current)}\`. To take it out, run \`pulumi refresh\` first: the next preview then names the VPC that it leaves.`,
  );
}

/** API: a fork stays in the region of its parent. */
async function regionOfParent(
  session: Session,
  forkFrom: ForkFrom | undefined,
  place: Place,
): Promise<string | undefined> {
  if (forkFrom === undefined) return undefined;
  const parent = await session
    .services(place.projectId)
    .look(forkFrom.serviceId, { maxAgeMs: session.pace.intervalMs });
  return parent?.regionCode;
}

async function checkVpc(session: Session, place: Place, vpcId: string, regionCode: string | undefined): Promise<void> {
  const vpc = await session.vpcs(place.projectId).look(vpcId, { maxAgeMs: session.config.pollIntervalMs });
  if (vpc === undefined) {
    throw new InputError(
      "vpcId",
      `vpcId: there is no VPC ${show(vpcId)} in project ${place.projectId}; nothing was changed`,
    );
  }
  if (regionCode === undefined || vpc.regionCode === regionCode) return;
  throw new InputError(
    "vpcId",
    `vpcId: VPC ${show(vpc.name)} (${vpcId}) is in ${vpc.regionCode}, the service in ${regionCode}; nothing was changed`,
    "A service can only be attached to a VPC of its own region.",
  );
}

async function post(
  session: Session,
  inputs: ServiceInputs,
  place: Place,
  limits: CallLimits,
): Promise<Created<Service>> {
  const { name, cpuMillis, memoryGbs, environment, forkFrom, regionCode, addons, haReplicas } = inputs;
  const { projectId } = place;
  const both = { name, cpuMillis, memoryGbs, environment };
  if (forkFrom !== undefined) {
    const fork = session.client.services.forkService({ projectId, ...forkFrom, ...both }, limits);
    return fork.catch((error: unknown) => {
      throw isMissing(error) ? noParent(forkFrom.serviceId, projectId, error) : error;
    });
  }
  const replicaCount = haReplicas?.replicaCount;
  return session.client.services.create({ projectId, regionCode, addons, replicaCount, ...both }, limits);
}

function isMissing(error: unknown): error is ApiError {
  return error instanceof ApiError && error.category === "notFound";
}

function noParent(serviceId: string, projectId: string, { message }: ApiError): InputError {
  return new InputError(
    "forkFrom.serviceId",
    `forkFrom.serviceId: there is no service ${show(serviceId)} in project ${projectId} (${message}); nothing was created`,
    "Give the id of a service of this project: `serviceId` of a resource, or what `getService({ name })` finds.",
  );
}

/** `onDelete: "stop"`: out of its VPC, stopped, and left in the cloud. */
async function leave(leaving: Leaving<Service>): Promise<void> {
  const { found, place, id, label, context } = leaving;
  const run = openRun({ ...leaving, resource: service, observed: found });
  try {
    await converge(run, { vpcId: null, paused: true });
  } catch (error) {
    // API: a paused service must be started to be detached, and a server may lack the call. It is as quiet as it can be.
    const isAsQuiet =
      run.failed?.operation === "start" && error instanceof RefusedError && isServicePaused(found.status);
    if (!isAsQuiet) throw error;
    context.warn(
      `${label} stays in VPC ${found.vpcEndpoint?.vpcId ?? ""}, which cannot be deleted until then: it is stopped, and ${error.message}`,
    );
  }
  context.warn(
    `${label} was stopped and left in project ${place.projectId} (onDelete: "stop"): its data stays and its storage still costs. Pulumi forgets it; \`adoptId: ${show(id)}\` takes it back.`,
  );
}
