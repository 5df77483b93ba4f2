// What it means that an answer has no value for an optional member of an object. There are three answers: a value, `null` for
// "shown as none", and `undefined` for "not shown". This table alone decides between the last two.
// API: absence, `null`, `""`, `{}`, an empty list, and 0 as a port or a size all say the same, by server: no value. 0 as a
// count or as an amount of usage is a value, and so is `false`.
// A row counts only for a settled object: a change under way may hide a member for a moment. It counts in a read of the object
// by itself, and in a list that shows the member of another object. In any other list no value only means: read it by its id.

import type { ConnectionPooler, Endpoint, VpcEndpoint } from "../../domain/endpoint";
import type { Peering } from "../../kinds/peering/inputs";
import { conditionOfReplicaSet, type ReadReplicaSet } from "../../kinds/readReplicaSet/inputs";
import { conditionOfService, type Service } from "../../kinds/service/inputs";
import { conditionOfVpc, type Vpc } from "../../kinds/vpc/inputs";
import type { OptionalKey } from "./wire";

/** No value: the object has none of it. */
const none = (): null => null;
/** No value: the server does not show it. */
const notShown = (): undefined => undefined;

/** One row per optional member: without it, the member does not compile. */
type Rows<T> = { readonly [K in OptionalKey<T>]: (object: T) => T[K] };

const addressRows: Rows<Endpoint> = {
  // Contract: both are optional. API: either may come later than the other.
  host: notShown,
  port: notShown,
};

const poolerRows: Rows<ConnectionPooler> = {
  // A pooler without an address is no pooler (`connection_pooler` of the owner): it never gets here.
  endpoint: notShown,
};

const serviceRows: Rows<Service> = {
  // API: detached. With an address and without `vpc_id` it is attached, to a VPC that is not shown.
  vpcEndpoint: none,
  // API: a service in a VPC has no public address. Any other has one, which can come later than the status.
  endpoint: ({ vpcEndpoint }) => (vpcEndpoint ? null : undefined),
  // API: off; the proof of `disablePooler`.
  connectionPooler: none,
  // API: absent means 0, 0.
  haReplicas: () => ({ replicaCount: 0, syncReplicaCount: 0 }),
  // API: free text, and some answers of tagged services leave it out.
  environment: notShown,
  // Contract: nothing says that only forks lack it in an answer.
  forkedFrom: notShown,
  // Contract: only the answer of a create or a fork has it.
  initialPassword: notShown,
  dataTieringEnabled: notShown,
  // Contract: "absent when no log exporter is attached", and the same of metrics.
  logExporterId: none,
  metricExporterId: none,
  metrics: notShown,
  // `read_replica_sets`, a list: where the server has a list of its own for them that one decides, and no value is none elsewhere.
};

const haRows: Rows<NonNullable<Service["haReplicas"]>> = {
  replicaCount: notShown,
  // API: all replicas are asynchronous by default.
  syncReplicaCount: ({ replicaCount }) => (replicaCount === undefined ? undefined : 0),
};

const resourceRows: Rows<Service["resources"][number]> = {
  id: notShown,
  spec: notShown,
};

const specRows: Rows<NonNullable<Service["resources"][number]["spec"]>> = {
  // API: a service on shared resources shows its `spec`, without sizes.
  cpuMillis: ({ memoryGbs = null }) => (memoryGbs === null ? null : undefined),
  memoryGbs: ({ cpuMillis = null }) => (cpuMillis === null ? null : undefined),
  volumeType: notShown,
};

const vpcEndpointRows: Rows<VpcEndpoint> = { ...addressRows, vpcId: notShown };

const forkRows: Rows<NonNullable<Service["forkedFrom"]>> = {
  serviceId: notShown,
  projectId: notShown,
  isStandby: notShown,
};

const metricsRows: Rows<NonNullable<Service["metrics"]>> = {
  memoryMb: notShown,
  milliCpu: notShown,
  storageMb: notShown,
};

const replicaSetRows: Rows<ReadReplicaSet> = {
  connectionPooler: none,
  // It can come later than the status.
  endpoint: notShown,
  environment: notShown,
};

const vpcRows: Rows<Vpc> = {
  // API: only newer deployments, which create and delete VPCs asynchronously, send one.
  status: none,
};

const peeringRows: Rows<Peering> = {
  status: notShown,
  // API: it comes some time after the create.
  provisionedId: notShown,
  // Contract: there "when the peering failed".
  errorMessage: none,
};

/** Fills in what no value means, in objects of one answer. `isAlone`: the answer is about one object. */
export type Completion<T> = (objects: readonly T[], isAlone: boolean) => void;

function completion<T, Part extends object>(
  partsOf: (object: T) => readonly (Part | null | undefined)[],
  isSettled: (object: T) => boolean,
  rows: Rows<Part>,
): Completion<T> {
  type Row = (part: Part) => Part[OptionalKey<Part>];
  const deciding = Object.entries<Row>(rows).filter(([, without]) => (without as unknown) !== notShown) as [
    OptionalKey<Part>,
    Row,
  ][];
  return (objects, isAlone) => {
    for (const [key, without] of deciding) {
      const isShown = (object: T): boolean => partsOf(object).some((part) => part?.[key] !== undefined);
      if (!isAlone && !objects.some(isShown)) continue;
      for (const part of objects.filter(isSettled).flatMap(partsOf)) {
        if (part !== undefined && part !== null && part[key] === undefined) {
          part[key] = without(part);
        }
      }
    }
  };
}

function all<T>(...completions: readonly Completion<T>[]): Completion<T> {
  return (objects, isAlone) => {
    for (const complete of completions) complete(objects, isAlone);
  };
}

const isSetSettled = (set: ReadReplicaSet): boolean => conditionOfReplicaSet(set) === "settled";
const isSettled = (service: Service): boolean => conditionOfService(service) === "settled";

export const completeReplicaSets: Completion<ReadReplicaSet> = all(
  completion((set) => [set], isSetSettled, replicaSetRows),
  completion(({ connectionPooler }) => [connectionPooler], isSetSettled, poolerRows),
  completion(({ endpoint, connectionPooler }) => [endpoint, connectionPooler?.endpoint], isSetSettled, addressRows),
);

export const completeServices: Completion<Service> = all(
  completion((service) => [service], isSettled, serviceRows),
  completion(({ haReplicas }) => [haReplicas], isSettled, haRows),
  completion(({ resources }) => resources, isSettled, resourceRows),
  completion(({ resources }) => resources.map(({ spec }) => spec), isSettled, specRows),
  completion(({ vpcEndpoint }) => [vpcEndpoint], isSettled, vpcEndpointRows),
  completion(({ connectionPooler }) => [connectionPooler], isSettled, poolerRows),
  completion(({ endpoint, connectionPooler }) => [endpoint, connectionPooler?.endpoint], isSettled, addressRows),
  completion(({ forkedFrom }) => [forkedFrom], isSettled, forkRows),
  completion(({ metrics }) => [metrics], isSettled, metricsRows),
  (services, isAlone) => {
    completeReplicaSets(
      services.flatMap(({ readReplicaSets }) => readReplicaSets),
      isAlone,
    );
  },
);

export const completeVpcs: Completion<Vpc> = completion(
  (vpc) => [vpc],
  (vpc) => conditionOfVpc(vpc) === "settled",
  vpcRows,
);

// API: the statuses of peerings are not documented, so that every peering counts as settled.
export const completePeerings: Completion<Peering> = completion(
  (peering) => [peering],
  () => true,
  peeringRows,
);
