// The table of VPCs.

import { InputError, isRefusal } from "../../domain/errors";
import type { ShownInputs } from "../../domain/fields";
import { describeUnreadable, type Unreadable, unreadableOf } from "../../domain/listed";
import { isServiceOnItsWay, type Service } from "../service/inputs";
import { isSameWord } from "../../domain/sharedFields";
import { MINUTE_MS } from "../../domain/values/duration";
import { show, textOf, type Values, withoutUndefined } from "../../domain/values/value";
import { conditionOfVpc, isSameBlock, vpcFields, type Vpc, type VpcInputs } from "./inputs";
import { planVpc, vpcRows, type VpcStep } from "./plan";
import { peering, peeringsIn } from "../peering/lifecycle";
import { DOUBT_MS } from "../../lifecycle/session/confirmation";
import type { Member, ReadMembers, ResourceDefinition, Scope } from "../../lifecycle/resources/resource";
import { sendStep, memberOf } from "../../lifecycle/resources/sender";
import { memberOfVpc } from "../service/vpc.lifecycle";
import type { Session } from "../../lifecycle/session/session";
import type { ClientSession } from "../../lifecycle/session/createSession";

export const vpc: ResourceDefinition<VpcInputs, Vpc> = {
  kind: "vpc",
  noun: "VPC",
  fields: vpcFields,
  isNamed: true,
  rows: vpcRows,
  deadlinesMs: () => ({ create: 45 * MINUTE_MS, update: 45 * MINUTE_MS, delete: 45 * MINUTE_MS, read: 5 * MINUTE_MS }),

  trouble: troubleOf,
  attention: troubleOf,
  plan: planVpc,

  scope: (_values, projectId) => ({ projectId }),
  reader: (session, { projectId }) => session.vpcs(projectId),
  listAll: (session, { projectId }, options) => session.vpcs(projectId).list(options),
  idOf: (item) => item.vpcId,
  describe: (item) => `VPC ${show(item.name)} (${item.vpcId}, ${item.cidr}, ${item.regionCode}${status(item)})`,
  statusOf: (item) => item.status ?? "CREATED",
  showsCondition: (item) => item.status !== undefined,
  condition: conditionOfVpc,
  live: (item, { projectId }) => {
    const { cidr, name, regionCode } = item;
    const shown: ShownInputs<VpcInputs, typeof vpcFields> = { cidr, name, regionCode, projectId };
    return withoutUndefined(shown);
  },
  outputs: (item) => ({ status: item.status }),

  identity: (inputs) => `${inputs.name} (${inputs.cidr}, ${inputs.regionCode})`,
  nameOf: (inputs) => inputs.name,
  isDuplicate: (inputs, item) =>
    item.name === inputs.name && isSameBlock(item.cidr, inputs.cidr) && isSameWord(item.regionCode, inputs.regionCode),
  beforeCreate: refuseToLeaveServices,
  createOperation: () => "createVpc",
  post: (session: ClientSession, { cidr, name, regionCode }, { projectId }, limits) =>
    session.client.vpcs.create({ projectId, cidr, name, regionCode }, limits),

  send: (session: ClientSession, step: VpcStep, vpcId, { projectId }, limits) =>
    sendStep<"vpcs", Vpc | void>(session.client.vpcs, step, { projectId, vpcId }, limits),
  lock: (id) => `vpc/${id}`,
  deletion: { operation: "deleteVpc", isEmptied: true },
  remove: (session: ClientSession, vpcId, { projectId }, limits) =>
    session.client.vpcs.delete({ projectId, vpcId }, limits),
  members,
};

/**
 * Reads what is in the VPC, for one delete of it. Services show their VPC; peerings are listed by VPC, and no status shows
 * that they are being deleted. A service that does not show its VPC may be in any. One that is being changed may be about
 * to enter any, until it was seen settled somewhere else since the delete began.
 */
function members(session: Session, vpcId: string, { projectId }: Scope): ReadMembers {
  const inVpc = { projectId, vpcId };
  const services = session.services(projectId);
  const { clock } = session;
  const startedMs = clock.now();
  const elsewhere = new Set<string>();
  return async (deadlineMs, turn) => {
    const [own, listed, peerings] = await Promise.all([
      session.vpcs(projectId).fetch(vpcId, deadlineMs, turn),
      // The answer of one round does not count for the next.
      services.list({ maxAgeMs: session.pace.intervalMs / 2, deadlineMs, turn }),
      peeringsIn(session, inVpc, { deadlineMs, turn }).catch(notFoundError),
    ]);
    if (own === undefined || peerings === undefined) return undefined;
    if (peerings instanceof Error) throw peerings;
    const found: Member[] = [];
    for (const item of listed) {
      const { serviceId } = item;
      // What is being changed counts without its VPC, and what is being deleted does not count.
      const isMoving = isServiceOnItsWay(item.status) || memberOfVpc.condition(item) === "deleting";
      const isShown = isMoving || placeIn(item, vpcId) !== "hidden";
      // Right before the delete each of them is read again: somebody may have attached it since.
      const isKnown = elsewhere.has(serviceId) && turn === undefined;
      // One that a list shows and a read of its own misses may still be in the VPC.
      const seen = isShown || isKnown ? item : ((await services.fetch(serviceId, deadlineMs, turn)) ?? item);
      const place = placeIn(seen, vpcId);
      const member = memberOf(session, memberOfVpc, seen, { projectId });
      if (place === "inside") found.push(member);
      else if (elsewhere.has(serviceId)) continue;
      else if (memberOfVpc.condition(seen) !== "settled") {
        if (!isServiceOnItsWay(seen.status) || !isSameWord(own.regionCode, seen.regionCode)) continue;
        const is = clock.now() - startedMs < DOUBT_MS.inUse ? "moving" : "staying";
        found.push({ words: `${member.words}, which may be about to enter it`, is });
      } else if (place === "elsewhere") elsewhere.add(serviceId);
      else found.push({ words: `${member.words}, which may be in it: it does not show its VPC`, is: "staying" });
    }
    return [
      ...found,
      ...peerings.map((item) => memberOf(session, peering, item, inVpc)),
      ...[...unreadableOf(listed).filter((item) => mayBeIn(vpcId, item)), ...unreadableOf(peerings)].map(
        unreadableMember,
      ),
    ];
  };
}

/** Returns the error of a VPC that is not found, which its own read may explain; throws any other. */
function notFoundError(error: unknown): Error {
  if (isRefusal(error, "notFound")) return error;
  throw error;
}

/** Where a service is. A change under way hides that it is in no VPC. */
function placeIn({ vpcEndpoint }: Service, vpcId: string): "inside" | "elsewhere" | "hidden" {
  if (vpcEndpoint === null) return "elsewhere";
  if (vpcEndpoint?.vpcId === undefined) return "hidden";
  return vpcEndpoint.vpcId === vpcId ? "inside" : "elsewhere";
}

/** What cannot be read may be in any VPC, unless it shows in which one it is. */
function mayBeIn(id: string, { vpcId }: Unreadable): boolean {
  return vpcId === undefined || vpcId === id;
}

function unreadableMember(item: Unreadable): Member {
  return { words: `an entry that cannot be read and may be in it, ${describeUnreadable(item)}`, is: "staying" };
}

/** A region change creates a new VPC there. Services cannot follow it, so it is refused before any call. */
async function refuseToLeaveServices(
  session: Session,
  { regionCode }: VpcInputs,
  { projectId }: Scope,
  predecessorIds: readonly string[],
): Promise<void> {
  for (const predecessorId of predecessorIds) {
    const old = await session.vpcs(projectId).get(predecessorId);
    if (old === undefined || isSameWord(old.regionCode, regionCode)) continue;
    const services = session.services(projectId);
    const near = (await services.list({ maxAgeMs: session.pace.intervalMs })).filter((item) =>
      isSameWord(item.regionCode, old.regionCode),
    );
    const placed = near.map(async (row) => {
      const isShown = placeIn(row, predecessorId) !== "hidden";
      const item = isShown ? row : ((await services.get(row.serviceId, { isAlone: true })) ?? row);
      const place = placeIn(item, predecessorId);
      const mayBeInside = place === "hidden" && memberOfVpc.condition(item) === "settled";
      if (place !== "inside" && !mayBeInside) return [];
      return `${show(row.name)} (${row.serviceId}${mayBeInside ? ", which does not show its VPC" : ""})`;
    });
    const names = (await Promise.all(placed)).flat().join(", ");
    if (names === "") continue;
    throw new InputError(
      "vpc-cannot-move",
      "regionCode",
      `regionCode: VPC ${show(old.name)} (${predecessorId}) cannot move from ${old.regionCode} to ${regionCode}, because services are attached that stay in their region: ${names}; nothing was changed`,
      "Remove `vpcId` from these services and run `pulumi up` first, or declare a second VPC in the new region.",
    );
  }
}

function troubleOf(state: Values): string | undefined {
  const word = textOf(state, "status");
  if (conditionOfVpc({ status: word }) !== "failed") return undefined;
  return `has failed (${word}): changes to it fail until it is repaired in the console, and a change of \`cidr\` creates another one`;
}

function status(item: Vpc): string {
  return (item.status ?? undefined) === undefined ? "" : `, ${item.status}`;
}
