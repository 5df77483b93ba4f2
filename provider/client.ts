// The `pulumi-dbcloud/client` entry: the typed client of the API, usable without Pulumi.

import { type Client, createClient } from "./api/client";
import { environmentSource, type ProcessEnvironment, readSettings } from "./domain/config/config";
import { required } from "./domain/config/remedies";
import { environmentOfRun } from "./domain/config/runEnvironment";
import { refusalOf, unknownNames, warningsOf } from "./domain/config/unknownNames";

export type { CreateAnswer } from "./api/operations/answer";
export type { TurnOptions } from "./api/http/call";
export type { Turn } from "./api/http/rate";
export type { CallOptions } from "./api/http/state";
export { type Client, type ClientOptions, createClient } from "./api/client";
export { systemClock } from "./api/clock";
export {
  ExchangeFailure,
  type FailureFacts,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from "./api/http/exchange";
export { isChange, type Operation, type Repeat } from "./api/operations/operation";
export { operationList, operations } from "./api/operations";
export type { ProcessEnvironment } from "./domain/config/config";
export type { LogEntry, LogPage } from "./kinds/service/answer.wire";
export type { Clock, WallClock } from "./domain/values/clock";
export type { ConnectionPooler, Endpoint, VpcEndpoint } from "./domain/endpoint";
export {
  type ApiCategory,
  ApiError,
  ConfigError,
  ContractError,
  type ErrorCode,
  InputError,
  ProviderError,
  RefusedError,
  TransportError,
} from "./domain/errors";
export type { Listed, Unreadable } from "./domain/listed";
export type { Peering } from "./kinds/peering/inputs";
export type { Project } from "./domain/lookups";
export type { ReadReplicaSet } from "./kinds/readReplicaSet/inputs";
export type { Addon, ForkStrategy, Service, ServiceResource } from "./kinds/service/inputs";
export type { Environment } from "./domain/sharedFields";
export type { Size } from "./domain/sharedFields";
export type { Vpc } from "./kinds/vpc/inputs";

/**
 * Creates a client from the environment: `DBCLOUD_BASE_URL`, `DBCLOUD_API_KEY`, and optionally
 * `DBCLOUD_MAX_REQUESTS_PER_SECOND`, `DBCLOUD_MAX_CONCURRENCY`, `DBCLOUD_ALLOW_INSECURE`, `DBCLOUD_READ_ONLY`, and
 * `DBCLOUD_DEBUG=1` for one line per request on standard error. Throws a ConfigError that names what is missing, malformed
 * or misspelled so that it would have no effect. In a program of a test stack, the environment is the stack's.
 */
export function fromEnvironment(environment: ProcessEnvironment = environmentOfRun()): Client {
  const unknown = unknownNames(environment);
  const refusal = refusalOf(unknown);
  if (refusal !== undefined) throw refusal;
  for (const text of warningsOf(unknown)) process.emitWarning(text);
  const { config } = readSettings([environmentSource(environment)]);
  const isDebugging = environment["DBCLOUD_DEBUG"] === "1";
  return createClient({
    baseUrl: required("baseUrl", config.baseUrl, "DBCLOUD_BASE_URL", "Set DBCLOUD_BASE_URL in the environment."),
    apiKey: required("apiKey", config.apiKey, "DBCLOUD_API_KEY", "Set DBCLOUD_API_KEY in the environment."),
    allowInsecure: config.allowInsecure,
    readOnly: config.readOnly,
    readOnlyRemedy: config.readOnlyRemedy,
    maxRequestsPerSecond: config.maxRequestsPerSecond,
    maxConcurrency: config.maxConcurrency,
    environment,
    debug: isDebugging ? (line) => void process.stderr.write(`${line}\n`) : undefined,
  });
}
