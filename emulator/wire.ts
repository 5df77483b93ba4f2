// The wire form of every object: snake_case, optional fields, both spellings of the deprecated twins. The field order is
// the contract's. Nothing here decides anything; `views.ts` says which body is shown.

import { hashOf } from "./random";
import type { Switches } from "./switches";
import { seeListed } from "./views";
import type {
  Address,
  Peering,
  PeeringBody,
  Project,
  ReplicaSet,
  ReplicaSetBody,
  Service,
  ServiceBody,
  Vpc,
  VpcBody,
} from "./entities";
import type { World } from "./world";

type Wire = Record<string, unknown>;

export const minuteMs = 60_000;

export function projectWire(world: World, project: Project): Wire {
  return finish(world.settings.switches, { id: project.id, name: project.name }, undefined);
}

export function vpcWire(world: World, vpc: Vpc, body: VpcBody): Wire {
  const { switches } = world.settings;
  const wire: Wire = { id: vpc.id, cidr: body.cidr, name: body.name, region_code: body.regionCode };
  if (switches.vpcStatus) wire["status"] = statusWord(switches, body.status);
  return finish(switches, wire, vpc.wire);
}

export function peeringWire(world: World, peering: Peering, body: PeeringBody): Wire {
  const wire: Wire = {
    id: peering.id,
    peer_account_id: body.peerAccountId,
    peer_region_code: body.peerRegionCode,
    peer_vpc_id: body.peerVpcId,
    error_message: body.errorMessage,
    provisioned_id: body.provisionedId,
    status: statusWord(world.settings.switches, body.status),
  };
  return finish(world.settings.switches, wire, peering.wire);
}

export function replicaSetWire(world: World, set: ReplicaSet, body: ReplicaSetBody, parent: ServiceBody): Wire {
  const isUp = body.status !== "creating";
  const host = hostOf(set.id, set.service.projectId, parent);
  const wire: Wire = {
    id: set.id,
    cpu_millis: body.cpuMillis,
    memory_gbs: body.memoryGbs,
    name: body.name,
    nodes: body.nodes,
    status: statusWord(world.settings.switches, body.status),
    connection_pooler:
      isUp && body.poolerEnabled ? { endpoint: { host, port: poolerPort(set.id, parent) } } : undefined,
    endpoint: isUp ? { host, port: directPort(set.id, parent) } : undefined,
    metadata: body.environment === undefined ? undefined : { environment: body.environment },
  };
  return finish(world.settings.switches, wire, set.wire);
}

/** How precise `created` is: API: the POST answer has nanoseconds, every later one microseconds, for one instant. */
type Precision = "nanoseconds" | "microseconds";

export function serviceWire(
  world: World,
  service: Service,
  body: ServiceBody,
  now: number,
  answer: { precision: Precision; initialPassword?: string; hasEndpoint?: boolean } = { precision: "microseconds" },
): Wire {
  const { switches } = world.settings;
  const isSettled = body.status === "READY";
  const wire: Wire = {
    created: createdText(service, answer.precision),
    name: body.name,
    project_id: service.projectId,
    region_code: body.regionCode,
    resources: [
      { id: `${service.id}-0`, spec: { cpu_millis: body.cpuMillis, memory_gbs: body.memoryGbs, volume_type: "" } },
    ],
    service_id: service.id,
    service_type: body.serviceType,
    status: statusWord(switches, body.status),
    ...addressWires(switches, service, body, answer.hasEndpoint),
    data_tiering: { enabled: body.dataTieringEnabled },
    forked_from: forkedFromWire(service),
    ha_replicas: haWire(switches, body),
    initial_password: answer.initialPassword,
    log_exporter_id: body.logExporterId,
    metadata: { environment: body.environment },
    metric_exporter_id: body.metricExporterId,
    metrics: isSettled ? metricsWire(service, body, now) : undefined,
    read_replica_sets: [...shownReplicaSets(world, service, body, now)],
  };
  return finish(switches, wire, service.wire);
}

export function* shownReplicaSets(world: World, service: Service, parent: ServiceBody, now: number): Generator<Wire> {
  for (const set of service.replicaSets.values()) {
    const body = seeListed(set, now);
    if (body) yield replicaSetWire(world, set, body, parent);
  }
}

function addressWires(switches: Switches, service: Service, body: ServiceBody, hasEndpoint = false): Wire {
  const host = hostOf(service.id, service.projectId, body, switches.renameMovesHost);
  const port = directPort(service.id, body);
  const pooler = { host, port: poolerPort(service.id, body) };
  const isUp = body.status !== "QUEUED" && body.status !== "CONFIGURING";
  const inVpc = body.vpcId === undefined ? undefined : { host, port, vpc_id: body.vpcId };
  const spelling = switches.vpcEndpointSpelling;
  return {
    connection_pooler: body.poolerEnabled && isUp ? { endpoint: pooler } : undefined,
    endpoint: hasEndpoint ? { host, port } : (body.endpoint ?? publicEndpoint(switches, body, { host, port })),
    vpc_endpoint: spelling === "vpcEndpoint" ? undefined : inVpc,
    vpcEndpoint: spelling === "vpc_endpoint" ? undefined : inVpc,
  };
}

/** API: while a service is being set up the endpoint is missing first, then has a host without a port. */
function publicEndpoint(switches: Switches, body: ServiceBody, address: Required<Address>): Address | undefined {
  if (body.status === "QUEUED") return undefined;
  if (body.status === "CONFIGURING") return { host: address.host };
  if (body.vpcId === undefined || switches.endpointInVpc === "kept") return address;
  return switches.endpointInVpc === "empty" ? {} : undefined;
}

function hostOf(id: string, projectId: string, body: ServiceBody, isNamed = false): string {
  const label = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, "-")
      .replace(/^-|-$/g, "");
  const name = isNamed ? `${label(body.name)}.` : "";
  const network = body.vpcId === undefined ? "pg" : `vpc${label(body.vpcId)}`;
  return `${name}${label(id)}.${label(projectId)}.${network}.dbcloud.example`;
}

const directPort = (id: string, body: ServiceBody): number => 30_000 + hashOf(`${id}/${body.moves}`, 9_000);
const poolerPort = (id: string, body: ServiceBody): number => 40_000 + hashOf(`${id}/${body.moves}`, 9_000);

function createdText(service: Service, precision: Precision): string {
  const fraction = hashOf(service.id, 1_000_000).toString().padStart(6, "0");
  const digits = precision === "nanoseconds" ? fraction : fraction.slice(0, 3);
  return `${new Date(service.createdAt).toISOString().slice(0, -1)}${digits}Z`;
}

function forkedFromWire(service: Service): Wire | undefined {
  if (!service.forkedFrom) return undefined;
  return { is_standby: false, project_id: service.forkedFrom.projectId, service_id: service.forkedFrom.serviceId };
}

function haWire(switches: Switches, body: ServiceBody): Wire | undefined {
  if (switches.omitZeroHa && body.replicaCount === 0) return undefined;
  return { replica_count: body.replicaCount, sync_replica_count: body.syncReplicaCount };
}

/** Usage changes by itself, once a minute, so that nobody can mistake it for configuration. */
function metricsWire(service: Service, body: ServiceBody, now: number): Wire {
  const minute = Math.floor(now / minuteMs);
  return {
    memory_mb: 200 + hashOf(`${service.id}/memory/${minute}`, (body.memoryGbs ?? 1) * 800),
    milli_cpu: 5 + hashOf(`${service.id}/cpu/${minute}`, body.cpuMillis ?? 250),
    storage_mb: 30 + hashOf(`${service.id}/storage`, 900),
  };
}

function statusWord(switches: Switches, word: string): string {
  if (switches.statusCase === "lower") return word.toLowerCase();
  return switches.statusCase === "upper" ? word.toUpperCase() : word;
}

/** Lays the last touches on an object: nulls for what is absent, fields of the future, fields set out of band. */
function finish(switches: Switches, wire: Wire, override: Wire | undefined): Wire {
  const finished = switches.nullFields ? withNulls(wire) : wire;
  if (switches.unknownFields) finished["introduced_later"] = { enabled: true, words: ["a", "b"] };
  return override ? { ...finished, ...override } : finished;
}

function withNulls(wire: Wire): Wire {
  return Object.fromEntries(Object.entries(wire).map(([key, value]) => [key, nullFor(value)]));
}

function nullFor(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullFor);
  return typeof value === "object" && value !== null ? withNulls({ ...value }) : (value ?? null);
}
