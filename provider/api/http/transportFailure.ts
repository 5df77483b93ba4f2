// Classifies a failed exchange: whether the request can have reached the server, and whether a retry could help.

import { ExchangeFailure } from "./exchange";

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

/** No request is sent to a server whose certificate was not accepted. */
const CERTIFICATE = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^UND_ERR_PRX_TLS$/;

const TLS = /^ERR_TLS_|^ERR_SSL_|^EPROTO$/;

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be looked up right now",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed while sending",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "no connection within the time limit",
  UND_ERR_HEADERS_TIMEOUT: "no answer within the time limit",
  UND_ERR_BODY_TIMEOUT: "the answer stopped in the middle",
  UND_ERR_SOCKET: "the connection was closed before the answer was complete",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is not as long as announced",
};

/** `unconnected`: the connection was certainly never established. */
export function describeFailure(error: unknown, unconnected: boolean): ExchangeFailure {
  if (error instanceof ExchangeFailure) return error;
  const { code, message } = facts(error);
  // API: a proxy that refuses the tunnel has no error code of its own.
  const refusedByProxy = /^Proxy response \(\d+\)/.exec(message)?.[0];
  const isCertificate = CERTIFICATE.test(code ?? "");
  const isRefused = isCertificate || refusedByProxy !== undefined || code === "UND_ERR_INVALID_ARG";
  return new ExchangeFailure(words(code, refusedByProxy), {
    sent: unconnected || isRefused || NEVER_CONNECTED.has(code ?? "") ? "no" : "maybe",
    passing: !isRefused && !(unconnected && TLS.test(code ?? "")),
    timeout: TIMEOUTS.has(code ?? ""),
    systemCode: code,
  });
}

function words(code: string | undefined, refusedByProxy: string | undefined): string {
  if (refusedByProxy !== undefined) return `the proxy refuses the connection: ${refusedByProxy}`;
  if (code === undefined) return "the connection failed";
  const known =
    WORDS[code] ?? (CERTIFICATE.test(code) || TLS.test(code) ? "no secure connection" : "the connection failed");
  return `${known} (${code})`;
}

function facts(error: unknown): { code: string | undefined; message: string } {
  if (!(error instanceof Error)) return { code: undefined, message: "" };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (code !== undefined) return { code, message: error.message };
  // Several addresses that all failed come as one error without a code of its own.
  const inner = error instanceof AggregateError ? (error.errors as unknown[])[0] : error.cause;
  return inner === undefined ? { code, message: error.message } : facts(inner);
}
