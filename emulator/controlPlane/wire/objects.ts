// The JSON of every kind of object, both spellings of deprecated fields included. Only writes fields:
// `readById` and `listed` decide which body is shown.

import type { Switches } from "../settings/settings";
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
} from "../world/entities";
import { hashOf } from "../world/random";
import { listed, type World } from "../world/world";

type Wire = Record<string, unknown>;

/** What is left of a body when each property is taken. A property without a field does not compile. */
type Nothing = Record<string, never>;

export const projectWire = ({ settings: { switches } }: World, { id, name }: Project): Wire =>
  finish(switches, {}, { id, name }, undefined);

export function vpcWire({ settings: { switches } }: World, { id, wire }: Vpc, body: VpcBody): Wire {
  const { cidr, name, regionCode, status, ...others } = body;
  const later = switches.vpcStatus ? { status: statusWord(switches, status) } : {};
  return finish(switches, others, { id, cidr, name, region_code: regionCode, ...later }, wire);
}

export function peeringWire({ settings: { switches } }: World, { id, wire }: Peering, body: PeeringBody): Wire {
  const { peerAccountId, peerRegionCode, peerVpcId, errorMessage, provisionedId, status, ...others } = body;
  const fields = {
    id,
    peer_account_id: peerAccountId,
    peer_region_code: peerRegionCode,
    peer_vpc_id: peerVpcId,
    error_message: errorMessage,
    provisioned_id: provisionedId,
    status: statusWord(switches, status),
  };
  return finish(switches, others, fields, wire);
}

/** `parent`: a set moves with its service. */
export function replicaSetWire(world: World, set: ReplicaSet, body: ReplicaSetBody, parent: ServiceBody): Wire {
  const { switches } = world.settings;
  const { cpuMillis, memoryGbs, name, nodes, status, poolerEnabled, environment, ...others } = body;
  const { id, service } = set;
  const isUp = status !== "creating";
  const address = (role: "direct" | "pooler"): Address | undefined =>
    addressOf(world, { id, projectId: service.projectId }, parent, role);
  const fields = {
    id,
    cpu_millis: cpuMillis,
    memory_gbs: memoryGbs,
    name,
    nodes,
    status: statusWord(switches, status),
    endpoint: isUp ? address("direct") : undefined,
    connection_pooler: isUp && poolerEnabled ? { endpoint: address("pooler") } : undefined,
    metadata: environment === undefined ? undefined : { environment },
  };
  return finish(switches, others, fields, set.wire);
}

export function shownReplicaSets(world: World, service: Service, parent: ServiceBody, now: number): Wire[] {
  const shown = listed(service.replicaSets.values(), now);
  return shown.map(({ entity, body }) => replicaSetWire(world, entity, body, parent));
}

/** Only the answer of a create or a fork has the password, and a whole endpoint at once. */
export function serviceWire(
  world: World,
  service: Service,
  body: ServiceBody,
  now: number,
  initialPassword?: string,
): Wire {
  const { switches } = world.settings;
  const { name, regionCode, serviceType, status, cpuMillis, memoryGbs, replicaCount, syncReplicaCount, ...more } = body;
  const { environment, poolerEnabled, vpcId, moves: _moves, ...others } = more;
  const { projectId, forkedFrom } = service;
  const whole = addressOf(world, service, body, "direct", switches.renameMovesHost);
  const pooler = addressOf(world, service, body, "pooler", switches.renameMovesHost);
  const isUp = status !== "QUEUED" && status !== "CONFIGURING";
  const inVpc = vpcId === undefined ? undefined : { ...whole, vpc_id: vpcId };
  const fields = {
    created: createdText(service, initialPassword === undefined ? 6 : 9),
    project_id: projectId,
    service_id: service.id,
    name,
    region_code: regionCode,
    resources: [{ id: `${service.id}-0`, spec: { cpu_millis: cpuMillis, memory_gbs: memoryGbs, volume_type: "" } }],
    service_type: serviceType,
    status: statusWord(switches, status),
    metrics: status === "READY" ? usage(service, body, now) : undefined,
    connection_pooler: poolerEnabled && isUp ? { endpoint: pooler } : undefined,
    endpoint: initialPassword === undefined ? publicEndpoint(switches, body, whole) : whole,
    vpc_endpoint: switches.vpcEndpointSpelling === "vpcEndpoint" ? undefined : inVpc,
    vpcEndpoint: switches.vpcEndpointSpelling === "vpc_endpoint" ? undefined : inVpc,
    ha_replicas:
      switches.omitZeroHa && replicaCount === 0
        ? undefined
        : { replica_count: replicaCount, sync_replica_count: syncReplicaCount },
    metadata: { environment },
    // Nothing of this API sets them.
    data_tiering: { enabled: false },
    log_exporter_id: undefined,
    metric_exporter_id: undefined,
    forked_from: forkedFrom && {
      is_standby: false,
      project_id: forkedFrom.projectId,
      service_id: forkedFrom.serviceId,
    },
    initial_password: initialPassword,
    read_replica_sets: shownReplicaSets(world, service, body, now),
  };
  return finish(switches, others, fields, service.wire);
}

/** API: the answer of a POST has nanoseconds, every later one microseconds, for the same time. */
function createdText(service: Service, digits: 6 | 9): string {
  const fraction = hashOf(service.id, 1_000_000).toString().padStart(6, "0");
  return `${new Date(service.createdAt).toISOString().slice(0, -1)}${fraction.slice(0, digits - 3)}Z`;
}

/** Usage changes by itself once a minute, so that no client can mistake it for configuration. */
function usage(service: Service, body: ServiceBody, now: number): Wire {
  const minute = Math.floor(now / 60_000);
  return {
    memory_mb: 200 + hashOf(`${service.id}/memory/${minute}`, (body.memoryGbs ?? 1) * 800),
    milli_cpu: 5 + hashOf(`${service.id}/cpu/${minute}`, body.cpuMillis ?? 250),
    storage_mb: 30 + hashOf(`${service.id}/storage`, 900),
  };
}

/** The address of a service, or of one of its replica sets, which moves with it. Undefined while it has none. */
function addressOf(
  { backend }: World,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  { moves, vpcId, name }: ServiceBody,
  role: "direct" | "pooler",
  isNamed = false,
): Required<Address> | undefined {
  return backend.address({ id, projectId, role, moves, vpcId, name: isNamed ? name : undefined });
}

/** API: while a service is being set up the endpoint is first missing, then has a host without a port. */
function publicEndpoint(
  { endpointInVpc }: Switches,
  { status, vpcId }: ServiceBody,
  whole: Required<Address> | undefined,
): Address | undefined {
  if (status === "QUEUED") return undefined;
  if (status === "CONFIGURING") return whole && { host: whole.host };
  if (vpcId === undefined || endpointInVpc === "kept") return whole;
  return endpointInVpc === "empty" ? {} : undefined;
}

function statusWord({ statusCase }: Switches, word: string): string {
  if (statusCase === "lower") return word.toLowerCase();
  return statusCase === "upper" ? word.toUpperCase() : word;
}

/** Completes an object: nulls for absent values, fields of later versions, fields set out of band. */
function finish(switches: Switches, _others: Nothing, fields: Wire, override: Wire | undefined): Wire {
  const finished = switches.nullFields ? withNulls(fields) : fields;
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
