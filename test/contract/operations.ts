// The operations of the contract, written down from its document and from nothing else: neither the provider nor the
// emulator. Both are judged by this table, row by row: the client's calls and what they send, the emulator's routes and its
// OpenAPI document. The rows stand in an order in which each makes sense.

import type { Client } from "../../provider/client";
import * as shapes from "./shapes";
import { list, type Shape, type Type } from "./shapes";

export type Kind = "vpc" | "peering" | "service" | "replicaSet";

/** Where an object is, as arguments of the client. */
export interface Places {
  project: { projectId: string };
  vpc: { projectId: string; vpcId: string };
  peering: { projectId: string; vpcId: string; peeringId: string };
  service: { projectId: string; serviceId: string };
  set: { projectId: string; serviceId: string; replicaSetId: string };
}

export interface Row {
  name: string;
  /** Method and path, as the document writes them. */
  route: string;
  /** The document has no such operation, although its objects need it. */
  isUndocumented?: true;
  body?: Shape;
  query?: Shape;
  /** Absent: no body documented. */
  answer?: Type;
  /** One call of it with the client, and the body and the query that it sends. `{vpc_id}` stands for the VPC's id. */
  call: (client: Client, at: Places) => Promise<unknown>;
  sends?: object;
  asks?: [name: string, value: string][];
  creates?: Kind;
  /** Parts of the answer, and of the object once the change is over; undefined stands for absent or null. */
  gives?: Record<string, unknown>;
  shows?: Record<string, unknown>;
}

/** Any value but none. */
export const given = Symbol("given");

const vpc: Type = { fields: shapes.Vpc };
const peering: Type = { fields: shapes.Peering };
const service: Type = { fields: shapes.Service };
const replicaSet: Type = { fields: shapes.ReadReplicaSet };
const message: Type = { fields: shapes.Message };
const environment: Type = { oneOf: ["DEV", "PROD"] };
const sizes: Shape = { cpu_millis: "string", memory_gbs: "string" };
const optionalSizes: Shape = { "cpu_millis?": "string", "memory_gbs?": "string" };

const inProject = "/projects/{project_id}";
const inVpc = `${inProject}/vpcs/{vpc_id}`;
const inService = `${inProject}/services/{service_id}`;
const inSet = `${inService}/replicaSets/{replica_set_id}`;

const since = "2020-01-01T00:00:00Z";
const until = "2099-01-01T00:00:00Z";

const rows: Record<string, Omit<Row, "name">> = {
  getProjects: {
    route: "GET /projects",
    answer: list(shapes.Project),
    call: (client) => client.projects.list(),
  },
  createVpc: {
    route: `POST ${inProject}/vpcs`,
    body: { cidr: "string", name: "string", region_code: "string" },
    answer: vpc,
    call: ({ vpcs }, { project }) =>
      vpcs.create({ ...project, cidr: "10.42.0.0/16", name: "walk", regionCode: "us-east-1" }),
    sends: { cidr: "10.42.0.0/16", name: "walk", region_code: "us-east-1" },
    creates: "vpc",
    shows: { name: "walk", cidr: "10.42.0.0/16" },
  },
  getVpc: { route: `GET ${inVpc}`, answer: vpc, call: ({ vpcs }, at) => vpcs.get(at.vpc) },
  listVpcs: {
    route: `GET ${inProject}/vpcs`,
    answer: list(shapes.Vpc),
    call: ({ vpcs }, { project }) => vpcs.list(project),
  },
  renameVpc: {
    route: `POST ${inVpc}/rename`,
    body: { name: "string" },
    answer: message,
    call: ({ vpcs }, at) => vpcs.rename({ ...at.vpc, name: "walked" }),
    sends: { name: "walked" },
    shows: { name: "walked" },
  },
  createPeering: {
    route: `POST ${inVpc}/peerings`,
    body: { peer_account_id: "string", peer_region_code: "string", peer_vpc_id: "string" },
    answer: peering,
    call: ({ peerings }, at) =>
      peerings.create({
        ...at.vpc,
        peerAccountId: "123456789012",
        peerRegionCode: "us-east-1",
        peerVpcId: "vpc-0a1b2c3d",
      }),
    sends: { peer_account_id: "123456789012", peer_region_code: "us-east-1", peer_vpc_id: "vpc-0a1b2c3d" },
    creates: "peering",
    shows: { provisioned_id: given, peer_account_id: "123456789012" },
  },
  getPeering: {
    route: `GET ${inVpc}/peerings/{peering_id}`,
    answer: peering,
    call: ({ peerings }, at) => peerings.get(at.peering),
  },
  listPeerings: {
    route: `GET ${inVpc}/peerings`,
    answer: list(shapes.Peering),
    call: ({ peerings }, at) => peerings.list(at.vpc),
  },
  createService: {
    route: `POST ${inProject}/services`,
    body: {
      name: "string",
      "addons?": { list: { oneOf: ["time-series", "ai"] } },
      ...optionalSizes,
      "environment_tag?": environment,
      "region_code?": "string",
      "replica_count?": "number",
    },
    answer: service,
    call: ({ services }, { project }) =>
      services.create({
        ...project,
        name: "walk",
        addons: ["time-series"],
        cpuMillis: 500,
        memoryGbs: 2,
        environment: "DEV",
        regionCode: "us-east-1",
        replicaCount: 0,
      }),
    sends: {
      name: "walk",
      addons: ["time-series"],
      cpu_millis: "500",
      memory_gbs: "2",
      environment_tag: "DEV",
      region_code: "us-east-1",
      replica_count: 0,
    },
    creates: "service",
    gives: { initial_password: given, service_type: "SERIESDB", region_code: "us-east-1" },
    shows: { name: "walk", initial_password: undefined, "metadata.environment": "DEV", "endpoint.host": given },
  },
  getService: {
    route: `GET ${inService}`,
    answer: service,
    call: ({ services }, at) => services.get(at.service),
  },
  listServices: {
    route: `GET ${inProject}/services`,
    answer: list(shapes.Service),
    call: ({ services }, { project }) => services.list(project),
  },
  resize: {
    route: `POST ${inService}/resize`,
    body: sizes,
    answer: service,
    call: ({ services }, at) => services.resize({ ...at.service, cpuMillis: 1000, memoryGbs: 4 }),
    sends: { cpu_millis: "1000", memory_gbs: "4" },
    shows: { "resources.0.spec.cpu_millis": 1000, "resources.0.spec.memory_gbs": 4 },
  },
  setHA: {
    route: `POST ${inService}/setHA`,
    body: { "replica_count?": "number", "sync_replica_count?": "number" },
    answer: service,
    call: ({ services }, at) => services.setHA({ ...at.service, replicaCount: 2, syncReplicaCount: 1 }),
    sends: { replica_count: 2, sync_replica_count: 1 },
    shows: { "ha_replicas.replica_count": 2, "ha_replicas.sync_replica_count": 1 },
  },
  enablePooler: {
    route: `POST ${inService}/enablePooler`,
    answer: message,
    call: ({ services }, at) => services.enablePooler(at.service),
    shows: { "connection_pooler.endpoint.port": given },
  },
  disablePooler: {
    route: `POST ${inService}/disablePooler`,
    answer: message,
    call: ({ services }, at) => services.disablePooler(at.service),
    shows: { "connection_pooler.endpoint": undefined, "endpoint.port": given },
  },
  setEnvironment: {
    route: `POST ${inService}/setEnvironment`,
    body: { environment },
    answer: message,
    call: ({ services }, at) => services.setEnvironment({ ...at.service, environment: "PROD" }),
    sends: { environment: "PROD" },
    shows: { "metadata.environment": "PROD" },
  },
  updatePassword: {
    route: `POST ${inService}/updatePassword`,
    body: { password: "string" },
    call: ({ services }, at) => services.updatePassword({ ...at.service, password: "correct-horse-battery" }),
    sends: { password: "correct-horse-battery" },
  },
  attachToVPC: {
    route: `POST ${inService}/attachToVPC`,
    body: { vpc_id: "string" },
    answer: message,
    call: ({ services }, at) => services.attachToVPC({ ...at.service, vpcId: at.vpc.vpcId }),
    sends: { vpc_id: "{vpc_id}" },
    shows: { "vpc_endpoint.vpc_id": "{vpc_id}" },
  },
  detachFromVPC: {
    route: `POST ${inService}/detachFromVPC`,
    body: { vpc_id: "string" },
    answer: message,
    call: ({ services }, at) => services.detachFromVPC({ ...at.service, vpcId: at.vpc.vpcId }),
    sends: { vpc_id: "{vpc_id}" },
    shows: { "vpc_endpoint.vpc_id": undefined, "endpoint.host": given },
  },
  getLogs: {
    route: `GET ${inService}/logs`,
    query: {
      "cursor?": "string",
      "node?": "number",
      "search?": { list: "string" },
      "severities?": { list: "string" },
      "since?": "date-time",
      "until?": "date-time",
    },
    answer: { fields: shapes.Logs },
    call: ({ services }, at) =>
      services.logs({ ...at.service, node: 0, search: ["database", "ready"], severities: ["LOG"], since, until }),
    asks: [
      ["node", "0"],
      ["search", "database"],
      ["search", "ready"],
      ["severities", "LOG"],
      ["since", since],
      ["until", until],
    ],
    gives: { logs: given },
  },
  createReplicaSet: {
    route: `POST ${inService}/replicaSets`,
    body: { cpu_millis: "number", memory_gbs: "number", name: "string", nodes: "number" },
    answer: replicaSet,
    call: ({ readReplicaSets }, at) =>
      readReplicaSets.create({ ...at.service, name: "walk-replica", nodes: 1, cpuMillis: 500, memoryGbs: 2 }),
    sends: { cpu_millis: 500, memory_gbs: 2, name: "walk-replica", nodes: 1 },
    creates: "replicaSet",
    shows: { name: "walk-replica", nodes: 1, cpu_millis: 500, memory_gbs: 2 },
  },
  listReplicaSets: {
    route: `GET ${inService}/replicaSets`,
    isUndocumented: true,
    answer: list(shapes.ReadReplicaSet),
    call: ({ readReplicaSets }, at) => readReplicaSets.list(at.service),
  },
  resizeReplicaSet: {
    route: `POST ${inSet}/resize`,
    body: sizes,
    answer: message,
    call: ({ readReplicaSets }, at) => readReplicaSets.resize({ ...at.set, cpuMillis: 1000, memoryGbs: 4 }),
    sends: { cpu_millis: "1000", memory_gbs: "4" },
    shows: { cpu_millis: 1000, memory_gbs: 4 },
  },
  enableReplicaPooler: {
    route: `POST ${inSet}/enablePooler`,
    answer: message,
    call: ({ readReplicaSets }, at) => readReplicaSets.enablePooler(at.set),
    shows: { "connection_pooler.endpoint": given },
  },
  disableReplicaPooler: {
    route: `POST ${inSet}/disablePooler`,
    answer: message,
    call: ({ readReplicaSets }, at) => readReplicaSets.disablePooler(at.set),
    shows: { "connection_pooler.endpoint": undefined },
  },
  setReplicaEnvironment: {
    route: `POST ${inSet}/setEnvironment`,
    body: { environment },
    answer: message,
    call: ({ readReplicaSets }, at) => readReplicaSets.setEnvironment({ ...at.set, environment: "PROD" }),
    sends: { environment: "PROD" },
    shows: { "metadata.environment": "PROD" },
  },
  deleteReplicaSet: { route: `DELETE ${inSet}`, call: (client, at) => client.readReplicaSets.delete(at.set) },
  renameService: {
    route: `POST ${inService}/rename`,
    isUndocumented: true,
    body: { name: "string" },
    answer: service,
    call: ({ services }, at) => services.rename({ ...at.service, name: "Aufträge" }),
    sends: { name: "Aufträge" },
    shows: { name: "Aufträge" },
  },
  forkService: {
    route: `POST ${inService}/forkService`,
    body: {
      fork_strategy: { oneOf: ["LAST_SNAPSHOT", "NOW", "PITR"] },
      "target_time?": "date-time",
      "name?": "string",
      ...optionalSizes,
      "environment_tag?": environment,
    },
    answer: service,
    call: ({ services }, at) =>
      services.forkService({ ...at.service, strategy: "NOW", name: "walk-fork", environment: "DEV" }),
    sends: { fork_strategy: "NOW", name: "walk-fork", environment_tag: "DEV" },
    creates: "service",
    gives: { initial_password: given, name: "walk-fork", "forked_from.service_id": "{service_id}" },
  },
  stop: {
    route: `POST ${inService}/stop`,
    answer: service,
    call: ({ services }, at) => services.stop(at.service),
    shows: { status: "PAUSED" },
  },
  start: {
    route: `POST ${inService}/start`,
    isUndocumented: true,
    answer: service,
    call: ({ services }, at) => services.start(at.service),
    shows: { status: "READY" },
  },
  deleteService: {
    route: `DELETE ${inService}`,
    isUndocumented: true,
    call: ({ services }, at) => services.delete(at.service),
  },
  deletePeering: {
    route: `DELETE ${inVpc}/peerings/{peering_id}`,
    call: ({ peerings }, at) => peerings.delete(at.peering),
  },
  deleteVpc: { route: `DELETE ${inVpc}`, call: ({ vpcs }, at) => vpcs.delete(at.vpc) },
};

export const contract: readonly Row[] = Object.entries(rows).map(([name, row]) => ({ name, ...row }));
export const documented = contract.filter(({ isUndocumented }) => !isUndocumented);

export function rowNamed(name: string): Row {
  const found = contract.find((row) => row.name === name);
  if (found === undefined) throw new Error(`the contract has no operation ${name}`);
  return found;
}

const kindOf: Record<string, Kind> = {
  vpc_id: "vpc",
  peering_id: "peering",
  service_id: "service",
  replica_set_id: "replicaSet",
};

export const methodOf = ({ route }: Row): string => route.split(" ")[0] ?? "";
export const pathOf = ({ route }: Row): string => route.split(" ")[1] ?? "";

/** The kind of object that a row creates, changes or removes. */
export const objectOf = (row: Row): Kind | undefined =>
  row.creates ?? kindOf[pathOf(row).match(/\w+(?=\}[^{]*$)/)?.[0] ?? ""];
