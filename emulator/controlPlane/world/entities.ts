// The objects of the world: their properties, and the ledger entry of each change. Types only.

import type { ForkSource, ServerLogEntry } from "../../databases/backend";
import type { Timeline } from "./timeline";

export interface Project {
  readonly id: string;
  readonly name: string;
}

/** How long a new object stays hidden: until a moment, and for so many reads. */
export interface Hidden {
  readonly until: number;
  reads: number;
}

/** From GET by id, and from lists. */
export interface HiddenFrom {
  get: Hidden;
  list: Hidden;
}

export interface VpcBody {
  readonly status: string;
  readonly name: string;
  readonly cidr: string;
  readonly regionCode: string;
}

export interface PeeringBody {
  readonly status: string;
  readonly peerAccountId: string;
  readonly peerRegionCode: string;
  readonly peerVpcId: string;
  readonly provisionedId?: string | undefined;
  readonly errorMessage?: string | undefined;
}

export interface Address {
  host?: string;
  port?: number;
}

export interface ReplicaSetBody {
  readonly status: string;
  readonly name: string;
  readonly cpuMillis: number;
  readonly memoryGbs: number;
  readonly nodes: number;
  readonly poolerEnabled: boolean;
  readonly environment?: string | undefined;
}

export interface ServiceBody {
  readonly status: string;
  readonly name: string;
  readonly regionCode: string;
  readonly serviceType: string;
  /** Absent for a shared service. */
  readonly cpuMillis?: number | undefined;
  readonly memoryGbs?: number | undefined;
  readonly replicaCount: number;
  readonly syncReplicaCount: number;
  readonly environment: string;
  readonly poolerEnabled: boolean;
  readonly vpcId?: string | undefined;
  /** Counts the moves in and out of VPCs: each move changes the addresses. */
  readonly moves: number;
}

/** What the creation of a new service gives; the rest of its body follows. */
export type NewService = Pick<
  ServiceBody,
  "name" | "regionCode" | "serviceType" | "cpuMillis" | "memoryGbs" | "replicaCount" | "environment"
>;

interface Entity<K extends string, B> {
  readonly kind: K;
  readonly id: string;
  readonly timeline: Timeline<B>;
  readonly hidden: HiddenFrom;
  /** Fields that override those of the answer, set out of band, to imitate servers that answer differently. */
  wire?: Record<string, unknown> | undefined;
}

export interface Vpc extends Entity<"vpc", VpcBody> {
  readonly projectId: string;
  readonly peerings: Map<string, Peering>;
}

export interface Peering extends Entity<"peering", PeeringBody> {
  readonly vpc: Vpc;
}

export interface ReplicaSet extends Entity<"replicaSet", ReplicaSetBody> {
  readonly service: Service;
}

export interface LogEntry extends ServerLogEntry {
  /** 0 is the primary. */
  readonly node: number;
  /** Orders entries with the same time; increases with each entry. */
  readonly sequence: number;
}

export interface Service extends Entity<"service", ServiceBody> {
  readonly projectId: string;
  createdAt: number;
  firstBackupAt: number;
  password: string;
  readonly initialPassword: string;
  readonly forkedFrom?: { projectId: string; serviceId: string } | undefined;
  /** Identifies its databases, if it has any: after a reset the same ids are assigned again. */
  readonly cluster?: string | undefined;
  readonly source?: ForkSource | undefined;
  /** The extensions that its addons name. */
  readonly extensions: readonly string[];
  readonly replicaSets: Map<string, ReplicaSet>;
  /** Oldest first. */
  readonly logs: LogEntry[];
  endpointGapReads: number;
}

/** The kinds of objects. Every table by kind follows from this one. */
export interface Kinds {
  vpc: Vpc;
  peering: Peering;
  service: Service;
  replicaSet: ReplicaSet;
}

export type ObjectKind = keyof Kinds;

export type AnyEntity = Kinds[ObjectKind];

export type BodyOf<K extends ObjectKind> = NonNullable<Kinds[K]["timeline"]["settled"]>;

export interface LedgerEntry {
  /** Moment of the emulator's clock at which the change was accepted, epoch milliseconds. */
  at: number;
  kind: ObjectKind;
  id: string;
  name: string;
  event: "created" | "changed" | "deleted";
  operation: string | undefined;
  /** "mutate" for changes out of band. */
  by: "api" | "mutate";
  requestId: string | undefined;
  /** Whether another change of the same service or VPC was still running. */
  overlapped: boolean;
}
