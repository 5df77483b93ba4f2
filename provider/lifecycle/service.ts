// Services, as the lifecycle sees them.

import { InputError } from "../domain/errors";
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
import { isUsualSize } from "../domain/size";
import { show, textOf } from "../domain/value";
import { fixedOfService, planService } from "../plan/service";
import type { Live, Step } from "../plan/step";
import { converge } from "./converge";
import { openRun } from "./run";
import type { Session } from "./session";
import type { CallLimits, Created, Finding, Host, Leaving, Place, Resource, Values } from "./resource";

const MINUTE_MS = 60_000;

export const service: Resource<ServiceInputs, Service> = {
  kind: "service",
  noun: "service",
  fields: serviceFields,
  isNamed: true,
  fixed: fixedOfService,
  addresses: ["endpoint", "vpcEndpoint", "connectionPooler"],
  undocumented: new Set(["start", "rename", "deleteService"]),
  deadlinesMs: (inputs) => ({
    create: inputs["forkFrom"] === undefined ? 45 * MINUTE_MS : 12 * 60 * MINUTE_MS,
    update: 45 * MINUTE_MS,
    delete: 45 * MINUTE_MS,
    read: 5 * MINUTE_MS,
  }),

  rules,
  plan: planService,
  recorded: (state) => ({
    ...state,
    addons: state["addons"] ?? addonsOf(textOf(state, "serviceType") ?? ""),
    forkFrom: state["forkFrom"] ?? state["forkedFrom"],
    vpcId: state["vpcId"] ?? null,
  }),

  place: (_values, projectId) => ({ projectId }),
  view: (session, { projectId }) => session.services(projectId),
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
  isTwin: (inputs, item) => item.name === inputs.name,
  couldBe,
  createdMs: (item) => Date.parse(item.created),
  beforeCreate: async (session, inputs, place) => {
    if (inputs.vpcId !== undefined) await checkVpc(session, place, inputs.vpcId, inputs.regionCode);
  },
  createOperation: (inputs) => (inputs.forkFrom === undefined ? "createService" : "forkService"),
  createHost: (session, { forkFrom }, place) => (forkFrom === undefined ? undefined : hostOf(session, forkFrom, place)),
  tooEarlyMs: 10 * MINUTE_MS,
  post,
  beforeSteps: async (session, steps, item, place) => {
    const attach = steps.find((step) => step.operation === "attachToVPC");
    if (attach !== undefined) await checkVpc(session, place, String(attach.request["vpcId"]), item.regionCode);
  },

  send,
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

/** API: (0,0) (1,0) (2,0) (2,1) are what plans offer; others may be refused. */
const USUAL_HA = new Set(["0/0", "1/0", "2/0", "2/1"]);

function rules(
  inputs: Partial<ServiceInputs>,
  isKnown: (key: string) => boolean,
  isNew: boolean,
): { errors: Finding[]; warnings: string[] } {
  const errors: Finding[] = [];
  const warnings: string[] = [];
  const { cpuMillis, memoryGbs, haReplicas, forkFrom } = inputs;
  if ((cpuMillis === undefined) !== (memoryGbs === undefined)) {
    const [given, missing] = cpuMillis === undefined ? ["memoryGbs", "cpuMillis"] : ["cpuMillis", "memoryGbs"];
    errors.push({ path: missing, reason: `is missing; allowed: both sizes or none (${given} is given)` });
  } else if (cpuMillis !== undefined && memoryGbs !== undefined && isKnown("cpuMillis") && isKnown("memoryGbs")) {
    if ((cpuMillis === "shared") !== (memoryGbs === "shared")) {
      errors.push({
        path: "memoryGbs",
        reason: `given ${show(memoryGbs)} beside cpuMillis ${show(cpuMillis)}; allowed: "shared" for both or for none`,
      });
    } else if (!isUsualSize(cpuMillis, memoryGbs)) {
      warnings.push(`cpuMillis ${cpuMillis} with memoryGbs ${memoryGbs} is unusual: sizes have 250 millicores per GB`);
    }
  }
  if (haReplicas !== undefined && isKnown("haReplicas")) checkHa(haReplicas, errors, warnings);
  if (forkFrom !== undefined && isKnown("forkFrom")) {
    checkTargetTime(forkFrom, errors);
    for (const path of isNew ? (["regionCode", "addons"] as const) : []) {
      if (inputs[path] !== undefined) {
        errors.push({ path, reason: `given ${show(inputs[path])}; allowed: nothing, because a fork inherits it` });
      }
    }
  }
  return { errors, warnings };
}

function checkHa(
  { replicaCount, syncReplicaCount = 0 }: NonNullable<ServiceInputs["haReplicas"]>,
  errors: Finding[],
  warnings: string[],
): void {
  if (syncReplicaCount > replicaCount) {
    errors.push({
      path: "haReplicas.syncReplicaCount",
      reason: `given ${syncReplicaCount}; allowed: at most replicaCount, which is ${replicaCount} and counts all of them`,
    });
  } else if (!USUAL_HA.has(`${replicaCount}/${syncReplicaCount}`)) {
    warnings.push(
      `haReplicas ${replicaCount} with ${syncReplicaCount} synchronous is unusual: plans offer 0, 1 or 2, and 2 with 1 synchronous`,
    );
  }
}

function checkTargetTime({ strategy, targetTime }: ForkFrom, errors: Finding[]): void {
  if ((strategy === "PITR") === (targetTime !== undefined)) return;
  errors.push({
    path: "forkFrom.targetTime",
    reason:
      strategy === "PITR"
        ? 'is missing; allowed: an RFC 3339 time, which the strategy "PITR" needs'
        : `given ${show(targetTime)}; allowed: nothing, because only the strategy "PITR" takes a time`,
  });
}

/** API: the type tells which addons a service was made with, where it tells anything. */
function addonsOf(serviceType: string): ServiceInputs["addons"] {
  if (serviceType === "SERIESDB") return ["time-series"];
  return serviceType === "POSTGRES" ? [] : undefined;
}

function live(item: Service, place: Place): Live<ServiceInputs> {
  const size = serviceSize(item);
  const shared = isSharedSize(item) ? ("shared" as const) : undefined;
  const addons = addonsOf(item.serviceType);
  const isStill = isServiceReady(item.status) || isServicePaused(item.status);
  return {
    name: item.name,
    regionCode: item.regionCode,
    ...(addons === undefined ? {} : { addons }),
    ...withKnown("cpuMillis", size?.cpuMillis ?? shared),
    ...withKnown("memoryGbs", size?.memoryGbs ?? shared),
    ...withKnown("environment", item.environment as Environment | undefined),
    haReplicas: haReplicasOf(item),
    vpcId: item.vpcEndpoint?.vpcId ?? null,
    poolerEnabled: isPoolerEnabled(item),
    ...(isStill ? { paused: isServicePaused(item.status) } : {}),
    ...withKnown("forkFrom", item.forkedFrom as ForkFrom | undefined),
    projectId: place.projectId,
  };
}

function withKnown<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

function outputs(item: Service): Values {
  const { created, status, serviceType, endpoint, connectionPooler, vpcEndpoint, resources, forkedFrom } = item;
  const { dataTieringEnabled, logExporterId, metricExporterId } = item;
  const addresses = { endpoint, connectionPooler, vpcEndpoint };
  const extras = { dataTieringEnabled, logExporterId, metricExporterId };
  return { created, status, serviceType, ...addresses, resources, forkedFrom, ...extras };
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

async function post(session: Session, inputs: ServiceInputs, place: Place, limits: CallLimits): Promise<Created> {
  const { name, cpuMillis, memoryGbs, environment, forkFrom, regionCode, addons, haReplicas } = inputs;
  const { projectId } = place;
  const both = { name, cpuMillis, memoryGbs, environment };
  if (forkFrom !== undefined) {
    return session.client.services.forkService({ projectId, ...forkFrom, ...both }, limits);
  }
  const replicaCount = haReplicas?.replicaCount;
  return session.client.services.create({ projectId, regionCode, addons, replicaCount, ...both }, limits);
}

async function send(
  session: Session,
  step: Step<ServiceInputs>,
  serviceId: string,
  { projectId }: Place,
  limits: CallLimits,
): Promise<void> {
  const ids = { projectId, serviceId };
  const call = calls[step.operation as ServiceCall];
  await call(session.client.services, ids, step.request, limits);
}

type Services = Session["client"]["services"];
type ServiceCall = keyof typeof calls;
type Ids = { projectId: string; serviceId: string };
type Request = Step["request"];

// The planner writes each request in the words of its call, so the ids are all that is added.
const calls = {
  start: (api: Services, ids: Ids, _request: Request, limits: CallLimits) => api.start(ids, limits),
  stop: (api: Services, ids: Ids, _request: Request, limits: CallLimits) => api.stop(ids, limits),
  enablePooler: (api: Services, ids: Ids, _request: Request, limits: CallLimits) => api.enablePooler(ids, limits),
  disablePooler: (api: Services, ids: Ids, _request: Request, limits: CallLimits) => api.disablePooler(ids, limits),
  rename: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.rename({ ...ids, name: String(request["name"]) }, limits),
  setEnvironment: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.setEnvironment({ ...ids, environment: request["environment"] as Environment }, limits),
  resize: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.resize({ ...ids, ...(request as { cpuMillis: number; memoryGbs: number }) }, limits),
  setHA: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.setHA({ ...ids, ...(request as { replicaCount: number; syncReplicaCount?: number }) }, limits),
  attachToVPC: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.attachToVPC({ ...ids, vpcId: String(request["vpcId"]) }, limits),
  detachFromVPC: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.detachFromVPC({ ...ids, vpcId: String(request["vpcId"]) }, limits),
  updatePassword: (api: Services, ids: Ids, request: Request, limits: CallLimits) =>
    api.updatePassword({ ...ids, password: String(request["password"]) }, limits),
};

/** `onDelete: "stop"`: out of its VPC, stopped, and left in the cloud. */
async function leave(leaving: Leaving<Service>): Promise<void> {
  const { found, place, id, label, context } = leaving;
  await converge(openRun({ ...leaving, resource: service, observed: found }), { vpcId: null, paused: true });
  context.warn(
    `${label} was stopped and left in project ${place.projectId} (onDelete: "stop"): its data stays and its storage still costs. Pulumi forgets it; \`adoptId: "${id}"\` takes it back.`,
  );
}
