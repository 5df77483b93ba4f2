// The table of peerings. No input changes in place; a failed peering is replaced, and the old one is deleted first.

import { isRefusal } from "../../domain/errors";
import { lacks, type Listed } from "../../domain/listed";
import {
  conditionOfPeering,
  isPeeringActive,
  isPeeringAwaited,
  peeringFields,
  type Peering,
  type PeeringInputs,
} from "./inputs";
import { isSameWord } from "../../domain/sharedFields";
import { MINUTE_MS } from "../../domain/values/duration";
import { show, textOf } from "../../domain/values/value";
import { conditionOfVpc } from "../vpc/inputs";
import { planPeering } from "./plan";
import type { BusyWith, ResourceDefinition, Scope } from "../../core/kind";
import { busyUntilSettled, noSuchObject } from "../../core/definitionHelpers";
import type { ListOptions, Session, Reader } from "../../core/session";
import type { ClientSession } from "../../core/createSession";

export const peering: ResourceDefinition<PeeringInputs, Peering> = {
  kind: "peering",
  noun: "peering",
  fields: peeringFields,
  isNamed: false,
  replacementEffect:
    "the new one has another `provisionedId`, and carries no traffic until the peer's account accepts it",
  parentKey: "vpcId",
  rows: {},
  deadlinesMs: () => ({ create: 15 * MINUTE_MS, update: 15 * MINUTE_MS, delete: 45 * MINUTE_MS, read: 5 * MINUTE_MS }),
  trouble: (state) => {
    const status = textOf(state, "status");
    const errorMessage = textOf(state, "errorMessage");
    if (conditionOfPeering({ status, errorMessage }) === "settled") return undefined;
    return `has failed (${[status, errorMessage].filter((word) => word !== undefined).join(": ")})`;
  },
  isTroubledForGood: true,

  attention: (state) => {
    const { peerAccountId, peerRegionCode, provisionedId } = state;
    const status = textOf(state, "status");
    const condition = conditionOfPeering({ status, errorMessage: textOf(state, "errorMessage") });
    if (isPeeringActive(status) || condition === "failed") return undefined;
    // The cloud has words of its own for one that the peer has rejected, let expire, or deleted: no account can revive it.
    if (status !== undefined && !isPeeringAwaited(status)) {
      return `is ${show(status)} and carries no traffic; if account ${show(peerAccountId)} has rejected it, let it expire or deleted it, replace it: \`pulumi up --replace\` with its URN`;
    }
    if (provisionedId === undefined) return undefined;
    return `carries no traffic until account ${show(peerAccountId)} accepts ${show(provisionedId)} in ${show(peerRegionCode)}`;
  },

  plan: planPeering,

  scope: (values, projectId) => ({ projectId, vpcId: textOf(values, "vpcId") }),
  reader,
  // API: for some seconds a server may list no peerings, and not show their VPC.
  listAll: async (session, scope, options) => {
    const { deadlineMs = session.clock.now() } = options;
    const vpc = await session.vpcs(scope.projectId).get(vpcOf(scope), { deadlineMs });
    return vpc && peeringsIn(session, scope, options);
  },
  idOf: (item) => item.peeringId,
  describe: (item) =>
    `a peering with ${item.peerVpcId} of account ${item.peerAccountId} in ${item.peerRegionCode} (${item.peeringId}, ${item.status ?? "no status"})`,
  statusOf: ({ status = "no status", errorMessage }) =>
    errorMessage && !isPeeringActive(status) ? `${status}: ${errorMessage}` : status,
  showsCondition: ({ errorMessage }) => errorMessage !== undefined,
  condition: conditionOfPeering,
  live: (item, scope) => ({
    vpcId: vpcOf(scope),
    peerAccountId: item.peerAccountId,
    peerRegionCode: item.peerRegionCode,
    peerVpcId: item.peerVpcId,
    projectId: scope.projectId,
  }),
  outputs: ({ status, provisionedId, errorMessage }) => ({ status, provisionedId, errorMessage }),

  identity: (inputs) =>
    `between VPC ${inputs.vpcId} and ${inputs.peerVpcId} of account ${inputs.peerAccountId} in ${inputs.peerRegionCode}`,
  nameOf: (inputs) => inputs.peerVpcId,
  isDuplicate: (inputs, item) =>
    item.peerAccountId === inputs.peerAccountId &&
    isSameWord(item.peerRegionCode, inputs.peerRegionCode) &&
    item.peerVpcId === inputs.peerVpcId,
  createOperation: () => "createPeering",
  createParent: (session, _inputs, scope) => ({ lock: lockOf(scope), isPart: true, ...vpcIn(session, scope) }),
  keptBusyBy: vpcIn,
  post: (session: ClientSession, { peerAccountId, peerRegionCode, peerVpcId }, scope, limits) => {
    const { projectId } = scope;
    const request = { projectId, vpcId: vpcOf(scope), peerAccountId, peerRegionCode, peerVpcId };
    return session.client.peerings.create(request, limits);
  },
  readiness: {
    missing: ({ waitFor = "provisioned" }, item) => {
      if (waitFor === "provisioned" && item.provisionedId === undefined) return "no provisioned_id yet";
      if (waitFor === "active" && !isPeeringActive(item.status)) return "not accepted by the peer yet";
      return undefined;
    },
    occupies: ({ waitFor }, item) =>
      waitFor === "none" || item.provisionedId !== undefined ? undefined : "no provisioned_id yet",
  },

  send: () => Promise.resolve(undefined),
  lock: (_id, scope) => lockOf(scope),
  deletion: { operation: "deletePeering" },
  remove: (session: ClientSession, peeringId, scope, limits) =>
    session.client.peerings.delete({ projectId: scope.projectId, vpcId: vpcOf(scope), peeringId }, limits),
};

/** A create first lists the peerings of its VPC, which gives a specific error for a missing VPC. */
function reader(session: Session, scope: Scope): Reader<Peering> {
  const { projectId } = scope;
  const vpcId = vpcOf(scope);
  return {
    ...session.peerings(projectId, vpcId),
    list: async (options = {}) => {
      const peerings = await peeringsIn(session, scope, options);
      if (peerings === undefined) throw noSuchObject("vpc", "vpcId", { id: vpcId, projectId });
      return peerings;
    },
  };
}

/** Undefined if the project's list lacks the VPC, and its own read too. */
export async function peeringsIn(
  session: Session,
  scope: Scope,
  options: ListOptions,
): Promise<Listed<Peering> | undefined> {
  const { projectId } = scope;
  const vpcId = vpcOf(scope);
  const vpcs = session.vpcs(projectId);
  try {
    return await session.peerings(projectId, vpcId).list(options);
  } catch (error) {
    if (!isRefusal(error, "notFound")) throw error;
    if (!lacks(await vpcs.list(options), vpcId, (vpc) => vpc.vpcId)) throw error;
    const { deadlineMs = session.clock.now(), turn } = options;
    if ((await vpcs.fetch(vpcId, deadlineMs, turn)) !== undefined) throw error;
    return undefined;
  }
}

function vpcOf(scope: Scope): string {
  return scope.vpcId ?? "";
}

function vpcIn(session: Session, scope: Scope): BusyWith {
  return busyUntilSettled(session.vpcs(scope.projectId), vpcOf(scope), conditionOfVpc);
}

/** One change at a time per VPC, its peerings included. */
function lockOf(scope: Scope): string {
  return `vpc/${vpcOf(scope)}`;
}
