// The emulator as its user sees it: what it is made with, and what can be done with it. Types only. The admin API is the
// other face of the same functions.

import type { PostgresOption } from "./postgres/index";
import type { OperationName } from "./actions/index";
import type { Snapshot } from "./data/snapshot";
import type { CallerOptions } from "./http/auth";
import type { Faults } from "./http/faults";
import type { Profile } from "./http/profiles";
import type { RequestRecord } from "./http/requests";
import type { Mutate } from "./mutate/index";
import type { EmulatorClock } from "./settings/clock";
import type { Lag, RateLimit, Settings, StaleLag } from "./settings/settings";
import type { Switches } from "./settings/switches";
import type { Timings } from "./settings/timings";
import type { LedgerEntry as WorldLedgerEntry } from "./world/entities";
import type { UnstableService } from "./world/reconcile";
import type { WorldState } from "./world/state";

export interface LedgerEntry extends WorldLedgerEntry {
  operation: OperationName | undefined;
}

export interface EmulatorOptions {
  /** TCP port on 127.0.0.1. Default 0: a free one. */
  port?: number;
  /**
   * "documented": the contract alone. Default "full": with delete, start, rename and list replica sets. "public": as the
   * published sibling of this API answers its own clients, with Basic authentication and its account operations.
   */
  profile?: Profile;
  /** Bearer value of the default caller, a PAT of the default project. Default: made up. */
  apiKey?: string;
  /** The default project. Default: the first of `projects`, else "proj000001". */
  projectId?: string;
  /** Default: the default project alone. */
  projects?: { id: string; name: string }[];
  /** Callers besides the default one. */
  callers?: CallerOptions[];
  /** Epoch milliseconds. Default `Date.now`. Where an object stands is computed from it at each request; nothing ticks. */
  now?: () => number;
  /** Durations of changes, milliseconds of that clock. Default: tens of milliseconds. */
  timings?: Partial<Timings>;
  /**
   * After every change, answers keep showing the old status and values of that object for so long, and only then the
   * status of the change and the new values. The server itself is ahead of what it shows. Default: not at all.
   */
  stale?: StaleLag;
  /** New objects are missing from lists for so long. Default: not at all. */
  listLag?: Lag;
  /** GET of a new object answers 404 for so long. Default: not at all. */
  notFoundAfterCreate?: Lag;
  /** Default: none. */
  rateLimit?: RateLimit;
  /**
   * What stands behind the endpoints. Default "off": nothing, they lead nowhere. "auto": real PostgreSQL servers where this
   * machine has the programs (PATH, pg_config, Debian's folders, the npm package of the platform), else nothing.
   * `{ bin }`: the programs in that folder, or an error. Databases end with the emulator, unless `data` keeps them.
   */
  postgres?: PostgresOption;
  /** Points on which deployments differ. */
  switches?: Partial<Switches>;
  /** Ids, hosts and passwords follow from it. Default: random, see `Emulator.seed`. */
  seed?: number;
  /** Called with each request once its answer is out or its socket is gone. */
  onRequest?: (request: RequestRecord) => void;
  /** Called when a service becomes UNSTABLE because its server ended or cannot be started. */
  onUnstable?: (service: UnstableService) => void;
  /** Bearer value of the admin API. Default: made up. */
  adminKey?: string;
  /**
   * A folder in which the world is kept, with its keys and passwords: made where it is missing, readable by its owner
   * alone, held by one emulator at a time. Every change is on the disk before it is answered. The databases behind the
   * endpoints are kept there too; they belong to one major version of PostgreSQL. Faults, settings and the record of
   * requests are not kept. Default: nothing is kept.
   */
  data?: string;
}

export interface Emulator {
  /** `http://127.0.0.1:PORT/api/v1` */
  readonly baseUrl: string;
  /** Bearer value of the default caller. */
  readonly apiKey: string;
  /** Id of the default project. */
  readonly projectId: string;
  /** Ids, hosts and passwords follow from it: another emulator with this seed makes the same ones. */
  readonly seed: number;
  /** PEM file of the authority that certifies its PostgreSQL servers; undefined where there are none. */
  readonly caFile: string | undefined;
  /** `http://127.0.0.1:PORT/_emulator/v1`: the same functions over HTTP, for tests in any language. */
  readonly adminUrl: string;
  /** Bearer value of the admin API; the API key is not accepted there. */
  readonly adminKey: string;
  /** Timings, lags, rate limit and switches; may be changed at any time and count from the next request on. */
  readonly settings: Settings;
  /** Makes coming requests fail. */
  readonly faults: Faults;
  /** Changes out of band, as in a vendor's console: at once and without transition. */
  readonly mutate: Mutate;
  /** What the objects are at this moment, whatever answers show; passwords included. */
  state(): WorldState;
  /** Every request since the start or the last `clearRequests()`, without passwords and tokens. */
  requests(): RequestRecord[];
  /** Forgets the requests so far. */
  clearRequests(): void;
  /** Calls the listener with each request once its answer is out, until the returned function is called. */
  watchRequests(listener: (request: RequestRecord) => void): () => void;
  /** Every creation, change and deletion that took effect, in order. */
  ledger(): LedgerEntry[];
  /** Finishes all running changes and drops all lag and stuck statuses. Real servers take the time that they take. */
  settle(): void;
  /** What all durations, lags and dates are measured by. */
  readonly clock: EmulatorClock;
  /** The world with all that is under way, and the clock: a JSON document, passwords included. */
  snapshot(): Snapshot;
  /**
   * Puts a snapshot back, the clock included; faults, settings and the record of requests stay. Throws a TypeError, and
   * changes nothing, where it is none of this format or belongs to other projects.
   */
  restore(snapshot: Snapshot): void;
  /** As it was when it was made: no objects, faults or requests, settings and clock as given, the same ids again. */
  reset(): void;
  /** Ends every connection; leaves no timer behind. May be called twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
