// The table of peerings. No input changes in place; a failed peering is replaced, and the old one is deleted first.

import { isRefusal } from "../../domain/errors";
import { isWhole, lacks, type Listed } from "../../domain/listed";
import { peeringFields, type Peering, type PeeringInputs } from "./inputs";
import { MINUTE_MS } from "../../domain/values/duration";
import { show, textOf } from "../../domain/values/value";
import { vpcsOf } from "../vpc/reported.definition";
import { createPlanner } from "../../plan/planner";
import type { AnyCall } from "../../plan/step";
import type { ResourceDefinition, Scope } from "../../core/kind";
import type { Reported } from "../../core/reported";
import { noSuchObject, reportedBy } from "../../core/definitionHelpers";
import { presenceIn } from "../../core/presence";
import { parentIn } from "../../core/state";
import type { ListOptions, Session, Reader } from "../../core/session";
import type { ClientSession } from "../../core/createSession";

export const peering: ResourceDefinition<PeeringInputs> = {
  kind: "peering",
  noun: "peering",
  fields: peeringFields,
  outputs: {},
  replacementEffect:
    "the new one has another `provisionedId`, and carries no traffic until the peer's account accepts it",
  parent: { kind: "vpc", noun: "VPC", key: "vpcId", whenMoved: "then this one is replaced, too", reader: vpcsOf },
  deadlinesMs: () => ({ create: 15 * MINUTE_MS, update: 15 * MINUTE_MS, delete: 45 * MINUTE_MS, read: 5 * MINUTE_MS }),
  statusNote: ({ peerAccountId, peerRegionCode, provisionedId, ...state }) => {
    const status = textOf(state, "status");
    const errorMessage = textOf(state, "errorMessage");
    const condition = conditionOfPeering({ status, errorMessage });
    if (condition === "failed") {
      return {
        condition,
        failure: `has failed (${[status, errorMessage].filter((word) => word !== undefined).join(": ")})`,
      };
    }
    if (isPeeringActive(status)) return { condition };
    // The cloud has words of its own for one that the peer has rejected, let expire, or deleted: no account can revive it.
    if (status !== undefined && !isPeeringAwaited(status)) {
      const current = `is ${show(status)} and carries no traffic; if account ${show(peerAccountId)} has rejected it, let it expire or deleted it, replace it: \`pulumi up --replace\` with its URN`;
      return { condition, current };
    }
    const where = `${show(provisionedId)} in ${show(peerRegionCode)}`;
    const current = `carries no traffic until account ${show(peerAccountId)} accepts ${where}`;
    return provisionedId === undefined ? { condition } : { condition, current };
  },

  // The API cannot change a peering.
  ...createPlanner<PeeringInputs, AnyCall>({}, peeringFields),

  reader,
  // API: for some seconds a server may list no peerings, and not show their VPC.
  listAll: async (session, scope, options) => {
    const { deadlineMs = session.clock.now() } = options;
    // A list that shows the VPC is no sign that reads by an id answer.
    const vpc = await session.vpcs(scope.projectId).get(vpcOf(scope), { ...options, deadlineMs, isAlone: true });
    return vpc && peeringsIn(session, scope, options);
  },

  identity: (inputs) =>
    `between VPC ${inputs.vpcId} and ${inputs.peerVpcId} of account ${inputs.peerAccountId} in ${inputs.peerRegionCode}`,
  createOperation: () => "createPeering",
  post: async (session: ClientSession, { peerAccountId, peerRegionCode, peerVpcId }, scope, limits) => {
    const { projectId } = scope;
    const request = { projectId, vpcId: vpcOf(scope), peerAccountId, peerRegionCode, peerVpcId };
    const { id, value } = await session.client.peerings.create(request, limits);
    return { id, value: value && reportedPeering(value, scope) };
  },

  send: () => Promise.resolve(undefined),
  deletion: { operation: "deletePeering" },
  remove: (session: ClientSession, peeringId, scope, limits) =>
    session.client.peerings.delete({ projectId: scope.projectId, vpcId: vpcOf(scope), peeringId }, limits),
};

export function reportedPeering(item: Peering, scope: Scope): Reported {
  const { peeringId: id, peerAccountId, peerRegionCode, peerVpcId, status, provisionedId, errorMessage } = item;
  const word = status ?? "no status";
  const condition = conditionOfPeering(item);
  const unprovisioned = provisionedId === undefined ? "no provisioned_id yet" : undefined;
  return {
    id,
    name: peerVpcId,
    // API: the message stays when the peering becomes active, or is deleted.
    status: errorMessage && condition === "failed" ? `${word}: ${errorMessage}` : word,
    condition,
    showsCondition: errorMessage !== undefined,
    isWhole: isWhole(item),
    live: () => ({ vpcId: vpcOf(scope), peerAccountId, peerRegionCode, peerVpcId, projectId: scope.projectId }),
    outputs: () => ({ status, provisionedId, errorMessage }),
    describe: () => `a peering with ${peerVpcId} of account ${peerAccountId} in ${peerRegionCode} (${id}, ${word})`,
    lacks({ waitFor = "provisioned" }) {
      if (waitFor === "none") return {};
      const inactive = isPeeringActive(status) ? undefined : "not accepted by the peer yet";
      return { parent: unprovisioned, dependents: waitFor === "active" ? inactive : unprovisioned };
    },
  };
}

/** A create first lists the peerings of its VPC, which gives a specific error for a missing VPC. */
function reader(session: Session, scope: Scope): Reader<Reported> {
  const { projectId } = scope;
  const vpcId = vpcOf(scope);
  return {
    ...peeringsOf(session, scope),
    list: async (options = {}) => {
      const peerings = await peeringsIn(session, scope, options);
      if (peerings === undefined) throw noSuchObject("vpc", "vpcId", { id: vpcId, projectId });
      return peerings;
    },
  };
}

/** Undefined if the VPC is shown as DELETED, or the project's list lacks it and its own read too. */
export async function peeringsIn(
  session: Session,
  scope: Scope,
  options: ListOptions,
): Promise<Listed<Reported> | undefined> {
  const { projectId } = scope;
  const vpcId = vpcOf(scope);
  try {
    return await peeringsOf(session, scope).list(options);
  } catch (error) {
    if (!isRefusal(error, "notFound")) throw error;
    const vpcs = vpcsOf(session, { projectId });
    const list = await vpcs.list(options);
    const { deadlineMs = session.clock.now(), turn } = options;
    const own = await vpcs.fetch(vpcId, deadlineMs, turn);
    if (own === undefined ? !lacks(list, vpcId, ({ id }) => id) : presenceIn(own).is === "shown") throw error;
    return undefined;
  }
}

function peeringsOf(session: Session, scope: Scope): Reader<Reported> {
  return reportedBy(session.peerings(scope.projectId, vpcOf(scope)), (item) => reportedPeering(item, scope));
}

function vpcOf(scope: Scope): string {
  return parentIn(scope, "vpcId");
}

/**
 * A failed peering never becomes active; only a new one helps. The documented statuses show no delete.
 * API: the message shows a failure in any status, except that it is out of date beside "active".
 */
function conditionOfPeering({
  status = "",
  errorMessage,
}: Pick<Peering, "status" | "errorMessage">): "settled" | "failed" | "deleting" {
  const word = status.toUpperCase();
  if (["DELETING", "DELETED"].includes(word)) return "deleting";
  if (["INVALID", "TIMEOUT", "DISABLED", "FAILED", "ERROR"].includes(word)) return "failed";
  return errorMessage && !isPeeringActive(status) ? "failed" : "settled";
}

/** The statuses on the way to active, as far as they are known: `PENDING`, `pending-acceptance`. */
function isPeeringAwaited(status: string): boolean {
  return /^(?:PENDING|APPROVED|PROVISIONING|INITIATING|CREATING)(?![A-Z])/i.test(status);
}

function isPeeringActive(status: string | undefined): boolean {
  return status?.toUpperCase() === "ACTIVE";
}
