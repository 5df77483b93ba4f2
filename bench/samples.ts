// A service in its three forms: on the wire, in a program, and in the state.

import { serviceOperations } from "../provider/kinds/service/wire.ts";
import type { Service } from "../provider/kinds/service/inputs.ts";
import { service } from "../provider/kinds/service/definition.ts";
import { reportedService } from "../provider/kinds/service/reported.definition.ts";
import { writeState } from "../provider/core/state.ts";
import type { Values } from "../provider/domain/values/value.ts";

export const PROJECT_ID = "proj000001";
export const PROVIDER_LINE = 'exports.handler = () => require("pulumi-dbcloud/provider").provider("service");';

/** The JSON of `GET …/services` for this many services. */
export function listText(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, index) => wireOf(index)));
}

function wireOf(index: number): unknown {
  const id = `svc${String(index).padStart(7, "0")}`;
  const host = `${id}.${PROJECT_ID}.pg.dbcloud.example`;
  return {
    created: "2026-01-01T12:00:00.123456Z",
    name: `orders-${index}`,
    project_id: PROJECT_ID,
    region_code: "us-east-1",
    resources: [{ id: `${id}-0`, spec: { cpu_millis: 1000, memory_gbs: 4, volume_type: "" } }],
    service_id: id,
    service_type: "SERIESDB",
    status: "READY",
    connection_pooler: { endpoint: { host, port: 41_234 } },
    endpoint: { host, port: 31_234 },
    data_tiering: { enabled: false },
    ha_replicas: { replica_count: 1, sync_replica_count: 0 },
    metadata: { environment: "PROD" },
    metrics: { memory_mb: 812, milli_cpu: 120, storage_mb: 930 },
    read_replica_sets: [],
  };
}

export function decode(text: string): Service[] {
  const subject = { operation: "listServices", label: "listServices" };
  return serviceOperations.list.answer.decode({ json: JSON.parse(text) }, { projectId: PROJECT_ID }, subject);
}

/** The inputs of a program: every usual one. */
export const inputs: Values = {
  name: "orders-0",
  regionCode: "us-east-1",
  addons: ["time-series"],
  cpuMillis: 1000,
  memoryGbs: 4,
  environment: "PROD",
  haReplicas: { replicaCount: 1 },
  poolerEnabled: true,
  __provider: PROVIDER_LINE,
};

/** The state after a create with these inputs. */
export function stateOf(item: Service): Values {
  const reported = reportedService(item);
  const managed = Object.keys(inputs).filter((key) => !key.startsWith("__"));
  const state = {
    resource: service,
    item: reported,
    live: reported.live(),
    asked: inputs,
    olds: {},
    projectId: PROJECT_ID,
    managed,
  };
  return { ...writeState(state), __provider: PROVIDER_LINE };
}
