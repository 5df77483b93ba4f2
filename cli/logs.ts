// `pulumi-dbcloud logs`: the newest entries of a service's log, printed oldest first, as a log reads.

import { systemWallClock } from "../provider/api/clock";
import { ProviderError } from "../provider/domain/errors";
import { checkLogQuery } from "../provider/domain/logQuery";
import type { GetServiceResult, Logs, Lookups, ServiceLogEntry, ServiceLogsArgs } from "../provider/domain/lookups";
import { oneLine } from "../provider/domain/values/printable";
import { show, withoutUndefined } from "../provider/domain/values/value";
import { lookups } from "../provider/core/lookups";
import type { Session } from "../provider/core/session";
import { accountSources, openAccount } from "./account";
import { accountOptions, accountUsage, type Command, parse, UsageError } from "./command";

const options = {
  ...accountOptions,
  since: { type: "string" },
  until: { type: "string" },
  severity: { type: "string", multiple: true },
  search: { type: "string", multiple: true },
  node: { type: "string" },
  limit: { type: "string" },
  follow: { type: "boolean", short: "f" },
  json: { type: "boolean" },
} as const;

const DEFAULT_LIMIT = 100;
const MOST_CHOICES = 20;
/** More would not be read by anybody, and a server without end would fill the memory. */
const MOST_ENTRIES = 500_000;
/** API: entries of one moment may arrive one after the other, so each read goes back a little. */
const OVERLAP_MS = 5_000;

export const logs: Command = {
  usage: `Usage: pulumi-dbcloud logs [options] SERVICE

Prints the newest entries of a service's log, oldest first. SERVICE is an id, or a name that is unique in the project.

  --since TIME           only entries after this time: RFC 3339, or an age such as 15m or 2h
  --until TIME           only entries before this time
  --severity WORD        only entries of this PostgreSQL severity, such as ERROR (repeatable)
  --search TEXT          only entries with this text (repeatable: all texts must match)
  --node N               only entries of this node of the service, counted from 0
  --limit N              the newest N entries (default ${DEFAULT_LIMIT}; 0 for all, at most ${MOST_ENTRIES})
  --follow               print new entries as they arrive, until Ctrl-C
  --json                 one JSON object per entry
${accountUsage}
`,

  async run(argv, io) {
    const { values: flags, positionals } = parse(argv, options);
    const [wanted, ...others] = positionals;
    if (wanted === undefined || others.length > 0)
      throw new UsageError("logs needs one service, by its id or its name");
    if (flags.follow && flags.until !== undefined) throw new UsageError("--follow has no end; leave out --until");
    const now = systemWallClock.epochMs();
    const filter = {
      ...withoutUndefined(checkLogQuery({ since: flags.since, until: flags.until, severities: flags.severity }, now)),
      ...(flags.search === undefined ? {} : { search: flags.search }),
      ...(flags.node === undefined ? {} : { node: countOf("--node", flags.node) }),
    };
    const limit = Math.min(
      (flags.limit === undefined ? DEFAULT_LIMIT : countOf("--limit", flags.limit)) || Infinity,
      MOST_ENTRIES,
    );
    const session = openAccount(accountSources(flags, io), io);
    try {
      const api = lookups(session);
      const projectId = await session.projectId();
      const service = await serviceOf(api, wanted, projectId);
      const query = { ...filter, projectId, serviceId: service.serviceId };
      const entries = await newest(api, query, limit);
      const print = (entry: ServiceLogEntry): void => io.out(`${flags.json ? JSON.stringify(entry) : lineOf(entry)}\n`);
      for (const entry of entries) print(entry);
      if (flags.follow)
        await follow(session, api, { since: new Date(now).toISOString(), ...query }, entries, print, io.signal);
      return 0;
    } finally {
      await session.client.close();
    }
  },
};

function countOf(flag: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`${flag} takes a whole number, not ${show(text)}`);
}

async function serviceOf(api: Lookups, wanted: string, projectId: string): Promise<GetServiceResult> {
  const all = await api.getServices({ projectId });
  const byId = all.find(({ serviceId }) => serviceId === wanted);
  if (byId !== undefined) return byId;
  const named = all.filter(({ name }) => name === wanted);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  const others = (named.length > 1 ? named : all).slice(0, MOST_CHOICES);
  const choices = others.map(({ serviceId, name }) => `  ${serviceId}  ${oneLine(name)}`).join("\n");
  throw new ProviderError(
    "INPUT",
    named.length > 1 ? "name-not-unique" : "no-such-object",
    named.length > 1
      ? `there are ${named.length} services named ${oneLine(wanted)} in project ${projectId}; give the id of one`
      : `there is no service ${oneLine(wanted)} in project ${projectId}${all.length === 0 ? "" : "; there are"}`,
    choices === "" ? undefined : choices,
  );
}

/** Oldest first. */
async function newest(api: Logs, query: ServiceLogsArgs, limit = MOST_ENTRIES): Promise<ServiceLogEntry[]> {
  const entries: ServiceLogEntry[] = [];
  for await (const entry of api.serviceLogs(query)) {
    entries.push(entry);
    if (entries.length >= limit) break;
  }
  return entries.toReversed();
}

/** Not a number where there is none. */
function timeOfEntry(entry: ServiceLogEntry | undefined): number {
  return Date.parse(entry?.timestamp ?? "");
}

/** Ends when the signal does; a read that fails ends it with that failure. */
async function follow(
  { clock, config }: Session,
  api: Logs,
  query: ServiceLogsArgs,
  printed: readonly ServiceLogEntry[],
  print: (entry: ServiceLogEntry) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  // What is older than the first of these was left out because of the limit, and must not turn up as new.
  const firstMs = timeOfEntry(printed[0]) || 0;
  let seen = printed;
  let sinceMs = timeOfEntry(seen.at(-1)) || Date.parse(query.since ?? "");
  for (;;) {
    await clock.sleep(config.pollIntervalMs, signal).catch(() => undefined);
    if (signal?.aborted) return;
    const since = new Date(Math.max(firstMs, sinceMs - OVERLAP_MS)).toISOString();
    const all = await newest(api, { ...query, since });
    // The limit can have cut between entries of one moment.
    const start = all.findIndex((entry) => printed[0] !== undefined && lineOf(entry) === lineOf(printed[0]));
    const recent = all.slice(Math.max(start, 0));
    if (recent.some(({ timestamp }) => timestamp === undefined)) {
      throw new ProviderError(
        "INPUT",
        "log-without-times",
        "this server sends log texts without times, so --follow cannot tell new ones",
      );
    }
    for (const entry of unseen(recent, seen)) print(entry);
    seen = recent;
    sinceMs = Math.max(sinceMs, timeOfEntry(recent.at(-1)) || 0);
  }
}

/** Equal entries count: two of them that were shown once leave one to show. */
function unseen(recent: readonly ServiceLogEntry[], shown: readonly ServiceLogEntry[]): ServiceLogEntry[] {
  const counts = new Map<string, number>();
  for (const entry of shown) counts.set(lineOf(entry), (counts.get(lineOf(entry)) ?? 0) + 1);
  return recent.filter((entry) => {
    const left = counts.get(lineOf(entry)) ?? 0;
    counts.set(lineOf(entry), left - 1);
    return left <= 0;
  });
}

/** Further lines of an entry are set in, so that none of them can pass for an entry of its own. */
function lineOf({ timestamp, severity, message }: ServiceLogEntry): string {
  const text = message.replaceAll(/\r?\n/g, "\n    ");
  const shown = severity !== undefined && saysSeverity(message, severity) ? undefined : severity;
  return [timestamp, shown, text].filter((word) => word !== undefined).join(" ");
}

/** API: a message may begin as PostgreSQL writes it, such as `[31] postgres@tsdb ERROR: …`. */
function saysSeverity(message: string, severity: string): boolean {
  const [, said] = /^(?:\[\d+\] )?(?:\S*@\S* )?([A-Z]+\d?):/.exec(message) ?? [];
  return said === severity;
}
