// Creates a session: the client, the clock, the shared readers and the locks of one account. Nothing here is global; the
// host holds the sessions.

import type { Client } from "../../api/client";
import { createProbe, type Probe } from "../../api/postgres/probe";
import { systemWallClock } from "../../api/wallClock";
import type { Clock, WallClock } from "../../domain/values/clock";
import type { ProviderConfig } from "../../domain/config/config";
import { NO_PROJECT, SET_PROJECT } from "../../domain/config/remedies";
import { ConfigError } from "../../domain/errors";
import { describeUnreadable } from "../../domain/listed";
import { createLocks } from "./locks";
import type { Locks, Reader, Readers, Session, Source } from "./session";
import { SharedReader } from "./sharedReader";
import { type Sources, sourcesOf } from "./sources";

export interface SessionParts {
  config: ProviderConfig;
  client: Client;
  clock: Clock;
  /** Default: the machine's. */
  wallClock?: WallClock | undefined;
  locks?: Locks;
  probe?: Probe;
  random?: () => number;
  /** How long a read without a deadline is repeated. Default: two minutes. */
  readLimitMs?: number;
}

export function createSession(parts: SessionParts): Session {
  const { config, client, clock, wallClock, locks, probe, random, readLimitMs } = parts;
  const clocks = { clock, wallClock: wallClock ?? systemWallClock };
  let project: Promise<string> | undefined;
  return {
    config,
    client,
    clock,
    pace: {
      clock,
      intervalMs: config.pollIntervalMs,
      intervalMaxMs: config.pollIntervalMaxMs,
      random: random ?? Math.random,
    },
    locks: locks ?? createLocks(),
    probe: probe ?? createProbe(clock),
    projectId() {
      if (config.projectId !== undefined) return Promise.resolve(config.projectId);
      project ??= findOnlyProject(client);
      project.catch(() => {
        project = undefined;
      });
      return project;
    },
    ...createReaders(
      sourcesOf(client),
      (source) => new SharedReader(source, clocks, config.pollIntervalMs, readLimitMs),
    ),
  };
}

type CreateReader = <O>(source: Source<O>) => Reader<O>;

function createReaders(sources: Sources, create: CreateReader): Readers {
  return {
    services: oneEach(create, sources.services),
    vpcs: oneEach(create, sources.vpcs),
    peerings: oneEach(create, sources.peerings),
  };
}

/** One reader for each collection, created on first use. */
function oneEach<Scope extends string[], O>(
  create: CreateReader,
  sourceOf: (...scope: Scope) => Source<O>,
): (...scope: Scope) => Reader<O> {
  const readers = new Map<string, Reader<O>>();
  return (...scope) => {
    const key = scope.join("/");
    const reader = readers.get(key) ?? create(sourceOf(...scope));
    readers.set(key, reader);
    return reader;
  };
}

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
    count === 0
      ? `no project: the key sees none, and ${NO_PROJECT}`
      : `which project? The key sees ${count}, and ${NO_PROJECT}:\n${choices}`,
    SET_PROJECT,
  );
}
