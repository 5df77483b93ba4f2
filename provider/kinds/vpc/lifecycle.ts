// The table of VPCs.

import type { Turn } from "../../api/http/rate";
import { isRefusal } from "../../domain/errors";
import type { ShownInputs } from "../../domain/fields";
import { describeUnreadable, type Unreadable, unreadableOf } from "../../domain/listed";
import { isServiceOnItsWay, type Service } from "../service/inputs";
import { isSameWord } from "../../domain/sharedFields";
import { MINUTE_MS } from "../../domain/values/duration";
import { show, textOf, type Values, withoutUndefined } from "../../domain/values/value";
import { conditionOfVpc, isSameBlock, vpcFields, type Vpc, type VpcInputs } from "./inputs";
import { planVpc, vpcRows, type VpcStep } from "./plan";
import { peering, peeringsIn } from "../peering/lifecycle";
import { DOUBT_MS, OLDEST_LOOK_MS } from "../../lifecycle/session/confirmation";
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
    const alone: ReadAlone = new Map();
    for (;;) {
      const { found, aloneMs } = await membersNow(alone, deadlineMs, turn);
      const isInUse = found === undefined || found.some(({ is }) => is !== "deleting");
      if (turn === undefined || isInUse || aloneMs <= OLDEST_LOOK_MS) return found;
      // What was listed is old by then. It is read again, and so is each service whose row has changed.
      if (clock.now() >= deadlineMs) return [{ words: "a service that changes while it is read", is: "moving" }];
    }
  };

  async function membersNow(
    alone: ReadAlone,
    deadlineMs: number,
    turn: Turn | undefined,
  ): Promise<{ found: Member[] | undefined; aloneMs: number }> {
    const [own, listed, peerings] = await Promise.all([
      session.vpcs(projectId).fetch(vpcId, deadlineMs, turn),
      // The answer of one round does not count for the next.
      services.list({ maxAgeMs: session.pace.intervalMs / 2, deadlineMs, turn }),
      peeringsIn(session, inVpc, { deadlineMs, turn }).catch(notFoundError),
    ]);
    if (own === undefined || peerings === undefined) return { found: undefined, aloneMs: 0 };
    if (peerings instanceof Error) throw peerings;
    const listedMs = clock.now();
    const found: Member[] = [];
    for (const item of listed) {
      const { serviceId } = item;
      // What is being changed counts without its VPC, and what is being deleted does not count.
      const isMoving = isServiceOnItsWay(item.status) || memberOfVpc.condition(item) === "deleting";
      const isShown = isMoving || placeIn(item, vpcId) !== "hidden";
      // Right before the delete each of them is read again: somebody may have attached it since.
      const isKnown = elsewhere.has(serviceId) && turn === undefined;
      const seen = isShown || isKnown ? item : await readAlone(item);
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
    const aloneMs = clock.now() - listedMs;
    const hidden = [...unreadableOf(listed).filter((item) => mayBeIn(vpcId, item)), ...unreadableOf(peerings)];
    found.push(...peerings.map((item) => memberOf(session, peering, item, inVpc)), ...hidden.map(unreadableMember));
    return { found, aloneMs };

    /** One that a list shows and a read of its own misses may still be in the VPC. */
    async function readAlone(item: Service): Promise<Service> {
      const row = JSON.stringify([item.status, item.endpoint, item.connectionPooler]);
      const before = alone.get(item.serviceId);
      if (before?.row === row) return before.item;
      const read = (await services.fetch(item.serviceId, deadlineMs, turn)) ?? item;
      alone.set(item.serviceId, { row, item: read });
      return read;
    }
  }
}

/** Services as their own reads show them, by id, with their rows in the list before. */
type ReadAlone = Map<string, { row: string; item: Service }>;

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

function troubleOf(state: Values): string | undefined {
  const word = textOf(state, "status");
  if (conditionOfVpc({ status: word }) !== "failed") return undefined;
  return `has failed (${word}): changes to it fail until it is repaired in the console, and a change of \`cidr\` creates another one`;
}

function status(item: Vpc): string {
  return (item.status ?? undefined) === undefined ? "" : `, ${item.status}`;
}
