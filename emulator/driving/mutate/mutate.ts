// Changes out of band: what somebody does in the vendor's console. They take effect at once, without a transition, and
// reads show them at once.

import type { LogLine } from "../../controlPlane/world/logs";
import type { PeeringState, ReplicaSetState, ServiceState, VpcState } from "../../controlPlane/world/state";
import type { Kind, PeeringBody, ReplicaSetBody, ServiceBody, VpcBody } from "../../controlPlane/world/entities";

/** Fields that override those of the answer as they are, valid or not: `{ status: null, future_field: 1 }`. */
export interface WireOverride {
  wire?: Record<string, unknown>;
}

/** `undefined` removes an optional value. A `status` ends the running change, if any. */
export type VpcMutation = Partial<VpcBody> & WireOverride;
export type PeeringMutation = Partial<PeeringBody> & WireOverride;
export type ReplicaSetMutation = Partial<ReplicaSetBody> & WireOverride;
export type ServiceMutation = Partial<Omit<ServiceBody, "moves">> &
  WireOverride & {
    /** true: PAUSED, false: READY. */
    paused?: boolean;
    password?: string;
    /** Epoch milliseconds. */
    createdAt?: number;
    /** Epoch milliseconds; if in the future, no fork from the last snapshot and no replica set until then. */
    firstBackupAt?: number;
  };

/** All throw an Error if the object does not exist. */
export type Mutate = OfEachKind<{
  readonly createVpc: (fields?: VpcMutation & { projectId?: string }) => VpcState;
  readonly vpc: (vpcId: string, fields: VpcMutation) => VpcState;
  /** Ignores its services and peerings. */
  readonly deleteVpc: (vpcId: string) => void;
  readonly createPeering: (vpcId: string, fields?: PeeringMutation) => PeeringState;
  readonly peering: (peeringId: string, fields: PeeringMutation) => PeeringState;
  readonly deletePeering: (peeringId: string) => void;
  readonly createService: (
    fields?: ServiceMutation & { projectId?: string; forkedFrom?: { projectId: string; serviceId: string } },
  ) => ServiceState;
  readonly service: (serviceId: string, fields: ServiceMutation) => ServiceState;
  /** Its replica sets are deleted with it. */
  readonly deleteService: (serviceId: string) => void;
  readonly createReplicaSet: (serviceId: string, fields?: ReplicaSetMutation) => ReplicaSetState;
  readonly replicaSet: (replicaSetId: string, fields: ReplicaSetMutation) => ReplicaSetState;
  readonly deleteReplicaSet: (replicaSetId: string) => void;
  /** Writes into the logs of a service. */
  readonly logs: (serviceId: string, lines: readonly LogLine[]) => void;
}>;

/** Objects of each kind can be created, changed and deleted. A kind that lacks one of the three does not compile. */
type OfEachKind<
  Functions extends Record<{ [K in Kind]: `create${Capitalize<K>}` | K | `delete${Capitalize<K>}` }[Kind], unknown>,
> = Functions;
