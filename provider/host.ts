// The `./provider` entry: what the `__provider` line in every state loads, now and in years. It turns a kind into
// handlers, and holds what is shared by all calls of one process. Handlers themselves hold nothing.

import type * as pulumi from "@pulumi/pulumi";
import { version as pulumiVersion } from "@pulumi/pulumi/version";
import { createClient } from "./api/client";
import { systemClock } from "./api/clock";
import { VERSION } from "./api/version";
import { environmentSource, readConfig, type ConfigSource, type ProviderConfig } from "./domain/config/config";
import { ConfigError } from "./domain/errors";
import { printable } from "./domain/values/printable";
import { connectEngine, createEngineLog, endWithEngine, type Row } from "./host/engine";
import { markSecrets, quietConsole, toShown } from "./host/shapes";
import { createUrns } from "./host/urns";
import { check } from "./lifecycle/handlers/check";
import type { Context } from "./lifecycle/session/context";
import { create } from "./lifecycle/handlers/create";
import { remove } from "./lifecycle/handlers/delete";
import type { Account } from "./lifecycle/create/declared";
import { diff } from "./lifecycle/handlers/diff";
import { createLocks } from "./lifecycle/session/locks";
import { peering } from "./lifecycle/resources/peering";
import { read } from "./lifecycle/handlers/read";
import { readReplicaSet } from "./lifecycle/resources/readReplicaSet";
import type { Resource, Values } from "./lifecycle/resources/resource";
import { service } from "./lifecycle/resources/service";
import { createMemory, createSession, type Session } from "./lifecycle/session/session";
import { update } from "./lifecycle/handlers/update";
import { vpc } from "./lifecycle/resources/vpc";

const kinds = {
  service: () => handlers(service),
  vpc: () => handlers(vpc),
  peering: () => handlers(peering),
  readReplicaSet: () => handlers(readReplicaSet),
};

export type Kind = keyof typeof kinds;

/** The handlers of one kind of resource. States name kinds, so a kind is never renamed. */
export function provider(kind: Kind): pulumi.dynamic.ResourceProvider {
  return kinds[kind]();
}

/** What is over so soon is not told of. What a preview has to say is said at once. */
const MOMENT_MS = 250;
const AT_ONCE = 0;

// One process serves one account's resources, or several: all of them share locks, memory and connections.
const locks = createLocks();
const memory = createMemory();
const sessions = new Map<string, Session>();
const engine = isProviderProcess() ? connectEngine(process.argv.slice(2)) : undefined;
const log = createEngineLog(engine);
let callsUnderWay = 0;
let hasWarnedOfMissingKey = false;
/** What this run may take over. */
const adopt = (process.env["DBCLOUD_ADOPT"] ?? "").split(",").flatMap((word) => word.trim() || []);

if (isProviderProcess()) quietConsole(globalThis.console);
const engineWatch = engine === undefined ? undefined : endWithEngine(engine, () => callsUnderWay === 0);

function isProviderProcess(): boolean {
  return /[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(process.argv[1] ?? "");
}

/** The session for a configuration; the same one for the same account. Throws a ConfigError when something is missing. */
export function openSession(config: ProviderConfig): Session {
  const key = JSON.stringify(config);
  const known = sessions.get(key);
  if (known !== undefined) return known;
  const client = createClient({
    baseUrl: needed("baseUrl", config.baseUrl, "DBCLOUD_BASE_URL", "pulumi config set dbcloud:baseUrl https://…/v1"),
    apiKey: needed("apiKey", config.apiKey, "DBCLOUD_API_KEY", "pulumi config set --secret dbcloud:apiKey …"),
    allowInsecure: config.allowInsecure,
    maxRequestsPerSecond: config.maxRequestsPerSecond,
    maxConcurrency: config.maxConcurrency,
    userAgent: `pulumi-dbcloud/${VERSION} pulumi/${pulumiVersion}`,
    ...(process.env["DBCLOUD_DEBUG"] === "1" ? { debug: debugLine } : {}),
  });
  const session = createSession({ config, client, clock: systemClock, memory, locks });
  sessions.set(key, session);
  return session;
}

function debugLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

function needed(key: string, value: string | undefined, variable: string, command: string): string {
  if (value !== undefined) return value;
  throw new ConfigError(
    `dbcloud:${key} is not set`,
    `Set ${variable} in the environment, or run \`${command}\`. Refresh and destroy see the configuration kept in the state: there, use the environment, or --run-program.`,
  );
}

interface HostContext extends Context {
  hasKey: boolean;
  /** What is wrong with the settings, as far as it can be told before they are used. */
  malformed: readonly string[];
  account: Account;
}

function handlers(resource: Resource): pulumi.dynamic.ResourceProvider {
  let sources: ConfigSource[] = [environmentSource(process.env)];
  // Read once: check and diff are paid for in series, and neither source changes while the process lives.
  let known: ProviderConfig | ConfigError | undefined;
  const urns = createUrns();

  function contextFor(values: Values, row: Row): HostContext {
    const config = (known ??= tryConfig(sources));
    const quiet = config instanceof ConfigError ? false : config.quiet;
    return {
      session: () => {
        if (config instanceof ConfigError) throw config;
        return openSession(config);
      },
      progress: (line) => {
        if (!quiet) row.progress(line);
      },
      warn: (line) => {
        row.warn(line);
      },
      quiet,
      memory,
      adopt,
      isOrphaned: () => engineWatch?.isGone() === true,
      account: config instanceof ConfigError ? {} : config,
      malformed: config instanceof ConfigError ? [config.fullMessage] : [],
      hasKey: config instanceof ConfigError || config.apiKey !== undefined,
    };
  }

  /** Runs a handler with a row to write on, and translates what it throws. */
  async function call<T>(raw: Values, delayMs: number, work: (context: HostContext) => T | Promise<T>): Promise<T> {
    callsUnderWay += 1;
    const row = log.row(raw["__urn"], delayMs);
    try {
      return await work(contextFor(raw, row));
    } catch (error) {
      throw toShown(error, raw);
    } finally {
      await row.end();
      callsUnderWay -= 1;
    }
  }

  return {
    configure: ({ config }) => {
      const isExplicit = asText(config.get("dbcloud:explicit")) === "true";
      const given: ConfigSource = {
        origin: isExplicit ? "provider" : "stack",
        read: (key) => asText(config.get(`dbcloud:${key}`)),
      };
      const environment = environmentSource(process.env);
      // An explicit Provider wins over the environment, or one exported key would swallow every account.
      sources = isExplicit ? [given, environment] : [environment, given];
      known = undefined;
      return Promise.resolve();
    },

    check: (olds: Values, news: Values) =>
      call(news, AT_ONCE, (context) => {
        const { inputs, failures, warnings } = check(resource, context, olds, news);
        // A malformed setting is wrong for every resource; a missing one is not, as a preview needs none.
        failures.unshift(...context.malformed);
        for (const warning of warnings) context.warn(warning);
        urns.remember(inputs, news["__urn"], olds);
        if (!context.hasKey && !hasWarnedOfMissingKey) {
          hasWarnedOfMissingKey = true;
          context.warn("no API key is configured: a preview needs none, but `pulumi up` will (DBCLOUD_API_KEY)");
        }
        // Pulumi: a failure that names a property prints its value, secrets included; an empty one prints none.
        return { inputs, failures: failures.map((reason) => ({ property: "", reason: printable(reason) })) };
      }),

    diff: (id: string, olds: Values, news: Values) => {
      const raw = urns.ofDiff(id, news, olds);
      return call(raw, AT_ONCE, (context) => diff(resource, context, id, olds, raw));
    },

    create: (inputs: Values) => {
      const raw = urns.ofCreate(inputs);
      return call(raw, MOMENT_MS, async (context) => {
        const { id, outs } = await create(resource, context, raw);
        return { id, outs: markSecrets(outs) };
      });
    },

    update: (id: string, olds: Values, news: Values) => {
      const raw = urns.ofUpdate(id, news, olds);
      return call(raw, MOMENT_MS, async (context) => {
        const { outs } = await update(resource, context, id, olds, raw);
        return { outs: markSecrets(outs) };
      });
    },

    read: (id: string, props: Values = {}) =>
      call(props, MOMENT_MS, async (context) => {
        const { props: seen, inputs, ...reading } = await read(resource, context, id, props);
        return {
          ...reading,
          ...(seen === undefined ? {} : { props: markSecrets(seen) }),
          ...(inputs === undefined ? {} : { inputs: markSecrets(inputs) }),
        };
      }),

    delete: (id: string, props: Values) => call(props, MOMENT_MS, (context) => remove(resource, context, id, props)),
  };
}

/** Pulumi: stack config gives texts, an explicit Provider may give anything; what is no text is judged as what it is. */
function asText(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

function tryConfig(sources: readonly ConfigSource[]): ProviderConfig | ConfigError {
  try {
    return readConfig(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
