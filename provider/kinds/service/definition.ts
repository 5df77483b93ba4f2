// What the core asks of services.

import { InputError, isRefusal } from "../../domain/errors";
import {
  conditionOfService,
  type ForkFrom,
  isServiceOnItsWay,
  isServicePaused,
  type Service,
  serviceFields,
  type ServiceInputs,
} from "./inputs";
import { isSameWord } from "../../domain/sharedFields";
import { MINUTE_MS } from "../../domain/values/duration";
import type { Session } from "../../core/session";
import { show, textOf, type Values } from "../../domain/values/value";
import { sentOf } from "../../core/state";
import { servicePlanner, type ServiceStep } from "./plan";
import type { ClientSession } from "../../core/createSession";
import type { CallLimits, Created, ResourceDefinition, Scope, StatusNote } from "../../core/kind";
import { sendStep, memberOf, noSuchObject } from "../../core/definitionHelpers";
import { readReplicaSet } from "../readReplicaSet/definition";
import { reportedService, servicesOf } from "./reported.definition";

// The rules for services: over several inputs, over what account plans usually offer, and over the recorded status. Pure.

const missingInput = (path: string, reason: string) => new InputError("missing-input", path, `${path}: ${reason}`);
const invalidInput = (path: string, reason: string) => new InputError("invalid-input", path, `${path}: ${reason}`);

/** API: account plans offer (0,0) (1,0) (2,0) (2,1); other combinations may be refused. */
const USUAL_HA = new Set(["0/0", "1/0", "2/0", "2/1"]);

function rulesOfService(
  inputs: Partial<ServiceInputs>,
  isKnown: (key: string) => boolean,
  isNew: boolean,
): { errors: InputError[]; warnings: string[] } {
  const errors: InputError[] = [];
  const warnings: string[] = [];
  const { cpuMillis, memoryGbs, haReplicas, forkFrom } = inputs;
  if ((cpuMillis === undefined) !== (memoryGbs === undefined)) {
    const [given, missing] = cpuMillis === undefined ? ["memoryGbs", "cpuMillis"] : ["cpuMillis", "memoryGbs"];
    errors.push(missingInput(missing, `is missing, but ${given} is given; set ${missing} too, or leave out both`));
  } else if ((cpuMillis === "shared") !== (memoryGbs === "shared") && isKnown("cpuMillis") && isKnown("memoryGbs")) {
    const reason = `given ${show(memoryGbs)}, but cpuMillis is ${show(cpuMillis)}; set both to "shared", or neither`;
    errors.push(invalidInput("memoryGbs", reason));
  }
  if (haReplicas !== undefined && isKnown("haReplicas")) checkHa(haReplicas, errors, warnings);
  if (forkFrom !== undefined && isKnown("forkFrom")) {
    checkTargetTime(forkFrom, errors);
    for (const path of isNew ? (["regionCode", "addons"] as const) : []) {
      const given = inputs[path];
      if (given !== undefined)
        errors.push(invalidInput(path, `given ${show(given)}, but a fork inherits it; leave it out`));
    }
  }
  return { errors, warnings };
}

function checkHa(
  { replicaCount, syncReplicaCount = 0 }: NonNullable<ServiceInputs["haReplicas"]>,
  errors: InputError[],
  warnings: string[],
): void {
  if (syncReplicaCount > replicaCount) {
    const reason = `given ${syncReplicaCount}, but replicaCount is ${replicaCount} and counts all replicas; give at most ${replicaCount}`;
    errors.push(invalidInput("haReplicas.syncReplicaCount", reason));
  } else if (!USUAL_HA.has(`${replicaCount}/${syncReplicaCount}`)) {
    warnings.push(
      `haReplicas ${replicaCount} with ${syncReplicaCount} synchronous is unusual: plans offer 0, 1 or 2, and 2 with 1 synchronous`,
    );
  }
}

function checkTargetTime({ strategy, targetTime }: ForkFrom, errors: InputError[]): void {
  if ((strategy === "PITR") === (targetTime !== undefined)) return;
  const path = "forkFrom.targetTime";
  const needed = 'is missing, but the strategy "PITR" needs it; give a time with its zone: "2026-01-31T12:00:00Z"';
  const unused = `given ${show(targetTime)}, but only the strategy "PITR" takes a time; leave it out, or set strategy: "PITR"`;
  errors.push(strategy === "PITR" ? missingInput(path, needed) : invalidInput(path, unused));
}

function noteOf(state: Values, managed: readonly string[]): StatusNote {
  const status = textOf(state, "status") ?? "";
  const condition = conditionOfService({ status });
  if (isServicePaused(status)) {
    const words = "is PAUSED and accepts no connections; to start it, set `paused: false`";
    return { condition, current: managed.includes("paused") ? undefined : words };
  }
  if (status === "" || condition === "settled" || isServiceOnItsWay(status)) return { condition };
  const isDeleting = condition === "deleting";
  const end = isDeleting
    ? "somebody is deleting it, and the next `pulumi up` after that creates a new, EMPTY one"
    : "a change waits until it is READY or PAUSED; check the console";
  return {
    condition,
    recorded: `was ${show(status)} when it was last seen: ${end}`,
    current: isDeleting ? undefined : `is ${status} and may accept no connections; check the console`,
  };
}

// To which VPC a service may be attached, and from which one it may be detached.

/** Dropping `vpcId` detaches the recorded VPC only, or that of an interrupted run. Another one was attached outside Pulumi. */
function refuseToLeaveAnother(current: unknown, recorded: Values): void {
  const all = [recorded["vpcId"], ...sentOf(recorded).map(({ values }) => values["vpcId"])].filter(Boolean);
  const [ours] = all;
  if (ours === undefined || all.includes(current)) return;
  throw new InputError(
    "moved-outside",
    "vpcId",
    `vpcId: the program drops VPC ${show(ours)}, but the service was moved outside Pulumi and is in VPC ${show(current)}; nothing was changed`,
    `To keep it there, set \`vpcId: ${show(current)}\`; to detach it, run \`pulumi refresh\` first.`,
  );
}

/** `regionCode`: where the service is, or is to be made; undefined where the server chooses. */
async function checkVpc(
  session: Session,
  { projectId }: Scope,
  { vpcId, regionCode, outcome }: { vpcId: string; regionCode: string | undefined; outcome: string },
): Promise<void> {
  const vpcs = session.vpcs(projectId);
  const recent = { maxAgeMs: session.pace.intervalMs, isAlone: true } as const;
  // API: the read of a new one can answer 404 for some seconds, while the list has it.
  const vpc = (await vpcs.get(vpcId, recent)) ?? (await vpcs.list(recent)).find((one) => one.vpcId === vpcId);
  if (vpc === undefined) throw noSuchObject("vpc", "vpcId", { id: vpcId, projectId, outcome });
  if (regionCode === undefined || isSameWord(vpc.regionCode, regionCode)) return;
  throw new InputError(
    "not-the-same-region",
    "vpcId",
    `vpcId: VPC ${show(vpc.name)} (${vpcId}) is in ${vpc.regionCode}, the service in ${regionCode}; ${outcome}`,
    "A service can only be attached to a VPC of its own region: give the id of one, or remove `vpcId`.",
  );
}

// The definition of services.

export const service: ResourceDefinition<ServiceInputs> = {
  kind: "service",
  noun: "service",
  fields: serviceFields,
  outputs: {
    endpoint: { isAddress: true, isCertain: ({ vpcId }) => vpcId === undefined },
    vpcEndpoint: { isAddress: true, isCertain: ({ vpcId }) => vpcId !== undefined },
    connectionPooler: { isAddress: true, isCertain: ({ poolerEnabled }) => poolerEnabled === true },
    resources: { isCertain: () => true },
    forkedFrom: { isCertain: ({ forkFrom }) => forkFrom !== undefined },
    initialPassword: {
      shownOnce: {
        insteadOf: "password",
        lost: "its initial password is not known here, so it has no `connectionUri`: set `password`",
      },
    },
  },
  hasGlobalIds: true,
  container: {
    kind: "vpc",
    noun: "VPC",
    key: "vpcId",
    whenMoved: "then it moves to the new one, and its addresses change",
  },
  undocumented: {
    start: "Start the service in the console, then run `pulumi up` again.",
    rename: "Keep the old name in the program, or rename it in the console.",
    deleteService:
      "Set Pulumi's `retainOnDelete` and run `pulumi up` once, then delete it in the console. It does not apply to a service that has already been replaced (the preview shows `delete original`): delete that one in the console, by its id, and run `pulumi up` again.",
  },
  deadlinesMs: (inputs) => ({
    create: inputs["forkFrom"] === undefined ? 45 * MINUTE_MS : 12 * 60 * MINUTE_MS,
    update: 45 * MINUTE_MS,
    delete: 45 * MINUTE_MS,
    read: 5 * MINUTE_MS,
  }),

  statusNote: noteOf,
  rules: rulesOfService,
  ...servicePlanner,

  reader: servicesOf,

  identity: (inputs) => inputs.name,
  beforeCreate: async (session, inputs, scope) => {
    if (inputs.vpcId === undefined) return;
    const { forkFrom } = inputs;
    // API: a fork stays in the region of its parent.
    const recent = { maxAgeMs: session.pace.intervalMs, isAlone: true } as const;
    const parent = forkFrom && (await session.services(scope.projectId).get(forkFrom.serviceId, recent));
    const regionCode = inputs.regionCode ?? parent?.regionCode;
    await checkVpc(session, scope, { vpcId: inputs.vpcId, regionCode, outcome: "the service was not created" });
  },
  createOperation: (inputs) => (inputs.forkFrom === undefined ? "createService" : "forkService"),
  // API: a service can be copied only while no change of it is under way; the fork is then a separate service.
  copies: ({ forkFrom }) => forkFrom?.serviceId,
  post,
  beforeSteps: async (session, steps, item, scope, recorded) => {
    const attach = steps.find((step) => step.operation === "attachToVPC");
    const detach = steps.find((step) => step.operation === "detachFromVPC");
    if (attach === undefined && detach !== undefined) refuseToLeaveAnother(detach.request["vpcId"], recorded);
    if (attach === undefined) return;
    const vpcId = String(attach.request["vpcId"]);
    const regionCode = textOf(item.live(), "regionCode");
    await checkVpc(session, scope, { vpcId, regionCode, outcome: "nothing was changed" });
  },

  send: async (session: ClientSession, step: ServiceStep, serviceId, { projectId }, limits) => {
    const ids = { projectId, serviceId };
    const item = await sendStep<"services", Service | undefined | void>(session.client.services, step, ids, limits);
    return item ? reportedService(item) : undefined;
  },
  deletion: { operation: "deleteService" },
  remove: (session: ClientSession, serviceId, { projectId }, limits) =>
    session.client.services.delete({ projectId, serviceId }, limits),
  members: ({ session, id: serviceId, scope: { projectId } }) => {
    const scope = { projectId, serviceId };
    return async (deadlineMs) => {
      const sets = await readReplicaSet.reader(session, scope).list({ deadlineMs });
      return sets.map((item) => memberOf(session, item, `service/${serviceId}`));
    };
  },
};

async function post(session: ClientSession, inputs: ServiceInputs, scope: Scope, limits: CallLimits): Promise<Created> {
  const { name, cpuMillis, memoryGbs, environment, forkFrom, regionCode, addons, haReplicas } = inputs;
  const { projectId } = scope;
  const both = { name, cpuMillis, memoryGbs, environment };
  if (forkFrom !== undefined) {
    const fork = session.client.services.forkService({ projectId, ...forkFrom, ...both }, limits);
    return fork.then(reported, (error: unknown) => {
      if (!isRefusal(error, "notFound")) throw error;
      const outcome = `nothing was created (${error.message})`;
      throw noSuchObject("service", "forkFrom.serviceId", { id: forkFrom.serviceId, projectId, outcome });
    });
  }
  const replicaCount = haReplicas?.replicaCount;
  const request = { projectId, regionCode, addons, replicaCount, ...both };
  return reported(await session.client.services.create(request, limits));
}

type Answered = { id: string; value?: Service | undefined } & Pick<Service, "initialPassword">;

function reported({ id, value, initialPassword }: Answered): Created {
  return {
    id,
    value: value && reportedService(value),
    ...(initialPassword !== undefined && { shownOnce: { initialPassword } }),
  };
}
