// The typed client: `client.services.resize({ … })`. Its methods are derived from the table of operations.

import type { Clock, WallClock } from "../domain/values/clock";
import { type ProcessEnvironment, REQUEST_BOUNDS } from "../domain/config/config";
import { refuseOtherAddress } from "../domain/config/address";
import { waysToSet } from "../domain/config/remedies";
import { environmentOfRun } from "../domain/config/runEnvironment";
import { ConfigError } from "../domain/errors";
import type { CallOptions, ClientState } from "./http/state";
import { createCaller, takeTurn, type TurnOptions } from "./http/call";
import { systemClock, systemWallClock } from "./clock";
import { createServerTime } from "./serverTime";
import type { Transport } from "./http/exchange";
import type { Operation } from "./operations/operation";
import { type OperationGroup, type Operations, operations } from "./operations";
import { checkBaseUrl, proxyName } from "./http/origin";
import { createGate, type Turn } from "./http/rate";
import { createSecrets } from "./http/redaction";
import { createTransport } from "./http/transport";
import { VERSION } from "./version";

export interface ClientOptions {
  /** The address of the API. It ends in the version segment, like `https://…/v1`. Plain http only for this machine. */
  baseUrl: string;
  /** The bearer credential. It is sent to the origin of `baseUrl` and nowhere else. */
  apiKey: string;
  /** What the error of a refused key says: where the key comes from, and how to correct it. Default: to give another `apiKey`. */
  keyRemedy?: string | undefined;
  /** Allows plain http to other machines. Default: false. */
  allowInsecure?: boolean | undefined;
  /** Maximum requests per second. A server that answers 429 gets fewer. Default: 10,000, more than the engine sends. */
  maxRequestsPerSecond?: number | undefined;
  /** Maximum number of requests under way at once. Default: 16. */
  maxConcurrency?: number | undefined;
  /**
   * How long, in milliseconds, a request is retried at an address that has never answered, because its name or port is most
   * likely wrong. Default: 8,000.
   */
  connectRetryMs?: number | undefined;
  /** The time limit in milliseconds, retries included, of a read that is called without a deadline. Default: two minutes. */
  readTimeoutMs?: number | undefined;
  /** The clock of waits and deadlines. Default: `systemClock`, which is independent of the machine's time of day. */
  clock?: Clock | undefined;
  /** The time of day. Default: the machine's. */
  wallClock?: WallClock | undefined;
  /** The User-Agent, before the version of Node. Default: this package and its version. */
  userAgent?: string | undefined;
  /** Receives one line per attempt: method, path, status, milliseconds, attempt, request id; never a body. */
  debug?: ((line: string) => void) | undefined;
  /** Returns a number from 0 to 1, for the jitter of waits. Default: `Math.random`. */
  random?: (() => number) | undefined;
  /**
   * The variables with HTTPS_PROXY, HTTP_PROXY, NO_PROXY and DBCLOUD_ONLY_BASE_URL. Default: the process's; in a program of a
   * test stack, the stack's.
   */
  environment?: ProcessEnvironment | undefined;
  /** Every call that changes anything is refused with a RefusedError before it is sent. Default: false. */
  readOnly?: boolean | undefined;
  /** What that error says: how to allow changes again. Default: to create a client without `readOnly`. */
  readOnlyRemedy?: string | undefined;
  /** When aborted, nothing more is sent and every wait ends. A change that was sent gets its answer. Default: never. */
  until?: AbortSignal | undefined;
  /** Carries the requests instead of this package's own HTTP connections. */
  transport?: Transport | undefined;
}

/** A call without input takes options alone. */
type Method<Row> =
  Row extends Operation<infer Input, infer Output>
    ? [Input] extends [void]
      ? (options?: CallOptions) => Promise<Output>
      : <Options extends CallOptions>(
          input: Input,
          options?: Options,
        ) => Promise<Output | (Options extends { orNone: true } ? undefined : never)>
    : never;

type OperationGroups = {
  [Group in keyof Operations]: { [Name in keyof Operations[Group]]: Method<Operations[Group][Name]> };
};

/**
 * Every operation of the API. A call resolves to domain objects. It rejects with an InputError, a RefusedError
 * (`readOnly`), a ConfigError (an invalid address of a proxy), a TransportError, an ApiError or a ContractError. Reads are
 * retried after failures that may pass; a change is sent once, and `repeat` of its operation says what is right then.
 */
export interface Client extends OperationGroups {
  /**
   * The time of day by the server's clock, in milliseconds since the epoch, from the `Date` of its last answer; before the
   * first answer the machine's. Use it to compare with times of the server, such as `created`.
   */
  serverTime(): number;
  /**
   * One place in the limits of this client for calls that belong together, such as a read and the change that rests on it:
   * each takes the turn among its options and is sent after the one before it, once, or a read again after a short refusal for
   * its rate. Calls without the turn must not be awaited in the work, because they may wait for its end.
   */
  inTurn<T>(options: TurnOptions, work: (turn: Turn) => Promise<T>): Promise<T>;
  /** Hides these texts in all later errors and debug lines: passwords that this client has not sent or received. */
  hide(secrets: Iterable<string>): void;
  /** Waits for requests under way and closes all connections. An idle client keeps no process alive. */
  close(): Promise<void>;
}

/** Throws a ConfigError if the base URL or the key is unusable. Sends nothing. */
export function createClient(options: ClientOptions): Client {
  const state = share(options);
  return {
    ...methodsByGroup(state),
    inTurn: (turnOptions, work) => takeTurn(state, turnOptions, work),
    serverTime: () => state.serverTime.epochMs(),
    hide: (secrets) => {
      for (const secret of secrets) state.secrets.add(secret);
    },
    close: () => state.transport.close(),
  };
}

function share({
  allowInsecure = false,
  maxRequestsPerSecond = REQUEST_BOUNDS.maxRequestsPerSecond,
  maxConcurrency = REQUEST_BOUNDS.maxConcurrency,
  keyRemedy = "Give another `apiKey`.",
  readOnly = false,
  readOnlyRemedy = "This client was created with `readOnly`. To make changes, create one without it.",
  connectRetryMs = 8_000,
  readTimeoutMs = 120_000,
  clock = systemClock,
  wallClock = systemWallClock,
  userAgent = `pulumi-dbcloud/${VERSION}`,
  random = Math.random,
  environment = environmentOfRun(),
  ...given
}: ClientOptions): ClientState {
  const baseUrl = checkBaseUrl(given.baseUrl, allowInsecure);
  // Whatever environment is given: a program of a test stack reaches no other server.
  for (const variables of [environment, environmentOfRun()]) refuseOtherAddress(baseUrl, variables);
  if (!(maxRequestsPerSecond > 0)) throw outOfBounds("maxRequestsPerSecond", maxRequestsPerSecond);
  if (!(maxConcurrency >= 1)) throw outOfBounds("maxConcurrency", maxConcurrency);
  const apiKey = checkKey(given.apiKey);
  const { transport = createTransport({ baseUrl, connections: maxConcurrency, environment }) } = given;
  return {
    baseUrl,
    apiKey,
    secrets: createSecrets([apiKey]),
    keyRemedy,
    // In plain JavaScript it may be any value.
    readOnlyRemedy: readOnly ? readOnlyRemedy : undefined,
    // Only characters that an HTTP header can carry.
    userAgent: `${userAgent} node/${process.versions.node}`.replaceAll(/[^\x20-\x7e]/g, "?"),
    transport,
    gate: createGate(clock, maxRequestsPerSecond, maxConcurrency),
    clock,
    serverTime: createServerTime(clock, wallClock),
    random,
    debug: given.debug,
    connectRetryMs,
    readTimeoutMs,
    proxy: proxyName(new URL(baseUrl), environment),
    until: given.until,
    reached: false,
  };
}

function outOfBounds(name: string, value: number): ConfigError {
  return new ConfigError(
    "setting-invalid",
    `${name} is ${value}; allowed: ${name === "maxConcurrency" ? "at least 1" : "a number above 0"}`,
  );
}

function checkKey(given = ""): string {
  const key = given.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new ConfigError(
    "key-invalid",
    key === "" ? "the API key is empty" : "the API key contains a space, or a character that is not printable ASCII",
    waysToSet("apiKey"),
  );
}

/** One method for each row of the table, by group. */
function methodsByGroup(state: ClientState): OperationGroups {
  const call = createCaller(state);
  const methodOf = (row: Operation<unknown, unknown>): ((...given: never[]) => Promise<unknown>) =>
    row.input === undefined
      ? (options?: CallOptions) => call(row, undefined, options)
      : (input: unknown, options?: CallOptions) => call(row, input, options);
  const entries = Object.entries<OperationGroup>(operations).map(([name, rows]) => {
    const methods = Object.entries(rows).map(([operation, row]) => [operation, methodOf(row)] as const);
    return [name, Object.fromEntries(methods)] as const;
  });
  return Object.fromEntries(entries) as OperationGroups;
}
