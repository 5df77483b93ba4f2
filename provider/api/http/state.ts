// What the calls of one client share, and what one call is made of.

import type { Clock } from "../../domain/values/clock";
import type { Operation } from "../operations/operation";
import type { EncodedRequest } from "../operations/request";
import type { ServerTime } from "../serverTime";
import type { Transport } from "./exchange";
import type { Gate, Turn } from "./rate";
import type { Secrets } from "./redaction";

/** The data that all calls of one client share. */
export interface ClientState {
  baseUrl: string;
  apiKey: string;
  /** The key and every password that this client was given or has received. */
  secrets: Secrets;
  userAgent: string;
  transport: Transport;
  gate: Gate;
  clock: Clock;
  serverTime: ServerTime;
  random: () => number;
  debug: ((line: string) => void) | undefined;
  /** When aborted, nothing more is sent and every wait ends. */
  until: AbortSignal | undefined;
  /** How to correct a key that is refused. */
  keyRemedy: string;
  /** How to allow changes, which are refused; undefined where they are allowed. */
  readOnlyRemedy: string | undefined;
  /** How long a request is retried at an address that has never answered: its name or port is most likely wrong. */
  connectRetryMs: number;
  /** The time limit of a read whose caller gives no deadline. */
  readTimeoutMs: number;
  /** The variable that names the proxy, and the proxy's address; undefined without a proxy. */
  proxy: string | undefined;
  /** Whether anything ever answered at the base URL. */
  reached: boolean;
}

/** The options of one call. */
export interface CallOptions {
  /** Ends the call with a TransportError. */
  signal?: AbortSignal | undefined;
  /**
   * When aborted, nothing more is sent and every wait ends with a TransportError. A change that was sent gets its answer, so
   * that its outcome is known. Default: the client's signal.
   */
  until?: AbortSignal | undefined;
  /**
   * The deadline for retries, by the client's clock: nothing is sent again after it. For example `systemClock.now() + 30_000`
   * with the default clock. Default: two minutes (`readTimeoutMs` of the client) after the first failure.
   */
  deadlineMs?: number | undefined;
  /** Called once, with one line, when the client waits for more than about two seconds before it sends. */
  report?: ((line: string) => void) | undefined;
  /** `"once"`: the request is never sent again. Default: a read is, after a failure that may pass; a change never is. */
  attempts?: "once" | undefined;
  /** Where the server has no such object, the call resolves with undefined instead of an ApiError. */
  orNone?: true | undefined;
  /** The time limit of one attempt in milliseconds, from its sending. Default: two minutes. */
  timeoutMs?: number | undefined;
  /** The call is one of this turn (`inTurn` of the client): it does not wait for a turn of its own, and is sent once. */
  turn?: Turn | undefined;
}

export interface PendingCall<Input, Output> {
  client: ClientState;
  operation: Operation<Input, Output>;
  input: Input;
  request: EncodedRequest;
  url: URL;
  options: CallOptions;
  /** Ends every wait before the call is sent, and every read. */
  waiting: AbortSignal | undefined;
  /** Reports a long wait to the caller, once per call. */
  tell: (waitMs: number | undefined, why: string) => void;
}
