// How a service and its logs look on the wire. Contract: "Service", "Get service logs".

import { z } from "zod";
import type { Endpoint, VpcEndpoint } from "../../domain/endpoint";
import { notShownList } from "../../domain/listed";
import { conditionOfService, type ForkedFrom, isServiceReady, type Service, type ServiceResource } from "./inputs";
import { readItems } from "../../api/operations/answer";
import type { ReadReplicaSet } from "../readReplicaSet/inputs";
import { readReplicaSetItems } from "../readReplicaSet/wire";
import { all, completion, notShown, object, orElse, orNone, some } from "../../api/operations/objects";
import {
  addressRows,
  answeredId,
  connectionPooler,
  endpoint,
  endpointShape,
  environmentTag,
  notZero,
  word,
} from "../../api/operations/wire";

/** API: a server that has nothing to list may send `null`. */
function listOf<T>(schema: z.ZodType<T>): z.ZodType<T[]> {
  return z
    .array(schema)
    .nullish()
    .transform((value) => value ?? []);
}

const specShape = object<NonNullable<ServiceResource["spec"]>>({
  // API: a service on shared resources shows its `spec`, without sizes.
  cpuMillis: orElse(notZero, ({ memoryGbs = null }) => (memoryGbs === null ? null : undefined)),
  memoryGbs: orElse(notZero, ({ cpuMillis = null }) => (cpuMillis === null ? null : undefined)),
  volumeType: notShown(word),
});

const resource = object<ServiceResource>({ id: notShown(word), spec: notShown(specShape.schema) });

const forkShape = object<ForkedFrom>({
  serviceId: notShown(word),
  projectId: notShown(word),
  isStandby: notShown(z.boolean()),
});

const metricsShape = object<NonNullable<Service["metrics"]>>({
  memoryMb: notShown(z.number()),
  milliCpu: notShown(z.number()),
  storageMb: notShown(z.number()),
});

const haShape = object<NonNullable<Service["haReplicas"]>>({
  replicaCount: notShown(z.number()),
  // API: all replicas are asynchronous by default.
  syncReplicaCount: orElse(z.number(), ({ replicaCount }) => (replicaCount === undefined ? undefined : 0)),
});

const vpcEndpointShape = object<VpcEndpoint>({ ...addressRows, vpcId: notShown(word) });
const addressInVpc = some(vpcEndpointShape)
  // A port alone is no address.
  .transform((address) => ((address?.vpcId ?? address?.host) === undefined ? undefined : address));

/** The members that show where a service is. */
type Addressed = Pick<Service, "status" | "endpoint" | "vpcEndpoint">;

/**
 * API: a service in no VPC has a public address, so only one that shows it is detached: a paused service may show no address at
 * all. With an address and without `vpc_id` it is attached, to a VPC that is not shown. Two spellings of one member; the older
 * one counts where it is alone.
 */
const vpcEndpoint = orElse<Addressed, Service["vpcEndpoint"]>(
  addressInVpc,
  ({ endpoint: open }) => (isReachable(open) ? null : undefined),
  "vpc_endpoint",
  "vpcEndpoint",
);

function isReachable(address: Endpoint | null | undefined): boolean {
  return address?.host !== undefined;
}

const serviceInVpc = object<Pick<Service, "endpoint" | "vpcEndpoint">>({
  endpoint: notShown(endpoint),
  vpcEndpoint: notShown(addressInVpc, "vpc_endpoint", "vpcEndpoint"),
}).schema;

/** The VPC of an otherwise unreadable service: null if it shows a public address, undefined if it does not show where it is. */
function vpcOf(item: Readonly<Record<string, unknown>>): string | null | undefined {
  const { success, data } = serviceInVpc.safeParse(item);
  if (!success) return undefined;
  return data.vpcEndpoint?.vpcId ?? (data.vpcEndpoint === undefined && isReachable(data.endpoint) ? null : undefined);
}

const serviceShape = object<Service>({
  serviceId: answeredId,
  projectId: answeredId,
  name: z.string(),
  regionCode: word,
  created: word,
  serviceType: word,
  status: word,
  resources: listOf(resource.schema),
  // One set that cannot be read does not make its service unreadable. Where the server has a list of its own for them that
  // one decides, and no value is none elsewhere.
  readReplicaSets: z
    .array(z.unknown())
    .nullish()
    .transform((sets) => (sets ? readItems(sets, readReplicaSetItems) : notShownList<ReadReplicaSet>())),
  vpcEndpoint,
  // API: a service in a VPC has no public address. Any other has one, which can come later than the status.
  endpoint: orElse(endpoint, ({ vpcEndpoint: inVpc }) => (inVpc ? null : undefined)),
  // API: off, if it runs and shows its own address; the proof of `disablePooler`.
  connectionPooler: orElse(connectionPooler, ({ status, endpoint: open, vpcEndpoint: inVpc }: Addressed) =>
    isServiceReady(status) && (isReachable(open) || isReachable(inVpc)) ? null : undefined,
  ),
  // API: absent means 0, 0.
  haReplicas: orElse(some(haShape), () => ({ replicaCount: 0, syncReplicaCount: 0 })),
  // API: free text, and some answers of tagged services leave it out.
  environment: notShown(environmentTag, "metadata"),
  // Contract: nothing says that only forks lack it in an answer.
  forkedFrom: notShown(some(forkShape)),
  // Contract: only the answer of a create or a fork has it.
  initialPassword: notShown(z.string()),
  dataTieringEnabled: notShown(
    z.object({ enabled: z.boolean().nullish() }).transform(({ enabled }) => enabled ?? undefined),
    "data_tiering",
  ),
  // Contract: "absent when no log exporter is attached", and the same of metrics.
  logExporterId: orNone(word),
  metricExporterId: orNone(word),
  metrics: notShown(some(metricsShape)),
});
export const uncompiledService = serviceShape.schema;
/** Compiled, because a run reads thousands: that takes half the time and a third of the memory. */
const schema: z.ZodType<Service> = z.compile(uncompiledService);

const isSettled = (service: Service): boolean => conditionOfService(service) === "settled";

const complete = all<Service>(
  completion(serviceShape, (service) => [service], isSettled),
  completion(haShape, ({ haReplicas }) => [haReplicas], isSettled),
  completion(resource, ({ resources }) => resources, isSettled),
  completion(specShape, ({ resources }) => resources.map(({ spec }) => spec), isSettled),
  completion(vpcEndpointShape, (service) => [service.vpcEndpoint], isSettled),
  completion(endpointShape, (service) => [service.endpoint, service.connectionPooler?.endpoint], isSettled),
  completion(forkShape, ({ forkedFrom }) => [forkedFrom], isSettled),
  completion(metricsShape, ({ metrics }) => [metrics], isSettled),
  (services, isAlone) => {
    readReplicaSetItems.complete(
      services.flatMap(({ readReplicaSets }) => readReplicaSets),
      isAlone,
    );
  },
);

export const serviceItems = { schema, idKey: "service_id", nameKey: "name", vpcOf, complete };

export interface LogEntry {
  message: string;
  /** A PostgreSQL severity, like LOG, WARNING, ERROR or FATAL. */
  severity: string;
  /** RFC 3339. */
  timestamp: string;
}

export interface LogPage {
  /** Newest first, at most 500. */
  logs: string[];
  /** The same with time and severity; absent if the server sends only texts. */
  entries?: LogEntry[] | undefined;
  /** Where the next, older page begins; absent on the last one. */
  lastCursor?: string | undefined;
}

const entrySchema: z.ZodType<LogEntry> = z.object({ message: z.string(), severity: word, timestamp: word });

export const logPageSchema = object<LogPage>({
  logs: listOf(z.string()),
  entries: notShown(z.array(entrySchema)),
  // API: an empty cursor leads nowhere, like none at all.
  lastCursor: notShown(z.string(), "last_cursor", "lastCursor"),
}).schema;
