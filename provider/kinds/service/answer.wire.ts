// How a service and its logs look on the wire. Contract: "Service", "Get service logs".

import { z } from "zod";
import type { VpcEndpoint } from "../../domain/endpoint";
import type { Service, ServiceResource } from "./inputs";
import { readItems } from "../../api/operations/items";
import { readReplicaSetItems } from "../readReplicaSet/wire";
import {
  answeredId,
  connectionPooler,
  endpoint,
  listOf,
  metadata,
  notZero,
  unlessEmpty,
  withOptional,
  word,
} from "../../api/operations/wire";

const number = z.number().nullish();
const string = z.string().nullish();
const someWord = word.nullish();
const flag = z.boolean().nullish();

const resourceSchema: z.ZodType<ServiceResource> = z
  .object({
    id: someWord,
    spec: z.object({ cpu_millis: number, memory_gbs: number, volume_type: someWord }).nullish(),
  })
  .transform(({ id, spec }) =>
    withOptional<ServiceResource>(
      {},
      {
        id,
        // An empty one is a value: shared resources.
        spec:
          spec &&
          withOptional<NonNullable<ServiceResource["spec"]>>(
            {},
            {
              cpuMillis: notZero(spec.cpu_millis),
              memoryGbs: notZero(spec.memory_gbs),
              volumeType: spec.volume_type,
            },
          ),
      },
    ),
  );

const vpcEndpointSchema: z.ZodType<VpcEndpoint | undefined> = z
  .object({ host: someWord, port: number, vpc_id: someWord })
  // A port alone is no address.
  .transform(({ vpc_id: vpcId, host, port }) =>
    vpcId || host ? unlessEmpty<VpcEndpoint>({ vpcId, host, port: notZero(port) }) : undefined,
  );

/** API: two spellings of one member; the older one counts where it is alone. */
const spellings = z
  .object({ vpc_endpoint: vpcEndpointSchema.nullish(), vpcEndpoint: vpcEndpointSchema.nullish() })
  .transform(({ vpc_endpoint: current, vpcEndpoint: former }) => current ?? former);

/** The VPC of an otherwise unreadable service: null for no value, undefined if the VPC is unreadable or not shown. */
export function vpcOf(item: Readonly<Record<string, unknown>>): string | null | undefined {
  const { success, data } = spellings.safeParse(item);
  if (!success) return undefined;
  return data ? data.vpcId : null;
}

const wireService = z.object({
  service_id: answeredId,
  project_id: answeredId,
  name: z.string(),
  region_code: word,
  created: word,
  service_type: word,
  status: word,
  resources: listOf(resourceSchema),
  endpoint: endpoint.nullish(),
  connection_pooler: connectionPooler.nullish(),
  vpc_endpoint: vpcEndpointSchema.nullish(),
  vpcEndpoint: vpcEndpointSchema.nullish(),
  ha_replicas: z.object({ replica_count: number, sync_replica_count: number }).nullish(),
  metadata: metadata.nullish(),
  forked_from: z.object({ service_id: someWord, project_id: someWord, is_standby: flag }).nullish(),
  initial_password: string,
  data_tiering: z.object({ enabled: flag }).nullish(),
  log_exporter_id: someWord,
  metric_exporter_id: someWord,
  metrics: z.object({ memory_mb: number, milli_cpu: number, storage_mb: number }).nullish(),
  // One set that cannot be read does not make its service unreadable.
  read_replica_sets: listOf(z.unknown()).transform((sets) => readItems(sets, readReplicaSetItems)),
});

export const uncompiledService: z.ZodType<Service> = wireService.transform(decodeService);
/** Compiled, because a run reads thousands: that takes half the time and a third of the memory. */
export const serviceSchema: z.ZodType<Service> = z.compile(uncompiledService);

type Part<Key extends keyof Service> = NonNullable<Service[Key]>;

function decodeService(wire: z.output<typeof wireService>): Service {
  const { ha_replicas: ha, forked_from: parent, metrics } = wire;
  return withOptional<Service>(
    {
      serviceId: wire.service_id,
      projectId: wire.project_id,
      name: wire.name,
      regionCode: wire.region_code,
      created: wire.created,
      serviceType: wire.service_type,
      status: wire.status,
      resources: wire.resources,
      readReplicaSets: wire.read_replica_sets,
    },
    {
      endpoint: wire.endpoint,
      connectionPooler: wire.connection_pooler,
      // API: two spellings of one member; the older one counts where it is alone.
      vpcEndpoint: wire.vpc_endpoint ?? wire.vpcEndpoint,
      haReplicas:
        ha &&
        unlessEmpty<Part<"haReplicas">>({ replicaCount: ha.replica_count, syncReplicaCount: ha.sync_replica_count }),
      environment: wire.metadata?.environment,
      forkedFrom:
        parent &&
        unlessEmpty<Part<"forkedFrom">>({
          serviceId: parent.service_id,
          projectId: parent.project_id,
          isStandby: parent.is_standby,
        }),
      initialPassword: wire.initial_password,
      dataTieringEnabled: wire.data_tiering?.enabled,
      logExporterId: wire.log_exporter_id,
      metricExporterId: wire.metric_exporter_id,
      metrics:
        metrics &&
        unlessEmpty<Part<"metrics">>({
          memoryMb: metrics.memory_mb,
          milliCpu: metrics.milli_cpu,
          storageMb: metrics.storage_mb,
        }),
    },
  );
}

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
  /** The same with time and severity; absent where a server sends texts alone. */
  entries?: LogEntry[] | undefined;
  /** Where the next, older page begins; absent on the last one. */
  lastCursor?: string | undefined;
}

const entrySchema: z.ZodType<LogEntry> = z.object({
  message: z.string(),
  severity: word,
  timestamp: word,
});

export const logPageSchema: z.ZodType<LogPage> = z
  .object({
    logs: listOf(z.string()),
    entries: z.array(entrySchema).nullish(),
    last_cursor: string,
    lastCursor: string,
  })
  .transform(({ logs, entries, last_cursor: current, lastCursor: former }) =>
    // API: an empty cursor leads nowhere, like none at all.
    withOptional<LogPage>({ logs }, { entries, lastCursor: current || former }),
  );
