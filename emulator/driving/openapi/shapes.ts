// The objects of the contract as answers show them, for the OpenAPI document. Fields that a server may leave out are
// optional; a client must expect unknown fields.

import { z } from "zod";
import type { PeeringFields, VpcFields } from "../../controlPlane/wire/network";
import type { ReplicaSetFields } from "../../controlPlane/wire/replicaSets";
import type { ServiceFields } from "../../controlPlane/wire/services";

/** A field of the answers that the shape lacks does not compile, nor does one that no answer has. */
type Described<Fields> = { readonly [Field in keyof Fields]-?: z.ZodType };

const text = z.string();
const number = z.number();
const laterText = text.meta({ "x-offer": "extension" });

const endpoint = z.object({ host: text, port: number }).partial();
const connectionPooler = z.object({ endpoint }).partial();
const metadata = z.object({ environment: text }).partial();
const vpcEndpoint = z.object({ host: text, port: number, vpc_id: text }).partial();

export const replicaSetStatus = z.enum(["creating", "active", "resizing", "deleting", "error"]);

const readReplicaSet = z.object({
  id: text,
  cpu_millis: number,
  memory_gbs: number,
  name: text,
  nodes: number,
  status: replicaSetStatus,
  connection_pooler: connectionPooler.optional(),
  endpoint: endpoint.optional(),
  metadata: metadata.optional(),
} satisfies Described<ReplicaSetFields>);

const resource = z
  .object({ id: text, spec: z.object({ cpu_millis: number, memory_gbs: number, volume_type: text }).partial() })
  .partial();

export const serviceStatus = z.enum([
  "QUEUED",
  "DELETING",
  "CONFIGURING",
  "READY",
  "DELETED",
  "UNSTABLE",
  "PAUSING",
  "PAUSED",
  "RESUMING",
  "UPGRADING",
  "OPTIMIZING",
]);

const deprecated = <S extends z.ZodType>(schema: S, description: string): S =>
  schema.meta({ deprecated: true, description });

/** `serviceTypes`: the type names of this deployment, those of the contract first. */
const service = (serviceTypes: readonly string[]) =>
  z.object({
    created: z.iso.datetime({ offset: true }),
    name: text,
    project_id: text,
    region_code: text,
    resources: z.array(resource),
    service_id: text,
    service_type: z.enum(serviceTypes),
    status: serviceStatus,
    connection_pooler: connectionPooler.optional(),
    data_tiering: z.object({ enabled: z.boolean() }).partial().optional(),
    endpoint: endpoint.optional(),
    forked_from: z.object({ is_standby: z.boolean(), project_id: text, service_id: text }).partial().optional(),
    ha_replicas: z.object({ replica_count: number, sync_replica_count: number }).partial().optional(),
    initial_password: text.meta({ format: "password" }).optional(),
    log_exporter_id: text.meta({ format: "uuid" }).optional(),
    metadata: metadata.optional(),
    metric_exporter_id: text.meta({ format: "uuid" }).optional(),
    metrics: z.object({ memory_mb: number, milli_cpu: number, storage_mb: number }).partial().optional(),
    read_replica_sets: z.array(readReplicaSet).optional(),
    vpc_endpoint: vpcEndpoint.optional(),
    vpcEndpoint: deprecated(vpcEndpoint, "the same as vpc_endpoint").optional(),
  } satisfies Described<ServiceFields>);

/** API: later generations of VPCs have them. */
export const vpcStatus = z.enum(["CREATING", "CREATED", "DELETING", "DELETED", "ERROR", "UNKNOWN"]);

const logs = z.object({
  logs: z.array(text),
  entries: z.array(z.object({ message: text, severity: text, timestamp: z.iso.datetime({ offset: true }) })).optional(),
  last_cursor: text.optional(),
  lastCursor: deprecated(text, "the same as last_cursor").optional(),
});

/** The components of the document, by name. */
export const shapesFor = (serviceTypes: readonly string[]) => ({
  Project: z.object({ id: text, name: text }),
  // API: later generations send a status, which the contract does not mention.
  Vpc: z.object({
    id: text,
    cidr: text,
    name: text,
    region_code: text,
    status: laterText.optional(),
  } satisfies Described<VpcFields>),
  Peering: z.object({
    id: text,
    peer_account_id: text,
    peer_region_code: text,
    peer_vpc_id: text,
    error_message: text.optional(),
    provisioned_id: text.optional(),
    status: text.optional(),
  } satisfies Described<PeeringFields>),
  Service: service(serviceTypes),
  ReadReplicaSet: readReplicaSet,
  Logs: logs,
  Message: z.object({ message: text }).partial(),
  Error: z.object({ code: text, message: text, details: text }).partial(),
  AuthInfo: z.object({ type: z.enum(["apiKey", "oauth"]) }),
  Received: z.object({ status: text }),
  SeriesNames: z.array(text),
  Series: z.array(z.object({ labels: z.record(text, text), data: z.array(z.unknown()) })),
});

export type ShapeName = keyof ReturnType<typeof shapesFor>;
