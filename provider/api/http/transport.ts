// Carries requests over undici: pooled connections, proxies, limits of time and size. Knows nothing of operations.
// undici is loaded with the first request, since most runs of a program load the provider and never send one.

import { StringDecoder } from "node:string_decoder";
import type { Agent, Dispatcher } from "undici";
import { formatDuration } from "../../domain/values/duration";
import { ConfigError } from "../../domain/errors";
import { ExchangeFailure, type Transport, type WireAnswer, type WireRequest } from "./exchange";
import { chooseProxy, type ProcessEnvironment } from "./origin";
import { describeFailure } from "./transportFailure";

export interface TransportOptions {
  baseUrl: string;
  connections: number;
  environment: ProcessEnvironment;
  limits?: Partial<Limits>;
}

export interface Limits {
  connectMs: number;
  /** Until the status line and headers are there, and between two pieces of a body. */
  silenceMs: number;
  /** A connection that was used about so long ago counts as fresh: few servers close one so soon. */
  freshMs: number;
  /** A body that is wanted may be this long. */
  bytes: number;
  /** A body that is not wanted, an error's for instance, is read this far and this long. */
  asideBytes: number;
  asideMs: number;
}

export const LIMITS: Limits = {
  connectMs: 10_000,
  silenceMs: 60_000,
  freshMs: 500,
  bytes: 16 * 1024 * 1024,
  asideBytes: 64 * 1024,
  asideMs: 10_000,
};

interface Connections {
  pooled: Dispatcher;
  /** Closed soon after they were used. */
  fresh: Dispatcher;
  /** Errors of connections that never came to be. */
  unconnected: WeakSet<object>;
}

type MakeDispatcher = (options: Agent.Options) => Dispatcher;

export function createTransport(options: TransportOptions): Transport {
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
  const { default: buildConnector } = await import("undici/lib/core/connect.js");
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
  const choice = chooseProxy(new URL(baseUrl), environment);
  if (choice === undefined) {
    const { default: Agent } = await import("undici/lib/dispatcher/agent.js");
    return (shared) => new Agent(shared);
  }
  const { EnvHttpProxyAgent } = await import("undici");
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

interface Outcome {
  resolve(answer: WireAnswer): void;
  reject(failure: ExchangeFailure): void;
  explain(error: unknown): ExchangeFailure;
}

interface Receiver {
  handler: Dispatcher.DispatchHandler;
  /** It never came to be sent. */
  fail: (error: unknown) => void;
}

/**
 * Takes an answer in as it comes, without a stream around it: a run has thousands of small ones. It ends with the answer,
 * when a limit is reached, or when the caller gives up, whichever comes first; once there is a status, with an answer.
 */
function createReceiver(request: WireRequest, limits: Limits, outcome: Outcome): Receiver {
  const { signal, timeoutMs } = request;
  const decoder = new StringDecoder("utf8");
  let controller: Dispatcher.DispatchController | undefined;
  let head: Pick<WireAnswer, "status" | "headers"> | undefined;
  let maxBytes = 0;
  let size = 0;
  let text = "";
  let why: ExchangeFailure | undefined;
  let asideTimer: NodeJS.Timeout | undefined;

  const settle = once((failure?: ExchangeFailure): void => {
    why = failure;
    clearTimeout(timer);
    clearTimeout(asideTimer);
    signal?.removeEventListener("abort", giveUp);
    if (head !== undefined) {
      outcome.resolve({ ...head, text: text + decoder.end(), ...(failure && { incomplete: failure }) });
    } else if (failure !== undefined) {
      outcome.reject(failure);
    }
  });
  /** Whatever else comes is not wanted, and the connection not used again. */
  const end = (failure: ExchangeFailure): void => {
    settle(failure);
    controller?.abort(failure);
  };
  const giveUp = (): void => end(new ExchangeFailure("was aborted", { sent: "maybe", passing: false }));
  const timer = setTimeout(() => end(tooLate(timeoutMs)), timeoutMs);
  signal?.addEventListener("abort", giveUp, { once: true });

  const fail = (error: unknown): void => settle(outcome.explain(error));
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(given) {
      controller = given;
      if (why !== undefined) given.abort(why);
    },
    onResponseStart(_, status, headers) {
      // HTTP: an interim answer.
      if (status < 200) return;
      head = { status, headers: singleHeaders(headers) };
      const isWanted = request.wantsBody && status < 300;
      maxBytes = isWanted ? Math.min(limits.bytes, request.maxBytes ?? limits.bytes) : limits.asideBytes;
      if (!isWanted) asideTimer = setTimeout(() => end(tooLate(limits.asideMs)), limits.asideMs);
    },
    onResponseData(_, chunk) {
      if (why !== undefined) return;
      // Piece by piece: a list of thousands is not held twice.
      text += decoder.write(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) end(tooLong(maxBytes));
    },
    onResponseEnd: () => settle(),
    onResponseError: (_, error) => fail(error),
  };
  return { handler, fail };
}

function tooLate(ms: number): ExchangeFailure {
  return new ExchangeFailure(`no full answer within ${formatDuration(ms)}`, {
    sent: "maybe",
    passing: true,
    timeout: true,
  });
}

function tooLong(maxBytes: number): ExchangeFailure {
  return new ExchangeFailure(`the answer is longer than ${maxBytes} bytes`, { sent: "maybe", passing: false });
}

function once<T>(work: (value?: T) => void): (value?: T) => void {
  let isDone = false;
  return (value) => {
    if (isDone) return;
    isDone = true;
    work(value);
  };
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  const single: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    single[name] = Array.isArray(value) ? value[0] : value;
  }
  return single;
}
