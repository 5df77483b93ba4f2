// The definition of services.

import { lateAddress, plainAddresses } from "../../domain/endpoint";
import { type ApiError, InputError, isNotFound } from "../../domain/errors";
import {
  isServiceDeleting,
  isServicePaused,
  isServiceReady,
  isServiceSettled,
  serviceFields,
  type ForkFrom,
  type Service,
  type ServiceInputs,
} from "../../domain/service";
import { MINUTE_MS } from "../../domain/values/duration";
import { show, textOf } from "../../domain/values/value";
import type { PathIds, Requests } from "../../plan/calls";
import { fixedOfService, planService, serviceRows, type ServiceStep } from "../../plan/service";
import { createSender } from "./sendCall";
import { rulesOfService, troubleOf } from "./serviceRules";
import { addonsOf, addressesOf, ageOf, isCandidate, live, outputs } from "./serviceShown";
import { checkVpc, refuseToLeaveAnother, regionOfParent } from "./serviceVpc";
import type { Session } from "../session/session";
import type { ResourceDefinition } from "./resource";
import { busyUntilSettled, type CallLimits, type Scope } from "./observation";
import type { Created, Parent } from "./creation";

export const service: ResourceDefinition<ServiceInputs, Service> = {
  kind: "service",
  noun: "service",
  fields: serviceFields,
  holdsData: true,
  hasGlobalIds: true,
  container: { kind: "vpc", noun: "VPC", key: "vpcId" },
  afterAdoption: "Nobody knows its password then: set `password` where the program uses `connectionString()`.",
  isNamed: true,
  rows: serviceRows,
  fixed: fixedOfService,
  addresses: {
    outputs: ["endpoint", "vpcEndpoint", "connectionPooler"],
    derived: (state) => ({ ...plainAddresses(state) }),
  },
  shownOnce: ["initialPassword"],
  undocumented: {
    start: "Start the service in the console, then run `pulumi up` again.",
    rename: "Keep the old name in the program, or rename it in the console.",
  },
  deadlinesMs: (inputs) => ({
    create: inputs["forkFrom"] === undefined ? 45 * MINUTE_MS : 12 * 60 * MINUTE_MS,
    update: 45 * MINUTE_MS,
    delete: 45 * MINUTE_MS,
    read: 5 * MINUTE_MS,
  }),

  trouble: (state) => {
    const words = troubleOf(textOf(state, "status"));
    return words === undefined ? undefined : { words };
  },
  rules: rulesOfService,
  plan: planService,
  recorded: (state) => ({
    ...state,
    addons: state["addons"] ?? addonsOf(textOf(state, "serviceType") ?? ""),
    forkFrom: state["forkFrom"] ?? state["forkedFrom"],
    vpcId: state["vpcId"] ?? null,
  }),

  scope: (_values, projectId) => ({ projectId }),
  reader: (session, { projectId }) => session.services(projectId),
  probeScope: (session, { projectId }, since) => session.vpcs(projectId).list(since),
  listAll: (session, { projectId }, options) => session.services(projectId).list(options),
  idOf: (item) => item.serviceId,
  describe: (item, nowMs) => `service ${show(item.name)} (${item.serviceId}, ${item.status}, ${ageOf(item, nowMs)})`,
  statusOf: (item) => item.status,
  condition: ({ status }) => {
    if (isServiceDeleting(status)) return "deleting";
    return isServiceSettled(status) ? "settled" : "pending";
  },
  live,
  outputs,

  identity: (inputs) => inputs.name,
  nameOf: (inputs) => inputs.name,
  isDuplicate: (inputs, item) => item.name === inputs.name,
  isCandidate,
  createdMs: (item) => Date.parse(item.created),
  beforeCreate: async (session, inputs, scope) => {
    if (inputs.vpcId === undefined) return;
    const { vpcId, forkFrom } = inputs;
    const regionCode = inputs.regionCode ?? (await regionOfParent(session, forkFrom, scope));
    await checkVpc(session, scope, { vpcId, regionCode, regionBy: forkFrom === undefined ? "program" : "parent" });
  },
  createOperation: (inputs) => (inputs.forkFrom === undefined ? "createService" : "forkService"),
  createParent: (session, { forkFrom }, scope) =>
    forkFrom === undefined ? undefined : parentToCopy(session, forkFrom, scope),
  post,
  beforeSteps: async (session, steps, item, scope, recorded) => {
    const attach = steps.find((step) => step.operation === "attachToVPC");
    const detach = steps.find((step) => step.operation === "detachFromVPC");
    if (attach === undefined && detach !== undefined) refuseToLeaveAnother(detach.request["vpcId"], recorded);
    if (attach === undefined) return;
    const vpcId = String(attach.request["vpcId"]);
    await checkVpc(session, scope, { vpcId, regionCode: item.regionCode, regionBy: "service" });
  },

  connection: {
    late: (item) => (isServicePaused(item.status) ? undefined : lateAddress(item)),
    accepting: ({ waitFor }, item) => (waitFor === "accepting" && isServiceReady(item.status) ? addressesOf(item) : []),
  },

  send: (session, step: ServiceStep, serviceId, { projectId }, limits) =>
    createSender<Requests["services"], PathIds["services"], Service | undefined | void>(session.client.services)(
      step,
      { projectId, serviceId },
      limits,
    ),
  lock: lockOf,
  deletion: {
    operation: "deleteService",
    remedy:
      'Say `onDelete: "stop"` and run `pulumi up` once, so that a destroy stops the service and leaves it, or use Pulumi\'s `retainOnDelete`; then delete it in the console. Neither counts for one that a new one has replaced already (the preview shows `delete original`): delete that one in the console, by its id, and run `pulumi up` again.',
  },
  remove: (session, serviceId, { projectId }, limits) =>
    session.client.services.delete({ projectId, serviceId }, limits),
  stopped: {
    inputs: { vpcId: null, paused: true },
    // API: a paused service must be started to be detached, and a server may lack the call. The service stays stopped.
    isDespite: (found, refused) => refused === "start" && isServicePaused(found.status),
    leftover: (found) => `stays in VPC ${found.vpcEndpoint?.vpcId ?? ""}, which cannot be deleted until then`,
  },
};

function lockOf(serviceId: string): string {
  return `service/${serviceId}`;
}

/** API: a parent can be copied only while no change of it is under way; the fork is then a separate service. */
function parentToCopy(session: Session, { serviceId }: ForkFrom, scope: Scope): Parent {
  return {
    lock: lockOf(serviceId),
    isPart: false,
    tooEarlyMs: 10 * MINUTE_MS,
    ...busyUntilSettled(session.services(scope.projectId), serviceId, ({ status }) => isServiceSettled(status)),
  };
}

async function post(
  session: Session,
  inputs: ServiceInputs,
  scope: Scope,
  limits: CallLimits,
): Promise<Created<Service>> {
  const { name, cpuMillis, memoryGbs, environment, forkFrom, regionCode, addons, haReplicas } = inputs;
  const { projectId } = scope;
  const both = { name, cpuMillis, memoryGbs, environment };
  if (forkFrom !== undefined) {
    const fork = session.client.services.forkService({ projectId, ...forkFrom, ...both }, limits);
    return fork.then(withPasswordApart, (error: unknown) => {
      throw isNotFound(error) ? noParent(forkFrom.serviceId, projectId, error) : error;
    });
  }
  const replicaCount = haReplicas?.replicaCount;
  const request = { projectId, regionCode, addons, replicaCount, ...both };
  return withPasswordApart(await session.client.services.create(request, limits));
}

function withPasswordApart({ initialPassword, ...created }: Answered): Created<Service> {
  return initialPassword === undefined ? created : { ...created, shownOnce: { initialPassword } };
}

type Answered = Omit<Created<Service>, "shownOnce"> & Pick<Service, "initialPassword">;

function noParent(serviceId: string, projectId: string, { message }: ApiError): InputError {
  return new InputError(
    "forkFrom.serviceId",
    `forkFrom.serviceId: there is no service ${show(serviceId)} in project ${projectId} (${message}); nothing was created`,
    "Give the id of a service of this project: `serviceId` of a resource, or what `getService({ name })` finds.",
  );
}
