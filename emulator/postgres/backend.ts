// What stands behind a service: nothing but the clock, or real PostgreSQL processes. The control plane says what it wants
// and waits for the work; it never knows which of the two it talks to. Imports nothing.

export interface Backend {
  /** What `state().postgres` shows. */
  readonly state: PostgresState;
  /** How many more servers may be started. */
  room(): number;
  /** Where clients find an object; undefined as long as it has no address. */
  address(query: AddressQuery): BackendAddress | undefined;
  /** Brings what stands behind the service to what is wanted; undefined where there is nothing to wait for. */
  apply(wanted: WantedService): Work | undefined;
  /** Before anything is applied: the services that are kept from an earlier run. What belongs to none of them is removed. */
  resume(services: readonly WantedService[]): Promise<void>;
  /** Ends and removes what stands behind all other services. */
  keepOnly(serviceIds: ReadonlySet<string>): void;
  /** The service refuses connections for so many real milliseconds after the work that has just been asked for. */
  refuse(serviceId: string, ms: number): void;
  /** Ends all processes, and removes the files that are not kept in the folder of `--data`. */
  close(): Promise<void>;
}

/** Which PostgreSQL stands behind the endpoints. */
export type PostgresState =
  | {
      readonly kind: "off";
      /** Why there is none although one was looked for; undefined where none was asked for. */
      readonly missing?: string | undefined;
    }
  | {
      readonly kind: "processes";
      /** Like "18.4". */
      readonly version: string;
      /** Where the programs come from: "PATH", "pg_config", "npm", "given", or the folder that was searched. */
      readonly source: string;
      readonly bin: string;
      /** "pass-through" does not pool: it is a second address that takes the pooler's database names. */
      readonly pooler: "pgbouncer" | "pass-through";
      /** PEM file of the authority that all servers of this emulator are certified by. */
      readonly caFile: string;
    };

export interface BackendAddress {
  readonly host: string;
  readonly port: number;
}

export interface AddressQuery {
  /** Of a service or of a read replica set. */
  readonly id: string;
  readonly projectId: string;
  readonly role: "direct" | "pooler";
  /** Counts the moves in and out of VPCs: every one gives new addresses. */
  readonly moves: number;
  readonly vpcId: string | undefined;
  /** The name, where the host carries it. */
  readonly name: string | undefined;
}

export interface WantedService {
  readonly id: string;
  /** Tells this service from another one that had the same id before; undefined where none is kept. */
  readonly cluster: string | undefined;
  readonly power: "running" | "stopped" | "gone";
  readonly password: string;
  readonly moves: number;
  /** Undefined for a shared service. */
  readonly memoryGbs: number | undefined;
  readonly replicaCount: number;
  readonly syncReplicaCount: number;
  readonly poolerEnabled: boolean;
  /** Extensions that the service is to have, where the server offers them. */
  readonly extensions: readonly string[];
  /** Where the data come from at the beginning; undefined: none. */
  readonly source: ForkSource | undefined;
  readonly replicaSets: readonly WantedReplicaSet[];
}

export interface ForkSource {
  readonly serviceId: string;
  readonly cluster: string | undefined;
  /** Real epoch milliseconds: what was committed by then is in the fork, and nothing else. */
  readonly at: number;
}

export interface WantedReplicaSet {
  readonly id: string;
  readonly nodes: number;
  readonly memoryGbs: number;
  readonly poolerEnabled: boolean;
}

/** Work on a service, for those who show its status. */
export interface Work {
  readonly isBegun: boolean;
  readonly isDone: boolean;
  /** Never rejects. */
  readonly done: Promise<void>;
}

/** What processes report by themselves. */
export interface BackendEvents {
  logged(serviceId: string, entry: ServerLogEntry): void;
  /** The server crashed or could not be started; `work` starts it again. `reason` is undefined if it was reported before. */
  failed(serviceId: string, work: Work, reason: string | undefined): void;
  /** An address of the service is another one now. */
  moved(serviceId: string): void;
}

export interface ServerLogEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  /** 0 is the primary, standbys follow. */
  readonly node: number;
  readonly severity: string;
  readonly message: string;
}
