// The table of VPCs.

import type { Turn } from "../../api/http/rate";
import { isRefusal } from "../../domain/errors";
import type { Kind } from "../../domain/kinds";
import { describeUnreadable, type Unreadable, unreadableOf } from "../../domain/listed";
import { conditionOfService, type Service } from "../service/inputs";
import { isSameWord } from "../../domain/sharedFields";
import { formatDuration, MINUTE_MS } from "../../domain/values/duration";
import { textOf } from "../../domain/values/value";
import { conditionOfVpc, vpcFields, type Vpc, type VpcInputs } from "./inputs";
import { vpcPlanner, type VpcStep } from "./plan";
import { reportedVpc, vpcsOf } from "./reported.definition";
import { peeringsIn, reportedPeering } from "../peering/definition";
import { DOUBT_MS, OLDEST_LOOK_MS } from "../../core/patience";
import { missedSince, presenceIn } from "../../core/presence";
import type { Container, Member, ReadMembers, ResourceDefinition } from "../../core/kind";
import { memberOf, sendStep } from "../../core/definitionHelpers";
import { reportedService } from "../service/reported.definition";
import type { ClientSession } from "../../core/createSession";
import type { Reported } from "../../core/reported";
import type { Reader } from "../../core/session";

export const vpc: ResourceDefinition<VpcInputs> = {
  kind: "vpc",
  noun: "VPC",
  fields: vpcFields,
  outputs: {},
  deadlinesMs: () => ({ create: 45 * MINUTE_MS, update: 45 * MINUTE_MS, delete: 45 * MINUTE_MS, read: 5 * MINUTE_MS }),

  statusNote: (state) => {
    const condition = conditionOfVpc({ status: textOf(state, "status") });
    const words = `has failed (${textOf(state, "status")}): changes to it fail until it is repaired in the console, and a change of \`cidr\` creates another one`;
    return condition === "failed" ? { condition, current: words, recorded: words } : { condition };
  },
  ...vpcPlanner,

  reader: vpcsOf,

  identity: (inputs) => `${inputs.name} (${inputs.cidr}, ${inputs.regionCode})`,
  createOperation: () => "createVpc",
  post: async (session: ClientSession, { cidr, name, regionCode }, scope, limits) => {
    const request = { projectId: scope.projectId, cidr, name, regionCode };
    const { id, value } = await session.client.vpcs.create(request, limits);
    return { id, value: value && reportedVpc(value, scope) };
  },

  send: async (session: ClientSession, step: VpcStep, vpcId, scope, limits) => {
    const ids = { projectId: scope.projectId, vpcId };
    const item = await sendStep<"vpcs", Vpc | void>(session.client.vpcs, step, ids, limits);
    return item ? reportedVpc(item, scope) : undefined;
  },
  deletion: { operation: "deleteVpc", isEmptied: true },
  remove: (session: ClientSession, vpcId, { projectId }, limits) =>
    session.client.vpcs.delete({ projectId, vpcId }, limits),
  members,
};

/** The rounds of one look: what is old at the end of one is read again in the next. */
const MOST_ROUNDS = 3;

/**
 * Reads what is in the VPC, for one delete of it. Services show their VPC; peerings are listed by VPC, and no documented status
 * shows that they are being deleted. A service that does not show where it is may be in any VPC of its region, and one that is
 * being changed may be about to enter any. What this run or its state knows and the list lacks is read by its id. A look takes
 * over from earlier ones only since when an id answers 404.
 */
function members({ session, id: vpcId, scope, idsInState, isRemoved }: Container): ReadMembers {
  const { projectId } = scope;
  const inVpc = { projectId, vpcId };
  const services = session.services(projectId);
  const { clock } = session;
  const startedMs = clock.now();
  /** Since when the ids of what lists lack answer 404. */
  const missedMs = new Map<string, number>();
  return async (deadlineMs, turn) => {
    const look: Look = { deadlineMs, turn, alone: new Map(), missed: new Set() };
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
      const { found, listedMs } = await membersNow(look);
      const isInUse = found === undefined || found.length > 0;
      if (isInUse || clock.now() - listedMs <= OLDEST_LOOK_MS) return found;
      // What was listed is old by then. It is read again, and so is each service whose row has changed.
    }
    const words = `services whose rows do not show where they are, and which take over ${formatDuration(OLDEST_LOOK_MS)} to read`;
    return [{ words, is: "moving" }];
  };

  async function membersNow(look: Look): Promise<{ found: Member[] | undefined; listedMs: number }> {
    const { alone, deadlineMs, turn } = look;
    const [own, peerings] = await Promise.all([
      session.vpcs(projectId).get(vpcId, { isAlone: true, deadlineMs, turn }),
      peeringsIn(session, inVpc, { deadlineMs, turn }).catch(notFoundError),
    ]);
    // Services move and peerings do not, so their list comes last. The answer of one round does not count for the next.
    const listed = await services.list({ maxAgeMs: session.pace.intervalMs / 2, deadlineMs, turn });
    const listedMs = clock.now();
    const isThere = own !== undefined && !isDeleted(reportedVpc(own, { projectId }));
    if (!isThere || peerings === undefined) return { found: undefined, listedMs };
    if (peerings instanceof Error) throw peerings;
    const found = [
      ...(await unlisted(look, "service", services, idsInState("service", { projectId }), unlistedService)),
      ...(await unlisted(look, "peering", session.peerings(projectId, vpcId), idsInState("peering", inVpc), (item) =>
        isDeleted(reportedPeering(item, inVpc)) ? undefined : memberOfIt(reportedPeering(item, inVpc)),
      )),
    ];
    for (const item of listed) {
      if (conditionOfService(item) === "settled" && placeIn(item, vpcId) === "elsewhere") continue;
      // API: a row may lag, or show another region, for a moment.
      const why = whyInside(await readAlone(item), item, own);
      if (why !== undefined) found.push(why);
    }
    const hidden = [...unreadableOf(listed).filter((item) => mayBeIn(vpcId, item)), ...unreadableOf(peerings)];
    found.push(...peerings.filter((item) => !isDeleted(item)).map(memberOfIt), ...hidden.map(unreadableMember));
    return { found, listedMs };

    /** One that a list shows and a read of its own misses may still be in the VPC. */
    async function readAlone(item: Service): Promise<Service> {
      const row = JSON.stringify([item.status, item.endpoint, item.connectionPooler]);
      const before = alone.get(item.serviceId);
      if (before?.row === row) {
        // A public address shows in the row that the service is in no VPC, and its own read may have shown in which one it is.
        const isElsewhere =
          before.item.vpcEndpoint?.vpcId !== undefined || !isSameWord(own?.regionCode, before.item.regionCode);
        const isShown = item.endpoint?.host !== undefined || isElsewhere;
        if (isShown || clock.now() - before.readMs <= OLDEST_LOOK_MS) return before.item;
      }
      const read = (await services.get(item.serviceId, { isAlone: true, deadlineMs, turn })) ?? item;
      alone.set(item.serviceId, { row, item: read, readMs: clock.now() });
      return read;
    }
  }

  /**
   * What was there, and its list lacks: what its id answers for, and what its id misses too, for less time than an absence
   * takes. Each look asks for it.
   */
  async function unlisted<O>(
    { deadlineMs, turn, missed }: Look,
    kind: Kind,
    reader: Reader<O>,
    known: readonly string[],
    asMember: (item: O) => Member | undefined,
  ): Promise<Member[]> {
    const ids = reader.missing(known).filter((id) => !isRemoved(`${kind}/${id} ${projectId}`));
    const found = ids.map(async (id) => {
      const item = missed.has(id) ? undefined : await reader.fetch(id, deadlineMs, turn);
      if (item !== undefined) {
        missedMs.delete(id);
        return asMember(item);
      }
      missed.add(id);
      const sinceMs = missedMs.get(id) ?? clock.now();
      missedMs.set(id, sinceMs);
      const absentMs = Math.max(sinceMs, reader.absentSinceMs(id) ?? sinceMs);
      if (missedSince(session, absentMs) !== undefined) return undefined;
      return { words: `${kind} ${id}, which was there and is not shown for a moment`, is: "moving" } as const;
    });
    return (await Promise.all(found)).filter((member) => member !== undefined);
  }

  /** The service as a member of the VPC; undefined if it is certainly in none or in another one, and stays there. */
  function whyInside(item: Service, row: Service, own: Vpc): Member | undefined {
    if (isDeleted(reportedService(item))) return undefined;
    const place = placeIn(item, vpcId);
    const member = memberIn(item);
    if (place === "inside") return member;
    const { words } = member;
    // Its own read may be the older of the two.
    if (placeIn(row, vpcId) === "inside") return { words: `${words}, which its list shows in it`, is: patient() };
    const condition = conditionOfService(item);
    // API: a service that is UNSTABLE takes no change.
    const mayEnter = condition === "pending" && item.status.toUpperCase() !== "UNSTABLE";
    // API: a service in a VPC has no public address.
    const isOutside = place === "elsewhere" || item.endpoint?.host !== undefined;
    if ((isOutside && !mayEnter) || !isSameWord(own.regionCode, item.regionCode)) return undefined;
    const why = mayEnter ? "which may be about to enter it" : "which may be in it: it does not show its VPC";
    return { words: `${words}, ${why}`, is: patient() };
  }

  function unlistedService(item: Service): Member | undefined {
    if (isDeleted(reportedService(item))) return undefined;
    if (conditionOfService(item) === "deleting" && placeIn(item, vpcId) === "elsewhere") return undefined;
    const { words } = memberIn(item);
    return { words: `${words}, which the list of services lacks although it answers by its id`, is: patient() };
  }

  function memberOfIt(item: Reported): Member {
    return memberOf(session, item, `vpc/${vpcId}`);
  }

  function memberIn(item: Service): Member {
    return memberOf(session, reportedService(item), `service/${item.serviceId}`);
  }

  /** What does not show where it is may do so soon. */
  function patient(): Member["is"] {
    return clock.now() - startedMs < DOUBT_MS.endsByItself ? "moving" : "staying";
  }
}

/** One look at what is in the VPC, in several rounds. */
interface Look {
  deadlineMs: number;
  turn: Turn | undefined;
  /** Services as their own reads show them, by id, with their rows in the list before. */
  alone: Map<string, { row: string; item: Service; readMs: number }>;
  /** What the list lacks, and a read by id has missed in this look. */
  missed: Set<string>;
}

/** Returns the error of a VPC that is not found, which its own read may explain; throws any other. */
function notFoundError(error: unknown): Error {
  if (isRefusal(error, "notFound")) return error;
  throw error;
}

function isDeleted(item: Reported): boolean {
  return presenceIn(item).is === "none";
}

/** Where a service shows that it is. */
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
