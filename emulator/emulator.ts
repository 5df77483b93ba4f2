// The public types of the emulator: its options, and what a test can do with it. Types only. The admin API offers the
// same functions over HTTP.

import type { PostgresOption } from "./databases/index";
import type { Profile } from "./controlPlane/actions/index";
import type { Snapshot } from "./driving/data/worldDocument";
import type { CallerOptions } from "./controlPlane/http/auth";
import type { Fault, Faults, FaultScope } from "./controlPlane/http/faults";
import type { RequestRecord } from "./controlPlane/http/requests";
import type { Mutate } from "./driving/mutate";
import type { EmulatorClock } from "./controlPlane/settings/clock";
import type { Settings, Switches, Timings } from "./controlPlane/settings/settings";
import type { LedgerEntry } from "./controlPlane/world/entities";
import type { WorldState } from "./controlPlane/world/state";

export interface EmulatorOptions extends Partial<Omit<Settings, "timings" | "switches">> {
  /** TCP port on 127.0.0.1. Default 0: a free one. */
  port?: number;
  /** "documented": the contract alone. Default "full": with delete, start, rename and list replica sets. */
  profile?: Profile;
  /** Bearer value of the default caller, a PAT of the default project. Default: generated. */
  apiKey?: string;
  /** The default project. Default: the first of `projects`, else "proj000001". */
  projectId?: string;
  /** Default: the default project alone. */
  projects?: { id: string; name: string }[];
  /** Callers besides the default one. */
  callers?: CallerOptions[];
  /**
   * Epoch milliseconds. Default `Date.now`. The status of an object is computed from it at each request; there are no
   * timers.
   */
  now?: () => number;
  /** Durations of changes, in milliseconds of that clock. Default: tens of milliseconds. */
  timings?: Partial<Timings>;
  /**
   * What runs behind the endpoints. Default "off": nothing, they lead nowhere. "auto": real PostgreSQL servers if this
   * machine has the programs (PATH, Debian's folders, the npm package of the platform), else nothing. "required":
   * the same, or an error. `{ bin }`: the programs in that folder, or an error. Databases are removed with the emulator, unless `data` keeps them.
   */
  postgres?: PostgresOption;
  /** The points in which deployments differ. */
  switches?: Partial<Switches>;
  /** Faults from the start, and again after `reset()`. */
  faults?: readonly (FaultScope & Fault)[];
  /** Seed of ids and hosts. Default: random, see `Emulator.seed`. */
  seed?: number;
  /** Bearer value of the admin API. Default: generated. */
  adminKey?: string;
  /**
   * A folder in which the world is stored, with its keys and passwords: made if it is missing, readable by its owner
   * alone, locked by one emulator at a time. Every change is on the disk before it is answered, or is undone and refused.
   * The databases behind
   * the endpoints are stored there too; they belong to one major version of PostgreSQL. Faults, settings and the
   * request log are not stored. Default: nothing is stored.
   */
  data?: string;
}

/** What a test can do with a running emulator beside its API. */
export interface Controls {
  /** Timings, lags, rate limit and switches; may be changed at any time, with effect from the next request. */
  readonly settings: Settings;
  /** Makes later requests fail. */
  readonly faults: Faults;
  /** Changes out of band, as in a vendor's console: at once and without transition. */
  readonly mutate: Mutate;
  /** The true state of the objects, whatever answers show; passwords included. */
  state(): WorldState;
  /** Every request since the start or the last `clearRequests()`, without passwords and tokens. */
  requests(): RequestRecord[];
  /** Forgets the requests so far. */
  clearRequests(): void;
  /** Calls the listener with each request when its answer has been sent or its socket is closed, until the returned function is called. */
  watchRequests(listener: (request: RequestRecord) => void): () => void;
  /**
   * Every creation, change and deletion that took effect, in order: the newest 10,000. `data` stores the newest 100 of
   * them.
   */
  ledger(): LedgerEntry[];
  /** Finishes all running changes and drops all lag and stuck statuses. Work on real servers takes its own time. */
  settle(): void;
  /** The clock of all durations, lags and dates. */
  readonly clock: EmulatorClock;
  /** The world with all running changes, and the clock: a JSON document, passwords included. */
  snapshot(): Snapshot;
  /**
   * Restores a snapshot, the clock included; faults, settings and the request log stay. Throws a TypeError, and changes
   * nothing, if the document is not of this format or belongs to other projects.
   */
  restore(snapshot: Snapshot): void;
  /** Resets to the initial state: no objects, faults or requests, settings and clock as given, the same ids again. */
  reset(): void;
}

export interface Emulator extends Controls {
  /** `http://127.0.0.1:PORT/api/v1` */
  readonly baseUrl: string;
  /** Bearer value of the default caller. */
  readonly apiKey: string;
  /** Id of the default project. */
  readonly projectId: string;
  /** Seed of ids and hosts: another emulator with this seed generates the same ones. */
  readonly seed: number;
  /** PEM file of the certificate of its PostgreSQL servers, which clients trust; undefined if there are none. */
  readonly caFile: string | undefined;
  /** `http://127.0.0.1:PORT/_emulator/v1`: the same functions over HTTP, for tests in any language. */
  readonly adminUrl: string;
  /** The console, for a browser: what there is and what happens. The link has a key, and works until the emulator ends. */
  readonly consoleUrl: string;
  /** Bearer value of the admin API; the API key is not accepted there. */
  readonly adminKey: string;
  /** Ends every connection and timer. You can call it twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
