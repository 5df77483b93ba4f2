// Carries requests over undici: pooled connections, proxies, limits of time and size. Knows nothing of operations.
// undici is loaded with the first request, since most runs of a program load the provider and never send one.

import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Dispatcher } from "undici";
import { formatDuration } from "../domain/duration";
import { ConfigError } from "../domain/errors";
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
  const { Agent, EnvHttpProxyAgent, buildConnector } = await import("undici");
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
  const choice = chooseProxy(new URL(options.baseUrl), options.environment);
  const make = (extra: { keepAliveTimeout?: number; keepAliveMaxTimeout?: number }): Dispatcher => {
    if (choice === undefined) return new Agent({ ...shared, ...extra });
    const { proxy, noProxy } = choice;
    try {
      return new EnvHttpProxyAgent({ ...shared, ...extra, httpProxy: proxy, httpsProxy: proxy, noProxy });
    } catch {
      throw new ConfigError("HTTPS_PROXY or HTTP_PROXY is not the address of a proxy", "Correct or unset them.");
    }
  };
  return {
    pooled: make({}),
    fresh: make({ keepAliveTimeout: limits.freshMs, keepAliveMaxTimeout: limits.freshMs }),
    unconnected,
  };
}

async function disconnect(connections: Promise<Connections> | undefined): Promise<void> {
  const open = await connections?.catch(() => undefined);
  await Promise.all([open?.pooled.close(), open?.fresh.close()]);
}

async function exchange(connections: Connections, request: WireRequest, limits: Limits): Promise<WireAnswer> {
  if (request.signal?.aborted === true) throw new ExchangeFailure("was aborted", { sent: "no", passing: false });
  const { signal, whyEnded, release } = timeLimit(request);
  const dispatcher = request.freshConnection ? connections.fresh : connections.pooled;
  const explain = (error: unknown): ExchangeFailure =>
    whyEnded() ?? describeFailure(error, error instanceof Error && connections.unconnected.has(error));
  try {
    const answer = await dispatcher.request({
      origin: request.url.origin,
      path: request.url.pathname + request.url.search,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      signal,
    });
    const wanted = request.wantsBody && answer.statusCode >= 200 && answer.statusCode < 300;
    const body = await readBody(answer.body, wanted ? limits.bytes : limits.asideBytes, {
      withinMs: wanted ? undefined : limits.asideMs,
      explain,
    });
    return { status: answer.statusCode, headers: singleHeaders(answer.headers), ...body };
  } catch (error) {
    throw explain(error);
  } finally {
    release();
  }
}

interface Reading {
  withinMs: number | undefined;
  explain: (error: unknown) => ExchangeFailure;
}

async function readBody(
  body: Readable,
  maxBytes: number,
  reading: Reading,
): Promise<Pick<WireAnswer, "text" | "incomplete">> {
  // Piece by piece: a list of thousands is not held twice.
  const decoder = new StringDecoder("utf8");
  let text = "";
  let size = 0;
  let incomplete: ExchangeFailure | undefined;
  const timer = reading.withinMs === undefined ? undefined : setTimeout(() => body.destroy(), reading.withinMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      text += decoder.write(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size <= maxBytes) continue;
      incomplete = new ExchangeFailure(`the answer is longer than ${maxBytes} bytes`, {
        sent: "maybe",
        passing: false,
      });
      break;
    }
  } catch (error) {
    incomplete = reading.explain(error);
  } finally {
    clearTimeout(timer);
  }
  text += decoder.end();
  return incomplete === undefined ? { text } : { text, incomplete };
}

/** Ends the attempt when its time is up or its caller gives up, and remembers which of the two it was. */
function timeLimit(request: WireRequest): {
  signal: AbortSignal;
  whyEnded: () => ExchangeFailure | undefined;
  release: () => void;
} {
  const controller = new AbortController();
  let why: ExchangeFailure | undefined;
  const end = (failure: ExchangeFailure): void => {
    why ??= failure;
    controller.abort(failure);
  };
  const giveUp = (): void => end(new ExchangeFailure("was aborted", { sent: "maybe", passing: false }));
  const timer = setTimeout(
    () =>
      end(
        new ExchangeFailure(`no full answer within ${formatDuration(request.timeoutMs)}`, {
          sent: "maybe",
          passing: true,
          timeout: true,
        }),
      ),
    request.timeoutMs,
  );
  request.signal?.addEventListener("abort", giveUp, { once: true });
  return {
    signal: controller.signal,
    whyEnded: () => why,
    release: () => {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", giveUp);
    },
  };
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  const single = Object.entries(headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value[0] : value] as const,
  );
  return Object.fromEntries(single);
}
