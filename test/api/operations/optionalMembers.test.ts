// What no value of each optional member of the contract means: in a read of a settled object, and where it means nothing.

import { expect, test } from "vitest";
import { peeringOperations } from "../../../provider/kinds/peering/wire";
import { readReplicaSetOperations } from "../../../provider/kinds/readReplicaSet/wire";
import { serviceOperations } from "../../../provider/kinds/service/wire";
import { vpcOperations } from "../../../provider/kinds/vpc/wire";
import { optionalIn, Peering, ReadReplicaSet, Service, type Shape, type Type, Vpc } from "../../contract/shapes";
import { wirePeering, wireService, wireVpc } from "../fixtures";

const IDS = {
  projectId: "prj0000001",
  serviceId: "svc1234567",
  vpcId: "77",
  peeringId: "901",
  replicaSetId: "rrs00001",
};
const SUBJECT = { operation: "read", label: "read" };
const wireWhole = { ...wireService, initial_password: "once" };
const { vpc_endpoint: inVpc, ...wireDetached } = wireWhole;
const [wireSet] = wireService.read_replica_sets;

interface Kind {
  shape: Shape;
  wire: object;
  /** The changes of it that make it unsettled. None: the contract does not tell when it is settled. */
  unsettled?: object;
  /** How one object is read, and how several. */
  one: (json: unknown) => unknown;
  list: (json: unknown[]) => readonly unknown[];
}

const readService: Pick<Kind, "one" | "list"> = {
  one: (json) => serviceOperations.get.answer.decode({ json }, IDS, SUBJECT),
  list: (json) => serviceOperations.list.answer.decode({ json }, IDS, SUBJECT),
};
const SERVICE: Kind = { shape: Service, wire: wireWhole, unsettled: { status: "CONFIGURING" }, ...readService };

const KINDS: Readonly<Record<string, Kind>> = {
  service: SERVICE,
  "service in a VPC by the older spelling": { ...SERVICE, wire: { ...wireDetached, vpcEndpoint: inVpc } },
  // API: a set has no read of its own, and its list shows all of it.
  readReplicaSet: {
    shape: ReadReplicaSet,
    wire: wireSet ?? {},
    unsettled: { status: "resizing" },
    one: (json) => readReplicaSetOperations.list.answer.decode({ json: [json] }, IDS, SUBJECT)[0],
    list: () => [],
  },
  vpc: {
    // Contract: without a status. API: newer deployments send one.
    shape: { ...Vpc, "status?": "string" },
    wire: { ...wireVpc, status: "CREATED" },
    one: (json) => vpcOperations.get.answer.decode({ json }, IDS, SUBJECT),
    list: (json) => vpcOperations.list.answer.decode({ json }, IDS, SUBJECT),
  },
  peering: {
    shape: Peering,
    wire: wirePeering,
    one: (json) => peeringOperations.get.answer.decode({ json }, IDS, SUBJECT),
    list: (json) => peeringOperations.list.answer.decode({ json }, IDS, SUBJECT),
  },
};

/** Not shown: whatever reads it knows nothing. */
const NOTHING = undefined;

/** Where no value of a member shows, and what a read of a settled object then says: null is "none". */
const MEANING: Readonly<Record<string, readonly [place: string, means: unknown]>> = {
  connection_pooler: ["connectionPooler", null],
  "connection_pooler.endpoint": ["connectionPooler", null],
  "connection_pooler.endpoint.host": ["connectionPooler.endpoint.host", NOTHING],
  "connection_pooler.endpoint.port": ["connectionPooler.endpoint.port", NOTHING],
  data_tiering: ["dataTieringEnabled", NOTHING],
  "data_tiering.enabled": ["dataTieringEnabled", NOTHING],
  "endpoint.host": ["endpoint.host", NOTHING],
  "endpoint.port": ["endpoint.port", NOTHING],
  forked_from: ["forkedFrom", NOTHING],
  "forked_from.is_standby": ["forkedFrom.isStandby", NOTHING],
  "forked_from.project_id": ["forkedFrom.projectId", NOTHING],
  "forked_from.service_id": ["forkedFrom.serviceId", NOTHING],
  ha_replicas: ["haReplicas", { replicaCount: 0, syncReplicaCount: 0 }],
  "ha_replicas.replica_count": ["haReplicas.replicaCount", NOTHING],
  "ha_replicas.sync_replica_count": ["haReplicas.syncReplicaCount", 0],
  initial_password: ["initialPassword", NOTHING],
  log_exporter_id: ["logExporterId", null],
  metadata: ["environment", NOTHING],
  "metadata.environment": ["environment", NOTHING],
  metric_exporter_id: ["metricExporterId", null],
  metrics: ["metrics", NOTHING],
  "metrics.memory_mb": ["metrics.memoryMb", NOTHING],
  "metrics.milli_cpu": ["metrics.milliCpu", NOTHING],
  "metrics.storage_mb": ["metrics.storageMb", NOTHING],
  "resources.0.id": ["resources.0.id", NOTHING],
  "resources.0.spec": ["resources.0.spec", NOTHING],
  // Beside the other size. Without both the resources are shared.
  "resources.0.spec.cpu_millis": ["resources.0.spec.cpuMillis", NOTHING],
  "resources.0.spec.memory_gbs": ["resources.0.spec.memoryGbs", NOTHING],
  "resources.0.spec.volume_type": ["resources.0.spec.volumeType", NOTHING],
  vpc_endpoint: ["vpcEndpoint", null],
  vpcEndpoint: ["vpcEndpoint", null],
  ...Object.fromEntries(
    ["vpc_endpoint", "vpcEndpoint"].flatMap((spelling) => [
      [`${spelling}.host`, ["vpcEndpoint.host", NOTHING]],
      [`${spelling}.port`, ["vpcEndpoint.port", NOTHING]],
      [`${spelling}.vpc_id`, ["vpcEndpoint.vpcId", NOTHING]],
    ]),
  ),
  // The public address. A service in a VPC has none.
  "service endpoint": ["endpoint", null],
  "readReplicaSet endpoint": ["endpoint", NOTHING],
  "vpc status": ["status", null],
  "peering status": ["status", NOTHING],
  "peering provisioned_id": ["provisionedId", NOTHING],
  "peering error_message": ["errorMessage", null],
};

/** 0 as a count or as an amount of usage is a value, and so are `false` and sizes that are both absent. */
const IS_VALUE_AS_ZERO = /^(ha_replicas|metrics)\..|enabled|is_standby|spec$/;

interface Case {
  kind: Kind;
  without: object;
  place: string;
  means: unknown;
}

function* casesOf(name: string, kind: Kind): Generator<[string, Case]> {
  for (const [path, type] of optionalIn(kind.shape)) {
    // One of the two spellings of a member.
    if (/^vpc_?endpoint/i.test(path) && at(kind.wire, path) === undefined) continue;
    const inSet = path.replace(/^read_replica_sets\.0\./, "");
    const owner = inSet === path ? (name.split(" ")[0] ?? "") : "readReplicaSet";
    const found = MEANING[`${owner} ${inSet}`] ?? MEANING[inSet];
    // A list of parts: no value is an empty one.
    const [place, means] = path === "read_replica_sets" ? ["readReplicaSets", []] : (found ?? ["no row", path]);
    for (const [form, value] of Object.entries({ absent: undefined, null: null, zero: zeroOf(type) })) {
      if (form === "zero" && IS_VALUE_AS_ZERO.test(path)) continue;
      const object = without(kind.wire, path, value);
      const where = inSet === path ? place : `readReplicaSets.0.${place}`;
      yield [`${name}: ${path} ${form}`, { kind, without: object, place: where, means }];
    }
  }
}

test.each(Object.entries(KINDS).flatMap(([name, kind]) => [...casesOf(name, kind)]))("%s", (_, found) => {
  const { kind, without: object, place, means } = found;
  // What a list shows of another object, it would show of this one.
  const [listed] = kind.list([object, { ...kind.wire, service_id: "svc0000002", id: "902" }]);
  const shown = [kind.one(object), ...(listed === undefined ? [] : [listed])].map((one) => at(one, place));
  expect(shown).toEqual(shown.map(() => means));
  // A list may be poorer than single reads, and a change under way may hide a member for a moment.
  const hiding = [...kind.list([object]), ...(kind.unsettled ? [kind.one({ ...object, ...kind.unsettled })] : [])];
  // A part is settled by its own status.
  const hidden = place.startsWith("readReplicaSets") ? [] : hiding.map((one) => at(one, place));
  expect(hidden).toEqual(hidden.map(() => undefined));
});

test("a service outside of a VPC has a public address, which can come later", () => {
  const { endpoint: _, ...late } = wireDetached;
  expect(at(SERVICE.one(late), "endpoint")).toBeUndefined();
});

test("a service without sizes is on shared resources", () => {
  const shared = { ...wireService, resources: [{ id: "res1", spec: {} }] };
  expect(at(SERVICE.one(shared), "resources.0.spec")).toEqual({ cpuMillis: null, memoryGbs: null });
});

function zeroOf(type: Type): unknown {
  if (typeof type === "object") return "fields" in type ? {} : "list" in type ? [] : "";
  return type === "number" ? 0 : type === "boolean" ? false : "";
}

function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((one, key) => (one as Record<string, unknown> | undefined)?.[key], value);
}

/** A copy of the object in which the member has this value. */
function without(object: object, path: string, value: unknown): object {
  const copy = structuredClone(object);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const holder = (keys.length === 0 ? copy : at(copy, keys.join("."))) as Record<string, unknown>;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}
