// Peerings, as the lifecycle sees them. Nothing about one changes in place; a failed one is replaced, the old one first.

import { ApiError, InputError } from "../../domain/errors";
import { listed, type Listed, mayHold } from "../../domain/listed";
import {
  isPeeringActive,
  isPeeringFailed,
  peeringFields,
  type Peering,
  type PeeringInputs,
} from "../../domain/peering";
import { show, textOf } from "../../domain/values/value";
import { isVpcSettled } from "../../domain/vpc";
import { fixedOfPeering, planPeering } from "../../plan/peering";
import type { View } from "../session/sharedReader";
import type { Host, Place, ResourceDefinition } from "./resource";
import type { Session } from "../session/session";

const MINUTE_MS = 60_000;

export const peering: ResourceDefinition<PeeringInputs, Peering> = {
  kind: "peering",
  noun: "peering",
  fields: peeringFields,
  isNamed: false,
  fixed: fixedOfPeering,
  parentKey: "vpcId",
  addresses: [],
  undocumented: new Set(),
  deadlinesMs: () => ({ create: 15 * MINUTE_MS, update: 15 * MINUTE_MS, delete: 45 * MINUTE_MS, read: 5 * MINUTE_MS }),
  mustReplace: (state) => {
    const status = textOf(state, "status");
    const message = textOf(state, "errorMessage");
    if (!hasFailed(status, message)) return undefined;
    return `has failed (${[status, message].filter((word) => word !== undefined).join(": ")})`;
  },

  rules: () => ({ errors: [], warnings: [] }),
  plan: planPeering,

  place: (values, projectId) => ({ projectId, vpcId: textOf(values, "vpcId") }),
  view,
  present,
  idOf: (item) => item.peeringId,
  describe: (item) =>
    `a peering with ${item.peerVpcId} of account ${item.peerAccountId} in ${item.peerRegionCode} (${item.peeringId}, ${item.status ?? "no status"})`,
  statusOf: (item) => item.status ?? "no status",
  condition: (item) => {
    return hasFailed(item.status, item.errorMessage) ? "failed" : "settled";
  },
  failure: (item) => item.errorMessage,
  live: (item, place) => ({
    vpcId: vpcOf(place),
    peerAccountId: item.peerAccountId,
    peerRegionCode: item.peerRegionCode,
    peerVpcId: item.peerVpcId,
    projectId: place.projectId,
  }),
  outputs: ({ status, provisionedId, errorMessage }) => ({
    status,
    provisionedId,
    errorMessage: errorMessage === "" ? undefined : errorMessage,
  }),

  claim: (inputs) => `${inputs.vpcId} with ${inputs.peerVpcId} of ${inputs.peerAccountId} in ${inputs.peerRegionCode}`,
  nameOf: (inputs) => inputs.peerVpcId,
  isTwin: (inputs, item) =>
    item.peerAccountId === inputs.peerAccountId &&
    item.peerRegionCode === inputs.peerRegionCode &&
    item.peerVpcId === inputs.peerVpcId,
  createOperation: () => "createPeering",
  createHost: (session, _inputs, place) => ({ lock: lockOf(place), isPart: true, ...vpcIn(session, place) }),
  keptBusyBy: vpcIn,
  post: (session, { peerAccountId, peerRegionCode, peerVpcId }, place, limits) => {
    const { projectId } = place;
    const request = { projectId, vpcId: vpcOf(place), peerAccountId, peerRegionCode, peerVpcId };
    return session.client.peerings.create(request, limits);
  },
  missing: ({ waitFor = "provisioned" }, item) => {
    if (waitFor === "provisioned" && item.provisionedId === undefined) return "no provisioned_id yet";
    if (waitFor === "active" && !isPeeringActive(item.status)) return "not accepted by the peer yet";
    return undefined;
  },
  occupies: ({ waitFor }, item) =>
    waitFor === "none" || item.provisionedId !== undefined ? undefined : "no provisioned_id yet",

  send: () => Promise.resolve(undefined),
  lock: (_id, place) => lockOf(place),
  deleteOperation: "deletePeering",
  remove: (session, peeringId, place, limits) =>
    session.client.peerings.delete({ projectId: place.projectId, vpcId: vpcOf(place), peeringId }, limits),
};

/** The list of a VPC's peerings is what a create asks for first: where the VPC is missing, that is said. */
function view(session: Session, place: Place): View<Peering> {
  const peerings = session.peerings(place.projectId, vpcOf(place));
  return {
    ...peerings,
    all: (options) =>
      peerings.all(options).catch(async (error: unknown) => {
        const isMissing = error instanceof ApiError && error.category === "notFound";
        throw isMissing ? await explainMissing(session, place, error) : error;
      }),
  };
}

async function explainMissing(session: Session, place: Place, error: ApiError): Promise<Error> {
  const vpcId = vpcOf(place);
  const vpcs = await session.vpcs(place.projectId).all({ maxAgeMs: session.pace.intervalMs });
  if (mayHold(vpcs, vpcId) || vpcs.some((item) => item.vpcId === vpcId)) return error;
  return new InputError(
    "vpcId",
    `vpcId: there is no VPC ${show(vpcId)} in project ${place.projectId}; nothing was created`,
    "Give the id of a VPC of this project: `vpcId` of a resource, or what `getVpc({ name })` finds.",
  );
}

function vpcOf(place: Place): string {
  return place.vpcId ?? "";
}

function vpcIn(session: Session, place: Place): Pick<Host, "isIdle"> {
  return {
    isIdle: async (inMs, deadlineMs) => {
      const vpc = await session.vpcs(place.projectId).next(vpcOf(place), inMs, deadlineMs);
      return vpc === undefined || isVpcSettled(vpc.status);
    },
  };
}

/** One change at a time per VPC, its peerings included. */
function lockOf(place: Place): string {
  return `vpc/${vpcOf(place)}`;
}

/** API: the message tells of a failure whatever the word is; beside "active" it is an old story. */
function hasFailed(status: string | undefined, errorMessage: string | undefined): boolean {
  if (isPeeringFailed(status)) return true;
  return errorMessage !== undefined && errorMessage !== "" && !isPeeringActive(status);
}

/** A VPC that is gone by its project's list has taken its peerings with it. */
async function present(session: Session, place: Place, deadlineMs: number): Promise<Listed<Peering>> {
  const { projectId } = place;
  const vpcId = vpcOf(place);
  try {
    return await session.client.peerings.list({ projectId, vpcId }, { deadlineMs });
  } catch (error) {
    if (!(error instanceof ApiError) || error.category !== "notFound") throw error;
    const vpcs = await session.client.vpcs.list({ projectId }, { deadlineMs });
    if (mayHold(vpcs, vpcId) || vpcs.some((item) => item.vpcId === vpcId)) throw error;
    return listed([]);
  }
}
