// One request and its answer as they cross the wire, whoever carries them.

export interface WireRequest {
  method: "GET" | "POST" | "DELETE";
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** The answer's body is wanted in full; otherwise a little of it will do, and none is no failure. */
  wantsBody: boolean;
  /** A body that is wanted may be this long. Default: as long as a whole list. */
  maxBytes?: number | undefined;
  /** Not over a connection that has been idle for long: the server could be closing it at this very moment. */
  freshConnection: boolean;
  /** After so long, in real time, the attempt is given up. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface WireAnswer {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  /** What came of the body. */
  text: string;
  /** Why the body is not complete; the status counts all the same. */
  incomplete?: ExchangeFailure | undefined;
}

/** Carries requests; rejects with an ExchangeFailure and nothing else. */
export interface Transport {
  send(request: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
}

export interface FailureFacts {
  /** "no" only when the request provably never reached the server. */
  sent: "no" | "maybe";
  /** Whether the next attempt could go better. */
  passing: boolean;
  /** Waiting for the server used up the time there was. */
  timeout?: boolean;
  /** The code that the system or the HTTP library gave it. */
  systemCode?: string | undefined;
}

/** An exchange that did not come to its end; stays inside this floor. */
export class ExchangeFailure extends Error {
  readonly sent: "no" | "maybe";
  readonly passing: boolean;
  readonly timeout: boolean;
  readonly systemCode: string | undefined;

  constructor(message: string, facts: FailureFacts) {
    super(message);
    this.name = "ExchangeFailure";
    this.sent = facts.sent;
    this.passing = facts.passing;
    this.timeout = facts.timeout ?? false;
    this.systemCode = facts.systemCode;
  }
}
