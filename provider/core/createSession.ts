// Creates a session: the client, the clock, the shared readers and the locks of one account. Nothing here is global; the
// host holds the sessions.

import type { Client } from "../api/client";
import { createProbe, type Probe } from "../api/postgres/probe";
import { systemWallClock } from "../api/clock";
import type { ProviderConfig } from "../domain/config/config";
import { waysToSet } from "../domain/config/remedies";
import { ApiError, ConfigError } from "../domain/errors";
import { describeUnreadable } from "../domain/listed";
import type { Peering } from "../kinds/peering/inputs";
import type { Service } from "../kinds/service/inputs";
import type { Clock, WallClock } from "../domain/values/clock";
import { withoutUndefined } from "../domain/values/value";
import type { Vpc } from "../kinds/vpc/inputs";
import type { Locks, Reader, Session, Source } from "./session";
import { Observer } from "./observer";
import { longestGapMs } from "./patience";

interface SessionParts {
  config: ProviderConfig;
  client: Client;
  clock: Clock;
  /** Default: the machine's. */
  wallClock?: WallClock | undefined;
  locks?: Locks;
  probe?: Probe;
  random?: () => number;
  timeScale?: number;
  /** How long a read without a deadline is repeated. Default: two minutes. */
  readLimitMs?: number;
}

/** A session as it is made. Only the definitions of the kinds, and callers outside the lifecycle, make calls with it. */
export interface ClientSession extends Session {
  readonly client: Client;
}

export function createSession(parts: SessionParts): ClientSession {
  const { config, client, clock, wallClock, timeScale = 1, locks, probe, random, readLimitMs } = parts;
  const clocks = { clock, wallClock: wallClock ?? systemWallClock };
  let project: Promise<string> | undefined;
  const { pollIntervalMs: intervalMs, pollIntervalMaxMs: intervalMaxMs, maxConcurrency } = config;
  /** One reader for each collection, created on first use. */
  const oneEach = <Scope extends string[], O>(sourceOf: (...scope: Scope) => Source<O>) => {
    const readers = new Map<string, Reader<O>>();
    const gapMs = longestGapMs({ timeScale, intervalMs });
    const options = { intervalMs, intervalMaxMs, maxConcurrency, readLimitMs, longestGapMs: gapMs };
    return (...scope: Scope): Reader<O> => {
      const key = scope.join("/");
      const reader = readers.get(key) ?? new Observer(sourceOf(...scope), clocks, options);
      readers.set(key, reader);
      return reader;
    };
  };
  return {
    config,
    client,
    clock,
    timeScale,
    pace: { clock, intervalMs, intervalMaxMs, random: random ?? Math.random },
    locks: locks ?? createLocks(),
    inTurn: (options, work) => client.inTurn(options, work),
    probe: probe ?? createProbe(clock),
    outOfReach: new Set(),
    projectId() {
      if (config.projectId !== undefined) return Promise.resolve(config.projectId);
      project ??= findOnlyProject(client);
      project.catch(() => {
        project = undefined;
      });
      return project;
    },
    services: oneEach((projectId: string): Source<Service> => ({
      one: (serviceId, limits) => client.services.get({ projectId, serviceId }, { ...limits, orNone: true }),
      all: (limits) => client.services.list({ projectId }, limits),
      idOf: (service) => service.serviceId,
    })),
    vpcs: oneEach((projectId: string): Source<Vpc> => ({
      one: (vpcId, limits) => client.vpcs.get({ projectId, vpcId }, { ...limits, orNone: true }),
      all: (limits) => client.vpcs.list({ projectId }, limits),
      idOf: (vpc) => vpc.vpcId,
    })),
    peerings: oneEach((projectId: string, vpcId: string): Source<Peering> => ({
      one: (peeringId, limits) => client.peerings.get({ projectId, vpcId, peeringId }, { ...limits, orNone: true }),
      all: (limits) => client.peerings.list({ projectId, vpcId }, limits),
      idOf: (peering) => peering.peeringId,
    })),
    replicaSets: (projectId, serviceId, { deadlineMs, turn }) =>
      client.readReplicaSets
        .list({ projectId, serviceId }, withoutUndefined({ deadlineMs, turn }))
        .catch((error: unknown) => {
          if (error instanceof ApiError && NO_SUCH_LIST.includes(error.status)) return undefined;
          throw error;
        }),
  };
}

/** The contract does not have this list. */
const NO_SUCH_LIST: readonly number[] = [404, 405, 501];

async function findOnlyProject(client: Client): Promise<string> {
  const projects = await client.projects.list();
  const [only] = projects;
  const { unreadable } = projects;
  const count = projects.length + unreadable.length;
  if (only !== undefined && count === 1) return only.id;
  const choices = [
    ...projects.map(({ id, name }) => `  ${id}  ${name}`),
    ...unreadable.map((item) => `  cannot be read: ${describeUnreadable(item)}`),
  ].join("\n");
  throw new ConfigError(
    "project-not-set",
    count === 0
      ? "no project is set (DBCLOUD_PROJECT_ID), and the key can access none"
      : `no project is set (DBCLOUD_PROJECT_ID), and the key can access ${count}:\n${choices}`,
    waysToSet("projectId"),
  );
}

// One change at a time per object: a first-come, first-served lock by key, for the whole process.

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();

  return {
    run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(work);
      // The lock of one work ends with it, whether it failed or not.
      const tail = mine
        .catch(() => undefined)
        .finally(() => {
          if (tails.get(key) === tail) tails.delete(key);
        });
      tails.set(key, tail);
      return mine;
    },
    isHeld: (key) => tails.has(key),
  };
}
