// What runs behind a service: nothing, with states from the clock alone, or real PostgreSQL processes. The control
// plane says what it wants and waits for the work; it does not know which of the two it uses.

export interface Backend {
  /** The `postgres` part of `state()`. */
  readonly state: PostgresState;
  /** How many more servers may be started. */
  room(): number;
  /** The address of an object; undefined as long as it has none. */
  address(query: AddressQuery): BackendAddress | undefined;
  /** Brings the servers behind the service to the wanted state; the work is done at once if there is nothing to do. */
  apply(wanted: WantedService, work: Work): void;
  /**
   * Called before anything is applied, with the services of an earlier run. Data of any other service are removed. Throws,
   * and removes nothing, if databases are missing, or if they are there and the folder has no world (`isNew`).
   */
  resume(services: readonly WantedService[], isNew: boolean): Promise<void>;
  /** Stops and removes the servers of all other services. */
  keepOnly(serviceIds: ReadonlySet<string>): void;
  /** Ends all processes, and removes the files that are not in the folder of `--data`. */
  close(): Promise<void>;
}

/** Which PostgreSQL runs behind the endpoints. */
export type PostgresState =
  | {
      readonly kind: "off";
      /** Why there is none although the emulator looked for one; undefined if none was requested. */
      readonly missing?: string | undefined;
    }
  | {
      readonly kind: "processes";
      /** Like "18.4". */
      readonly version: string;
      /** Where the programs come from: "PATH", "npm", "given", or the folder that was searched. */
      readonly source: string;
      readonly bin: string;
      /** PEM file of the certificate of all servers of this emulator, which clients trust. */
      readonly caFile: string;
    };

export interface BackendAddress {
  readonly host: string;
  readonly port: number;
}

export interface AddressQuery {
  readonly id: string;
  readonly projectId: string;
  readonly role: "direct" | "pooler";
  /** Counts the moves in and out of VPCs: each move changes the addresses. */
  readonly moves: number;
  readonly vpcId: string | undefined;
  /** The name, if the host contains it. */
  readonly name: string | undefined;
}

export interface WantedService {
  readonly id: string;
  /** Tells this service from an earlier one with the same id; undefined if it was made without databases. */
  readonly cluster: string | undefined;
  readonly power: "running" | "stopped" | "gone";
  readonly password: string;
  readonly moves: number;
  /** Undefined for a shared service. */
  readonly memoryGbs: number | undefined;
  readonly poolerEnabled: boolean;
  readonly extensions: readonly string[];
  readonly source: ForkSource | undefined;
  readonly replicaSets: readonly WantedReplicaSet[];
}

export interface ForkSource {
  readonly serviceId: string;
  readonly cluster?: string | undefined;
  /** Real epoch milliseconds: the fork contains exactly what was committed by then. */
  readonly at: number;
}

export interface WantedReplicaSet {
  readonly id: string;
  readonly memoryGbs: number;
  readonly poolerEnabled: boolean;
}

/** Work on a service: begun, then done. A failure is also written into the log of the service, and shows as its status. */
export class Work {
  isBegun = false;
  isDone = false;
  failure: string | undefined = undefined;
  readonly #addressed = Promise.withResolvers<void>();
  readonly #done = Promise.withResolvers<void>();
  /** The address of a running service is taken, before the work begins. Never rejects. */
  readonly addressed = this.#addressed.promise;
  /** Never rejects. */
  readonly done = this.#done.promise;

  address(): void {
    this.#addressed.resolve();
  }

  begin(): void {
    this.isBegun = true;
  }

  finish(failure: string | undefined): void {
    Object.assign(this, { isBegun: true, isDone: true, failure });
    this.#addressed.resolve();
    this.#done.resolve();
  }
}

export interface BackendEvents {
  logged(serviceId: string, entry: ServerLogEntry): void;
  /**
   * The server crashed or could not be started; `work` starts it again. `reason` is undefined if it was reported
   * before.
   */
  failed(serviceId: string, work: Work, reason: string | undefined): void;
}

export interface ServerLogEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly severity: string;
  readonly message: string;
}
