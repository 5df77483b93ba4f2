// Sends requests with undici: pooled connections, proxies, limits of time and size. It knows nothing of operations.
// undici is loaded with the first request, since most runs of a program load the provider and never send one.

import { StringDecoder } from "node:string_decoder";
import { gunzipSync } from "node:zlib";
import type { Agent, Dispatcher } from "undici";
import type { ProcessEnvironment } from "../../domain/config/config";
import { nodeProblem, type Versions } from "../../domain/config/nodeVersion";
import { ConfigError, messageOf } from "../../domain/errors";
import { onAbort } from "../../domain/values/abort";
import { formatDuration } from "../../domain/values/duration";
import { oneLine } from "../../domain/values/printable";
import { ExchangeFailure, type Transport, type WireAnswer, type WireRequest } from "./exchange";
import { certificateProblem, CODE_WORDS, codesOf } from "../systemCodes";
import { chooseProxy } from "./origin";

/** The limits of time and size for one exchange. */
interface Limits {
  connectMs: number;
  /** Until the status line and headers are there, and between two pieces of a body. */
  silenceMs: number;
  /** A connection that was used about so long ago counts as fresh: few servers close one so soon. */
  freshMs: number;
  /** A body that is wanted may be this long. */
  bytes: number;
  /** A body that is not needed, such as that of an error, is read up to this length and time. */
  asideBytes: number;
  asideMs: number;
}

const LIMITS: Limits = {
  connectMs: 10_000,
  silenceMs: 60_000,
  freshMs: 500,
  bytes: 16 * 1024 * 1024,
  asideBytes: 64 * 1024,
  asideMs: 10_000,
};

interface TransportOptions {
  baseUrl: string;
  connections: number;
  environment: ProcessEnvironment;
  limits?: Partial<Limits>;
  /** Default: that of this process. */
  versions?: Versions;
}

interface Connections {
  pooled: Dispatcher;
  /** Closed soon after they were used. */
  fresh: Dispatcher;
  /** Errors of connections that were never established. */
  unconnected: WeakSet<object>;
}

/** Throws a ConfigError on a Node.js on which undici does not load. */
export function createTransport(options: TransportOptions): Transport {
  const problem = nodeProblem(options.versions ?? process.versions);
  if (problem !== undefined) throw problem;
  const limits = { ...LIMITS, ...options.limits };
  let connections: Promise<Connections> | undefined;
  let closed: Promise<void> | undefined;
  return {
    async send(request) {
      if (closed !== undefined) throw new ExchangeFailure("the client is closed", { sent: "no", passing: false });
      connections ??= connect(options, limits);
      const { pooled, fresh, unconnected } = await connections;
      return new Exchange(request, limits, unconnected).run(request.freshConnection ? fresh : pooled);
    },
    close: () => (closed ??= disconnect(connections)),
  };
}

async function connect({ baseUrl, connections, environment }: TransportOptions, limits: Limits): Promise<Connections> {
  const { Agent, buildConnector, EnvHttpProxyAgent } = await import("undici");
  const unconnected = new WeakSet();
  const ca = await authorities(environment["SSL_CERT_FILE"]);
  const open = buildConnector({ timeout: limits.connectMs, allowH2: false, ca });
  const shared = {
    allowH2: false,
    connections,
    connectTimeout: limits.connectMs,
    headersTimeout: limits.silenceMs,
    bodyTimeout: limits.silenceMs,
    connect: (target: Parameters<typeof open>[0], callback: Parameters<typeof open>[1]): void =>
      open(target, (...outcome) => {
        if (outcome[0] !== null) unconnected.add(outcome[0]);
        callback(...outcome);
      }),
  };
  const choice = chooseProxy(new URL(baseUrl), environment);
  const make = (more: Agent.Options): Dispatcher => {
    const options = { ...shared, ...more };
    if (choice === undefined) return new Agent(options);
    const { proxy, noProxy } = choice;
    const trust = ca && { requestTls: { ca, servername: new URL(baseUrl).hostname }, proxyTls: { ca } };
    try {
      return new EnvHttpProxyAgent({ ...options, ...trust, httpProxy: proxy, httpsProxy: proxy, noProxy });
    } catch {
      throw new ConfigError(
        "proxy-invalid",
        "HTTPS_PROXY or HTTP_PROXY is not the address of a proxy",
        "Write it like http://proxy.example:3128, or unset it.",
      );
    }
  };
  return {
    pooled: make({}),
    fresh: make({ keepAliveTimeout: limits.freshMs, keepAliveMaxTimeout: limits.freshMs }),
    unconnected,
  };
}

/** As Pulumi's CLI reads it. A file that cannot be read is left out there as well. Undefined: those that Node.js trusts. */
async function authorities(file: string | undefined): Promise<string[] | undefined> {
  if (!file) return undefined;
  const [{ readFile }, { getCACertificates }] = await Promise.all([import("node:fs/promises"), import("node:tls")]);
  const more = await readFile(file, "utf8").catch(() => undefined);
  return more === undefined ? undefined : [...getCACertificates(), more];
}

async function disconnect(connections: Promise<Connections> | undefined): Promise<void> {
  const open = await connections?.catch(() => undefined);
  await Promise.all([open?.pooled.close(), open?.fresh.close()]);
}

/** One exchange. Once there is a status, the result is an answer, whole or up to a limit. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<WireAnswer>();
  readonly #request: WireRequest;
  readonly #limits: Limits;
  readonly #unconnected: WeakSet<object>;
  // Decoded in pieces, so that a list of thousands is not held twice.
  readonly #decoder = new StringDecoder("utf8");
  readonly #timers: NodeJS.Timeout[] = [];
  #release: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: WireAnswer | undefined;
  /** The pieces of a compressed body. */
  #packed: Buffer[] | undefined;
  #maxBytes = 0;
  #received = 0;
  #isOver = false;

  constructor(request: WireRequest, limits: Limits, unconnected: WeakSet<object>) {
    this.#request = request;
    this.#limits = limits;
    this.#unconnected = unconnected;
  }

  run(dispatcher: Dispatcher): Promise<WireAnswer> {
    const { url, method, body = null, signal, timeoutMs } = this.#request;
    const headers = { ...this.#request.headers, "accept-encoding": "gzip" };
    if (signal?.aborted === true) throw aborted("no");
    this.#release = signal && onAbort(signal, () => this.#abort(aborted("maybe")));
    this.#endAfter(timeoutMs);
    dispatcher.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, this);
    return this.#outcome.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(aborted("no"));
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    const { needsBody, maxBytes } = this.#request;
    const { bytes, asideBytes, asideMs } = this.#limits;
    const isWanted = needsBody && status < 300;
    this.#maxBytes = isWanted ? Math.min(bytes, maxBytes ?? bytes) : asideBytes;
    if (!isWanted) this.#endAfter(asideMs);
    this.#answer = { status, headers: singleHeaders(headers), text: "" };
    if (!["", "identity"].includes(codingIn(this.#answer))) this.#packed = [];
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#answer === undefined || this.#isOver) return;
    const maxBytes = this.#maxBytes;
    const piece = chunk.subarray(0, maxBytes - this.#received);
    if (this.#packed === undefined) this.#answer.text += this.#decoder.write(piece);
    else this.#packed.push(piece);
    this.#received += chunk.length;
    if (this.#received > maxBytes) this.#abort(tooLong(maxBytes));
  }

  onResponseEnd(): void {
    const answer = this.#answer;
    if (answer !== undefined) answer.text += this.#decoder.end();
    if (answer !== undefined && this.#packed !== undefined && this.#received > 0) {
      Object.assign(answer, unpacked(Buffer.concat(this.#packed), codingIn(answer), this.#maxBytes));
    }
    this.#end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end(error);
  }

  /** undici limits a silence, not the whole: ended by the caller, the deadline, or that of an unwanted body. */
  #endAfter(ms: number): void {
    this.#timers.push(setTimeout(() => this.#abort(tooLate(ms)), ms));
  }

  /** Closes the connection. Without one yet, nothing is sent. */
  #abort(failure: ExchangeFailure): void {
    this.#end(failure);
    this.#controller?.abort(failure);
  }

  #end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timers.forEach(clearTimeout);
    this.#release?.();
    const incomplete = error && describeFailure(error, this.#unconnected.has(error));
    if (this.#answer !== undefined) this.#outcome.resolve({ incomplete, ...this.#answer });
    else this.#outcome.reject(incomplete);
  }
}

function codingIn({ headers }: WireAnswer): string {
  return (headers["content-encoding"] ?? "").trim().toLowerCase();
}

/** The body of an answer with a `content-encoding`. undici's own interceptor prints a warning that it is experimental. */
function unpacked(body: Buffer, coding: string, maxBytes: number): Partial<WireAnswer> {
  const message = `the coding of the answer cannot be read (${oneLine(coding)})`;
  const unreadable = { incomplete: new ExchangeFailure(message, { sent: "maybe", passing: false }) };
  if (!/^(?:x-)?gzip$/.test(coding)) return unreadable;
  try {
    return { text: gunzipSync(body, { maxOutputLength: maxBytes }).toString() };
  } catch (error) {
    return codesOf(error)[0] === "ERR_BUFFER_TOO_LARGE" ? { incomplete: tooLong(maxBytes) } : unreadable;
  }
}

function tooLong(bytes: number): ExchangeFailure {
  return new ExchangeFailure(`the answer is longer than ${bytes} bytes`, { sent: "maybe", passing: false });
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  const single: Record<string, string | undefined> = {};
  for (const name in headers) {
    const values = [headers[name]].flat();
    // HTTP: each line of it may name other pages.
    single[name] = name === "link" ? values.join(", ") : values[0];
  }
  return single;
}

function aborted(sent: "no" | "maybe"): ExchangeFailure {
  return new ExchangeFailure("was aborted", { sent, passing: false });
}

function tooLate(ms: number): ExchangeFailure {
  const message = `no full answer within ${formatDuration(ms)}`;
  return new ExchangeFailure(message, { sent: "maybe", passing: true, timeout: true, spentMs: ms });
}

/** Codes of a connection that was never established, wherever on the way it was refused. */
const NEVER_CONNECTED = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_NODATA",
  "EAI_NONAME",
  "ECONNREFUSED",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_PRX_CONN",
]);

const TIMEOUTS = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"]);

const TLS = /^ERR_TLS_|^ERR_SSL_|^EPROTO$/;

/**
 * Whether the request can have reached the server, and whether a retry could help. `unconnected`: the connection was
 * certainly never established.
 */
export function describeFailure(error: unknown, unconnected: boolean): ExchangeFailure {
  if (error instanceof ExchangeFailure) return error;
  const [code] = codesOf(error);
  const isOneOf = (codes: ReadonlySet<string>): boolean => code !== undefined && codes.has(code);
  // API: a proxy that refuses the tunnel has no error code of its own.
  const refusedByProxy = /^Proxy response \(\d+\)/.exec(messageOf(error))?.[0];
  const isRefused =
    certificateProblem(code) !== undefined || refusedByProxy !== undefined || code === "UND_ERR_INVALID_ARG";
  return new ExchangeFailure(words(code, refusedByProxy), {
    sent: unconnected || isRefused || isOneOf(NEVER_CONNECTED) ? "no" : "maybe",
    // An error of this program, and no connection that was lost.
    passing:
      !(error instanceof TypeError && code === undefined) && !isRefused && !(unconnected && TLS.test(code ?? "")),
    timeout: isOneOf(TIMEOUTS),
    systemCode: code,
  });
}

function words(code: string | undefined, refusedByProxy: string | undefined): string {
  if (refusedByProxy !== undefined) return `the proxy refuses the connection: ${refusedByProxy}`;
  if (code === undefined) return "the connection failed";
  const other = TLS.test(code) ? "no secure connection" : "the connection failed";
  const known = CODE_WORDS[code] ?? certificateProblem(code)?.[1] ?? other;
  return `${known} (${code})`;
}
