// The shapes of the contract's answers, written down from its tables and from nothing else, and a checker that names the
// first field that does not fit.

/** A type name ("string", "number", "boolean", "date-time"), an enum, a nested shape, or a list of one of them. */
export type Type =
  | "string"
  | "number"
  | "boolean"
  | "date-time"
  | { oneOf: readonly string[] }
  | { fields: Shape }
  | { list: Type };

/** Optional fields end in "?". */
export interface Shape {
  readonly [field: string]: Type;
}

export const list = (fields: Shape): Type => ({ list: { fields } });

export const Project: Shape = { id: "string", name: "string" };

export const Vpc: Shape = { id: "string", cidr: "string", name: "string", region_code: "string" };

export const Peering: Shape = {
  id: "string",
  peer_account_id: "string",
  peer_region_code: "string",
  peer_vpc_id: "string",
  "error_message?": "string",
  "provisioned_id?": "string",
  "status?": "string",
};

const Endpoint: Shape = { "host?": "string", "port?": "number" };

const ConnectionPooler: Shape = { "endpoint?": { fields: Endpoint } };

const Metadata: Shape = { "environment?": "string" };

export const ReadReplicaSet: Shape = {
  id: "string",
  cpu_millis: "number",
  memory_gbs: "number",
  name: "string",
  nodes: "number",
  status: { oneOf: ["creating", "active", "resizing", "deleting", "error"] },
  "connection_pooler?": { fields: ConnectionPooler },
  "endpoint?": { fields: Endpoint },
  "metadata?": { fields: Metadata },
};

const VpcEndpoint: Shape = { "host?": "string", "port?": "number", "vpc_id?": "string" };

const ResourceSpec: Shape = { "cpu_millis?": "number", "memory_gbs?": "number", "volume_type?": "string" };

const serviceStatuses = [
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
];

export const Service: Shape = {
  created: "date-time",
  name: "string",
  project_id: "string",
  region_code: "string",
  resources: { list: { fields: { "id?": "string", "spec?": { fields: ResourceSpec } } } },
  service_id: "string",
  service_type: { oneOf: ["SERIESDB", "POSTGRES", "VECTOR"] },
  status: { oneOf: serviceStatuses },
  "connection_pooler?": { fields: ConnectionPooler },
  "data_tiering?": { fields: { "enabled?": "boolean" } },
  "endpoint?": { fields: Endpoint },
  "forked_from?": { fields: { "is_standby?": "boolean", "project_id?": "string", "service_id?": "string" } },
  "ha_replicas?": { fields: { "replica_count?": "number", "sync_replica_count?": "number" } },
  "initial_password?": "string",
  "log_exporter_id?": "string",
  "metadata?": { fields: Metadata },
  "metric_exporter_id?": "string",
  "metrics?": { fields: { "memory_mb?": "number", "milli_cpu?": "number", "storage_mb?": "number" } },
  "read_replica_sets?": { list: { fields: ReadReplicaSet } },
  "vpc_endpoint?": { fields: VpcEndpoint },
  "vpcEndpoint?": { fields: VpcEndpoint },
};

export const Message: Shape = { "message?": "string" };

export const Logs: Shape = {
  logs: { list: "string" },
  "entries?": { list: { fields: { message: "string", severity: "string", timestamp: "date-time" } } },
  "last_cursor?": "string",
  "lastCursor?": "string",
};

export const ErrorBody: Shape = { code: "string", message: "string" };

/** The optional members of a shape, with those of its parts. */
export function* optionalIn(shape: Shape, before = ""): Generator<[path: string, type: Type]> {
  for (const [key, type] of Object.entries(shape)) {
    const path = before + key.replace("?", "");
    if (key.endsWith("?")) yield [path, type];
    if (typeof type !== "object") continue;
    if ("fields" in type) yield* optionalIn(type.fields, `${path}.`);
    if ("list" in type && typeof type.list === "object" && "fields" in type.list) {
      yield* optionalIn(type.list.fields, `${path}.0.`);
    }
  }
}

/** All that does not fit, one line each. With `isOpen`, fields that the shape does not know are let through. */
export function misfits(value: unknown, type: Type, isOpen: boolean, path = "$"): string[] {
  if (typeof type === "string")
    return fitsWord(value, type) ? [] : [`${path}: not a ${type}: ${JSON.stringify(value)}`];
  if ("oneOf" in type)
    return type.oneOf.some((word) => word === value) ? [] : [`${path}: unexpected ${JSON.stringify(value)}`];
  if ("list" in type) {
    if (!Array.isArray(value)) return [`${path}: not a list`];
    return value.flatMap((item, index) => misfits(item, type.list, isOpen, `${path}[${index}]`));
  }
  return fieldMisfits(value, type.fields, isOpen, path);
}

function fieldMisfits(value: unknown, shape: Shape, isOpen: boolean, path: string): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path}: not an object`];
  const fields = new Map<string, unknown>(Object.entries(value));
  const found: string[] = [];
  for (const [key, type] of Object.entries(shape)) {
    const name = key.replace("?", "");
    const field = fields.get(name);
    fields.delete(name);
    if (field === undefined || field === null) {
      if (!key.endsWith("?")) found.push(`${path}.${name}: missing`);
      continue;
    }
    found.push(...misfits(field, type, isOpen, `${path}.${name}`));
  }
  if (!isOpen) for (const name of fields.keys()) found.push(`${path}.${name}: not in the contract`);
  return found;
}

function fitsWord(value: unknown, type: "string" | "number" | "boolean" | "date-time"): boolean {
  if (type === "date-time")
    return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
  return typeof value === type;
}

/** Of the fault `members`: a service shows no address. */
export const NO_ADDRESSES = {
  vpc_endpoint: "absent",
  vpcEndpoint: "absent",
  endpoint: "absent",
  connection_pooler: "absent",
} as const;
