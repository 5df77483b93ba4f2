// Look-ups for programs: they answer what is there this moment and change nothing. Knows no Pulumi.

import type { Client } from "../api/client";
import { InputError } from "../domain/errors";
import type {
  GetServiceResult,
  Logs,
  Lookups,
  ProjectScope,
  ServiceLogEntry,
  ServiceLogsArgs,
} from "../domain/lookups";
import { isServiceGone, type Service } from "../domain/service";
import { show } from "../domain/value";
import { isVpcGone } from "../domain/vpc";

/** The part of a session that look-ups need. */
export interface LookupSession {
  readonly client: Pick<Client, "projects" | "vpcs" | "peerings" | "services">;
  projectId(): Promise<string>;
}

export function lookups(session: LookupSession): Lookups & Logs {
  const { projects, vpcs, peerings, services } = session.client;
  const projectOf = async ({ projectId }: ProjectScope): Promise<string> => projectId ?? (await session.projectId());
  return {
    getProjects: () => projects.list(),

    async getVpc(args) {
      const wanted = idOrName("getVpc", "vpcId", args.vpcId, args.name);
      const projectId = await projectOf(args);
      if ("id" in wanted) return vpcs.get({ projectId, vpcId: wanted.id });
      const there = (await vpcs.list({ projectId })).filter(({ status }) => !isVpcGone(status));
      return onlyOne(there, { what: "VPC", name: wanted.name, projectId, idOf: ({ vpcId }) => vpcId });
    },

    getVpcs: async (args) => vpcs.list({ projectId: await projectOf(args) }),

    getPeering: async (args) =>
      peerings.get({ projectId: await projectOf(args), vpcId: args.vpcId, peeringId: args.peeringId }),

    getPeerings: async (args) => peerings.list({ projectId: await projectOf(args), vpcId: args.vpcId }),

    async getService(args) {
      const wanted = idOrName("getService", "serviceId", args.serviceId, args.name);
      const projectId = await projectOf(args);
      if ("id" in wanted) return withoutPassword(await services.get({ projectId, serviceId: wanted.id }));
      const there = (await services.list({ projectId })).filter(({ status }) => !isServiceGone(status));
      const idOf = ({ serviceId }: Service): string => serviceId;
      return withoutPassword(onlyOne(there, { what: "service", name: wanted.name, projectId, idOf }));
    },

    getServices: async (args) => {
      const all = await services.list({ projectId: await projectOf(args) });
      return all.map(withoutPassword);
    },

    // API: a service lists its own sets; the contract has no other way to see them.
    getReadReplicaSets: async (args) => {
      const parent = await services.get({ projectId: await projectOf(args), serviceId: args.serviceId });
      return parent.readReplicaSets;
    },

    async *serviceLogs({ limit, ...query }) {
      const most = checkLimit(limit);
      const projectId = await projectOf(query);
      let given = 0;
      for await (const entry of entriesOf(services, { ...query, projectId })) {
        yield entry;
        given += 1;
        if (given >= most) return;
      }
    },
  };
}

async function* entriesOf(
  services: LookupSession["client"]["services"],
  query: Omit<ServiceLogsArgs, "limit" | "projectId"> & { projectId: string },
): AsyncGenerator<ServiceLogEntry, void, undefined> {
  const { search, severities, ...rest } = query;
  const input = { ...rest, search: search && [...search], severities: severities && [...severities] };
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await services.logs({ ...input, cursor });
    const entries = page.entries ?? [];
    // API: a server that sends no entries still sends the texts.
    yield* entries.length > 0 ? entries : page.logs.map((message) => ({ message }));
    cursor = page.lastCursor;
    // API: a cursor that leads back to where we have been would go on for ever.
    if (cursor !== undefined && seen.has(cursor)) return;
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
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
  throw new InputError(idKey, `${lookup}: given ${given} of ${idKey} and name; allowed: exactly one of them`);
}

function onlyOne<T extends { name: string }>(
  all: readonly T[],
  wanted: { what: string; name: string; projectId: string; idOf: (object: T) => string },
): T {
  const { what, name, projectId, idOf } = wanted;
  const found = all.filter((object) => object.name === name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const title = `${what} ${show(name)} in project ${projectId}`;
  if (only === undefined) throw new InputError("name", `there is no ${title}`);
  throw new InputError(
    "name",
    `there are ${found.length} of ${title}: ${found.map(idOf).join(", ")}`,
    "Say which one by its id.",
  );
}

function checkLimit(limit: number | undefined): number {
  if (limit === undefined) return Infinity;
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new InputError("limit", `serviceLogs: limit: given ${limit}; allowed: a whole number, at least 1`);
}

function withoutPassword(service: Service): GetServiceResult {
  const shown = { ...service };
  delete shown.initialPassword;
  return shown;
}
