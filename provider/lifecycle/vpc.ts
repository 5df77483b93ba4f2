// VPCs, as the lifecycle sees them.

import { show } from "../domain/value";
import { isVpcFailed, isVpcGone, isVpcSettled, vpcFields, type Vpc, type VpcInputs } from "../domain/vpc";
import { fixedOfVpc, planVpc } from "../plan/vpc";
import type { Resource } from "./resource";

const MINUTE_MS = 60_000;

export const vpc: Resource<VpcInputs, Vpc> = {
  kind: "vpc",
  noun: "VPC",
  fields: vpcFields,
  isNamed: true,
  fixed: fixedOfVpc,
  addresses: [],
  undocumented: new Set(),
  deadlinesMs: () => ({ create: 45 * MINUTE_MS, update: 45 * MINUTE_MS, delete: 45 * MINUTE_MS, read: 5 * MINUTE_MS }),

  rules: () => ({ errors: [], warnings: [] }),
  plan: planVpc,

  place: (_values, projectId) => ({ projectId }),
  view: (session, { projectId }) => session.vpcs(projectId),
  present: (session, { projectId }, deadlineMs) => session.client.vpcs.list({ projectId }, { deadlineMs }),
  idOf: (item) => item.vpcId,
  describe: (item) => `VPC ${show(item.name)} (${item.vpcId}, ${item.cidr}, ${item.regionCode}${status(item)})`,
  statusOf: (item) => item.status ?? "CREATED",
  condition: (item) => {
    if (isVpcFailed(item.status)) return "failed";
    if (isVpcGone(item.status)) return "gone";
    return isVpcSettled(item.status) ? "settled" : "pending";
  },
  live: (item, { projectId }) => ({ cidr: item.cidr, name: item.name, regionCode: item.regionCode, projectId }),
  outputs: (item) => ({ status: item.status }),

  claim: (inputs) => `${inputs.name} (${inputs.cidr}, ${inputs.regionCode})`,
  isTwin: (inputs, item) =>
    item.name === inputs.name && item.cidr === inputs.cidr && item.regionCode === inputs.regionCode,
  createOperation: () => "createVpc",
  post: (session, { cidr, name, regionCode }, { projectId }, limits) =>
    session.client.vpcs.create({ projectId, cidr, name, regionCode }, limits),

  send: async (session, step, vpcId, { projectId }, limits) => {
    await session.client.vpcs.rename({ projectId, vpcId, name: String(step.request["name"]) }, limits);
  },
  lock: (id) => `vpc/${id}`,
  deleteOperation: "deleteVpc",
  remove: (session, vpcId, { projectId }, limits) => session.client.vpcs.delete({ projectId, vpcId }, limits),
};

function status(item: Vpc): string {
  return item.status === undefined ? "" : `, ${item.status}`;
}
