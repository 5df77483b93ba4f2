// Sends requests with undici: pooled connections, proxies, limits of time and size. It knows nothing of operations.
// undici is loaded with the first request, since most runs of a program load the provider and never send one.

import type { Agent, Dispatcher } from "undici";
import type { ProcessEnvironment } from "../../domain/config/config";
import { nodeProblem } from "../../domain/config/nodeVersion";
import { ConfigError } from "../../domain/errors";
import { ExchangeFailure, type Transport, type WireAnswer, type WireRequest } from "./exchange";
import { chooseProxy } from "./origin";
import { LIMITS, type Limits } from "./limits";
import { createReceiver } from "./receiver";
import { describeFailure } from "./transportFailure";

export interface TransportOptions {
  baseUrl: string;
  connections: number;
  environment: ProcessEnvironment;
  limits?: Partial<Limits>;
  /** Default: that of this process. */
  nodeVersion?: string;
}

interface Connections {
  pooled: Dispatcher;
  /** Closed soon after they were used. */
  fresh: Dispatcher;
  /** Errors of connections that were never established. */
  unconnected: WeakSet<object>;
}

type MakeDispatcher = (options: Agent.Options) => Dispatcher;

/** Throws a ConfigError on a Node.js on which undici does not load. */
export function createTransport(options: TransportOptions): Transport {
  const problem = nodeProblem(options.nodeVersion ?? process.versions.node);
  if (problem !== undefined) throw problem;
  const limits = { ...LIMITS, ...options.limits };
  let connections: Promise<Connections> | undefined;
  let closed: Promise<void> | undefined;
  return {
    async send(request) {
      if (closed !== undefined) throw new ExchangeFailure("the client is closed", { sent: "no", passing: false });
      connections ??= connect(options, limits);
      return exchange(await connections, request, limits);
    },
    close: () => (closed ??= disconnect(connections)),
  };
}

async function connect(options: TransportOptions, limits: Limits): Promise<Connections> {
  const { buildConnector } = await import("undici");
  const unconnected = new WeakSet();
  const open = buildConnector({ timeout: limits.connectMs, allowH2: false });
  const shared = {
    allowH2: false,
    connections: options.connections,
    connectTimeout: limits.connectMs,
    headersTimeout: limits.silenceMs,
    bodyTimeout: limits.silenceMs,
    connect: (target: Parameters<typeof open>[0], callback: Parameters<typeof open>[1]): void =>
      open(target, (...outcome) => {
        if (outcome[0] !== null) unconnected.add(outcome[0]);
        callback(...outcome);
      }),
  };
  const make = await dispatcherMaker(options);
  return {
    pooled: make(shared),
    fresh: make({ ...shared, keepAliveTimeout: limits.freshMs, keepAliveMaxTimeout: limits.freshMs }),
    unconnected,
  };
}

async function dispatcherMaker({ baseUrl, environment }: TransportOptions): Promise<MakeDispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import("undici");
  const choice = chooseProxy(new URL(baseUrl), environment);
  if (choice === undefined) return (shared) => new Agent(shared);
  const { proxy, noProxy } = choice;
  return (shared) => {
    try {
      return new EnvHttpProxyAgent({ ...shared, httpProxy: proxy, httpsProxy: proxy, noProxy });
    } catch {
      throw new ConfigError("HTTPS_PROXY or HTTP_PROXY is not the address of a proxy", "Correct or unset them.");
    }
  };
}

async function disconnect(connections: Promise<Connections> | undefined): Promise<void> {
  const open = await connections?.catch(() => undefined);
  await Promise.all([open?.pooled.close(), open?.fresh.close()]);
}

function exchange(connections: Connections, request: WireRequest, limits: Limits): Promise<WireAnswer> {
  if (request.signal?.aborted === true) {
    return Promise.reject(new ExchangeFailure("was aborted", { sent: "no", passing: false }));
  }
  return new Promise((resolve, reject) => {
    const dispatcher = request.freshConnection ? connections.fresh : connections.pooled;
    const explain = (error: unknown): ExchangeFailure =>
      describeFailure(error, error instanceof Error && connections.unconnected.has(error));
    const { handler, fail } = createReceiver(request, limits, { resolve, reject, explain });
    const { origin, pathname, search } = request.url;
    const { method, headers, body = null } = request;
    try {
      dispatcher.dispatch({ origin, path: pathname + search, method, headers, body }, handler);
    } catch (error) {
      fail(error);
    }
  });
}
