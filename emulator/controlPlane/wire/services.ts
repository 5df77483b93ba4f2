// The wire form of services, both spellings of deprecated fields included.

import type { Backend } from "../../databases/backend";
import type { Switches } from "../settings/switches";
import type { Service, ServiceBody } from "../world/entities";
import { hashOf } from "../world/random";
import type { World } from "../world/world";
import { addressOf, publicEndpoint } from "./addresses";
import { finish, statusWord, writeRows, type Rows, type Wire } from "./fields";
import { shownReplicaSets } from "./replicaSets";

export const minuteMs = 60_000;

/** The additional fields in the answer of a create or a fork. */
export interface CreateAnswer {
  readonly initialPassword: string;
  readonly hasEndpoint: boolean;
}

interface View {
  readonly backend: Backend;
  readonly service: Service;
  readonly body: ServiceBody;
  readonly now: number;
  readonly switches: Switches;
  readonly created: CreateAnswer | undefined;
}

const rows = {
  name: ({ body }) => ({ name: body.name }),
  regionCode: ({ body }) => ({ region_code: body.regionCode }),
  cpuMillis: ({ service, body }) => {
    const spec = { cpu_millis: body.cpuMillis, memory_gbs: body.memoryGbs, volume_type: "" };
    return { resources: [{ id: `${service.id}-0`, spec }] };
  },
  memoryGbs: { with: "cpuMillis" },
  serviceType: ({ body }) => ({ service_type: body.serviceType }),
  status: ({ service, body, now, switches }) => ({
    status: statusWord(switches, body.status),
    metrics: body.status === "READY" ? usage(service, body, now) : undefined,
  }),
  poolerEnabled: ({ backend, service, body, switches }) => {
    const isUp = body.status !== "QUEUED" && body.status !== "CONFIGURING";
    const endpoint = addressOf(backend, service, body, "pooler", switches.renameMovesHost);
    return { connection_pooler: body.poolerEnabled && isUp ? { endpoint } : undefined };
  },
  endpoint: ({ backend, service, body, switches, created }) => {
    const whole = addressOf(backend, service, body, "direct", switches.renameMovesHost);
    return { endpoint: created?.hasEndpoint ? whole : publicEndpoint(backend, switches, service, body) };
  },
  vpcId: ({ backend, service, body, switches }) => {
    const address = addressOf(backend, service, body, "direct", switches.renameMovesHost);
    const inVpc = body.vpcId === undefined ? undefined : { ...address, vpc_id: body.vpcId };
    const spelling = switches.vpcEndpointSpelling;
    return {
      vpc_endpoint: spelling === "vpcEndpoint" ? undefined : inVpc,
      vpcEndpoint: spelling === "vpc_endpoint" ? undefined : inVpc,
    };
  },
  moves: { with: "endpoint" },
  dataTieringEnabled: ({ body, switches }) =>
    switches.tieringAndExporters ? { data_tiering: { enabled: body.dataTieringEnabled } } : {},
  replicaCount: ({ body, switches }) => {
    const counts = { replica_count: body.replicaCount, sync_replica_count: body.syncReplicaCount };
    return { ha_replicas: switches.omitZeroHa && body.replicaCount === 0 ? undefined : counts };
  },
  syncReplicaCount: { with: "replicaCount" },
  logExporterId: ({ body, switches }) => (switches.tieringAndExporters ? { log_exporter_id: body.logExporterId } : {}),
  environment: ({ body }) => ({ metadata: { environment: body.environment } }),
  metricExporterId: ({ body, switches }) =>
    switches.tieringAndExporters ? { metric_exporter_id: body.metricExporterId } : {},
} satisfies Rows<ServiceBody, View>;

const fieldsOf = (world: World, view: View) => {
  const { service, body, now, created } = view;
  const { forkedFrom } = service;
  return {
    created: createdText(service, created === undefined ? 6 : 9),
    project_id: service.projectId,
    service_id: service.id,
    ...writeRows(rows, view),
    forked_from: forkedFrom && {
      is_standby: false,
      project_id: forkedFrom.projectId,
      service_id: forkedFrom.serviceId,
    },
    initial_password: created?.initialPassword,
    read_replica_sets: [...shownReplicaSets(world, service, body, now)],
  };
};

export type ServiceFields = ReturnType<typeof fieldsOf>;

export function serviceWire(
  world: World,
  service: Service,
  body: ServiceBody,
  now: number,
  created?: CreateAnswer,
): Wire {
  const { switches } = world.settings;
  const { backend } = world;
  return finish(switches, fieldsOf(world, { backend, service, body, now, switches, created }), service.wire);
}

/** API: the answer of a POST has nanoseconds, every later one microseconds, for the same time. */
function createdText(service: Service, digits: 6 | 9): string {
  const fraction = hashOf(service.id, 1_000_000).toString().padStart(6, "0");
  return `${new Date(service.createdAt).toISOString().slice(0, -1)}${fraction.slice(0, digits - 3)}Z`;
}

/** Usage changes by itself once a minute, so that no client can mistake it for configuration. */
function usage(service: Service, body: ServiceBody, now: number): Wire {
  const minute = Math.floor(now / minuteMs);
  return {
    memory_mb: 200 + hashOf(`${service.id}/memory/${minute}`, (body.memoryGbs ?? 1) * 800),
    milli_cpu: 5 + hashOf(`${service.id}/cpu/${minute}`, body.cpuMillis ?? 250),
    storage_mb: 30 + hashOf(`${service.id}/storage`, 900),
  };
}
