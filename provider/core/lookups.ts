// Lookups for programs: they read what exists now and change nothing. This file knows nothing of Pulumi.

import { formatDuration } from "../domain/values/duration";
import { ContractError, InputError } from "../domain/errors";
import { checkLogQuery } from "../domain/logQuery";
import type {
  GetServiceResult,
  Logs,
  Lookups,
  ProjectScope,
  ServiceLogEntry,
  ServiceLogsArgs,
} from "../domain/lookups";
import { describeUnreadable, listed, type Listed } from "../domain/listed";
import { connectionUri, isComplete, plainAddresses } from "../domain/endpoint";
import type { Condition } from "../domain/fields";
import { conditionOfService, type Service } from "../kinds/service/inputs";
import { show } from "../domain/values/value";
import { setsOf } from "../kinds/readReplicaSet/definition";
import { conditionOfVpc } from "../kinds/vpc/inputs";
import type { ClientSession } from "./createSession";
import type { Readers } from "./session";
import { ask, afterPause } from "./wait";

/** The part of a session that lookups need. */
type LookupSession = Pick<ClientSession, "client" | "clock" | "projectId" | keyof Readers>;

/** Longest time without an entry: a server may scan a long range page by page. */
const EMPTY_MS = 120_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

export function lookups(session: LookupSession): Lookups & Logs {
  const { client } = session;
  const projectOf = async ({ projectId }: ProjectScope): Promise<string> => projectId ?? (await session.projectId());
  return {
    getProjects: () => client.projects.list(),
    async getVpc(args) {
      const wanted = idOrName("getVpc", "vpcId", args.vpcId, args.name);
      const projectId = await projectOf(args);
      if ("id" in wanted) return client.vpcs.get({ projectId, vpcId: wanted.id });
      return onlyOne(
        "getVpc",
        ["VPC", conditionOfVpc, ({ vpcId }) => vpcId],
        await session.vpcs(projectId).list(),
        wanted.name,
        projectId,
      );
    },
    getVpcs: async (args) => session.vpcs(await projectOf(args)).list(),
    getPeering: async (args) =>
      client.peerings.get({ projectId: await projectOf(args), vpcId: args.vpcId, peeringId: args.peeringId }),
    getPeerings: async (args) => session.peerings(await projectOf(args), args.vpcId).list(),
    async getService(args) {
      const wanted = idOrName("getService", "serviceId", args.serviceId, args.name);
      const projectId = await projectOf(args);
      if ("id" in wanted) return withoutPassword(await client.services.get({ projectId, serviceId: wanted.id }));
      return withoutPassword(
        onlyOne(
          "getService",
          ["service", conditionOfService, ({ serviceId }) => serviceId],
          await session.services(projectId).list(),
          wanted.name,
          projectId,
        ),
      );
    },
    async getServices(args) {
      const all = await session.services(await projectOf(args)).list();
      return listed(all.map(withoutPassword), all.unreadable);
    },
    async getReadReplicaSets(args) {
      const parent = await client.services.get({ projectId: await projectOf(args), serviceId: args.serviceId });
      return setsOf(session, parent, {});
    },
    async *serviceLogs(args) {
      const { limit = Infinity, ...given } = args;
      const query = { ...given, ...checkLogQuery(args, client.serverTime()) };
      const projectId = await projectOf(query);
      let count = 0;
      for await (const entry of entriesOf(session, { ...query, projectId })) {
        yield entry;
        count += 1;
        if (count >= limit) return;
      }
    },
  };
}

/** Ends after the last page. Empty pages in a row are requested at growing intervals, up to a limit. */
async function* entriesOf(
  { client: { services }, clock }: LookupSession,
  query: Omit<ServiceLogsArgs, "limit" | "projectId"> & { projectId: string },
): AsyncGenerator<ServiceLogEntry, void, undefined> {
  const { search, severities, ...scalars } = query;
  const input = { ...scalars, search: search && [...search], severities: severities && [...severities] };
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  const look = afterPause<ServiceLogEntry[]>(clock, async () => {
    const page = await services.logs({ ...input, cursor }, { deadlineMs: clock.now() + EMPTY_MS });
    // API: a server that sends no entries still sends the texts.
    const entries = page.entries?.length ? page.entries : page.logs.map((message) => ({ message }));
    // API: a cursor that was answered before would cause an endless loop.
    cursor = cursors.has(page.lastCursor) ? undefined : page.lastCursor;
    cursors.add(cursor);
    if (entries.length > 0 || cursor === undefined) return { is: "yes", answer: entries };
    return { is: "notYet", seen: "an empty page" };
  });
  const pauseMs = (_ageMs: number, looks: number): number =>
    Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (looks - 1));
  for (;;) {
    yield* await ask(clock, { untilMs: clock.now() + EMPTY_MS, pauseMs, look, late: onlyEmptyPages });
    if (cursor === undefined) return;
  }
}

function onlyEmptyPages({ looks, elapsedMs }: { looks: number; elapsedMs: number }): never {
  throw new ContractError(
    "empty-log-pages",
    "getLogs",
    `getLogs: the server sent ${looks} pages in a row without an entry, in ${formatDuration(elapsedMs)}, and says that there are more.`,
    "Ask for a shorter period, with both since and until; if that does not help, the server is at fault.",
  );
}

function idOrName(
  lookup: string,
  idKey: string,
  id: string | undefined,
  name: string | undefined,
): { id: string } | { name: string } {
  if (id !== undefined && name === undefined) return { id };
  if (name !== undefined && id === undefined) return { name };
  const given = id === undefined ? "neither" : "both";
  throw new InputError(
    "invalid-input",
    idKey,
    `${lookup}: given ${given} of ${idKey} and name; allowed: exactly one of them`,
  );
}

function onlyOne<T extends { name: string }>(
  lookup: string,
  [noun, conditionOf, idOf]: readonly [noun: string, conditionOf: (item: T) => Condition, idOf: (item: T) => string],
  list: Listed<T>,
  name: string,
  projectId: string,
): T {
  // An unreadable object may be the wanted one, or a second one with its name.
  const conflicting = list.unreadable.find((item) => (item.name ?? name) === name);
  if (conflicting !== undefined) {
    const why = `because one cannot be read: ${describeUnreadable(conflicting)}`;
    throw new InputError(
      "name-not-unique",
      "name",
      `could not tell which ${noun} is ${JSON.stringify(name)}, ${why}`,
      SAY_WHICH,
    );
  }
  const found = list.filter((item) => item.name === name && conditionOf(item) !== "deleting");
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const title = `${noun} ${show(name)} in project ${projectId}`;
  if (only === undefined)
    throw new InputError(
      "no-such-object",
      "name",
      `there is no ${title}`,
      `Check the name and the project id. For one that this run creates, use \`${lookup}Output\` with \`dependsOn\`.`,
    );
  throw new InputError(
    "name-not-unique",
    "name",
    `there are ${found.length} of ${title}: ${found.map(idOf).join(", ")}`,
    SAY_WHICH,
  );
}

const SAY_WHICH = "Give its id.";

function withoutPassword(found: Service): GetServiceResult {
  const { initialPassword: _, ...shown } = found;
  const addresses = plainAddresses(found);
  const uri = isComplete(addresses) ? connectionUri(addresses, undefined) : undefined;
  return { ...shown, ...addresses, connectionUri: uri };
}
