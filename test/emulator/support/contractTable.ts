// The contract's operations with the fields of their requests and answers, written down from its tables and from nothing
// else.

import type { contractOperations } from "./contractRun";
import * as shapes from "./shapes";
import type { Shape, Type } from "./shapes";

export interface ContractRow {
  body?: Shape;
  query?: Shape;
  /** Absent: no body documented. */
  answer?: Type;
}

const list = (fields: Shape): Type => ({ list: { fields } });
const message: Type = { fields: shapes.Message };
const service: Type = { fields: shapes.Service };
const environment: Type = { oneOf: ["DEV", "PROD"] };
const sizes: Shape = { cpu_millis: "string", memory_gbs: "string" };
const optionalSizes: Shape = { "cpu_millis?": "string", "memory_gbs?": "string" };

const inProject = "/projects/{project_id}";
const inVpc = `${inProject}/vpcs/{vpc_id}` as const;
const inService = `${inProject}/services/{service_id}` as const;
const inSet = `${inService}/replicaSets/{replica_set_id}` as const;

export const contractTable: Readonly<Record<(typeof contractOperations)[number], ContractRow>> = {
  "GET /projects": { answer: list(shapes.Project) },

  [`GET ${inProject}/vpcs` as const]: { answer: list(shapes.Vpc) },
  [`POST ${inProject}/vpcs` as const]: {
    body: { cidr: "string", name: "string", region_code: "string" },
    answer: { fields: shapes.Vpc },
  },
  [`GET ${inVpc}` as const]: { answer: { fields: shapes.Vpc } },
  [`DELETE ${inVpc}` as const]: {},
  [`POST ${inVpc}/rename` as const]: { body: { name: "string" }, answer: message },

  [`GET ${inVpc}/peerings` as const]: { answer: list(shapes.Peering) },
  [`POST ${inVpc}/peerings` as const]: {
    body: { peer_account_id: "string", peer_region_code: "string", peer_vpc_id: "string" },
    answer: { fields: shapes.Peering },
  },
  [`GET ${inVpc}/peerings/{peering_id}` as const]: { answer: { fields: shapes.Peering } },
  [`DELETE ${inVpc}/peerings/{peering_id}` as const]: {},

  [`GET ${inProject}/services` as const]: { answer: list(shapes.Service) },
  [`POST ${inProject}/services` as const]: {
    body: {
      name: "string",
      "addons?": { list: { oneOf: ["time-series", "ai"] } },
      ...optionalSizes,
      "environment_tag?": environment,
      "region_code?": "string",
      "replica_count?": "number",
    },
    answer: service,
  },
  [`GET ${inService}` as const]: { answer: service },
  [`POST ${inService}/attachToVPC` as const]: { body: { vpc_id: "string" }, answer: message },
  [`POST ${inService}/detachFromVPC` as const]: { body: { vpc_id: "string" }, answer: message },
  [`POST ${inService}/resize` as const]: { body: sizes, answer: service },
  [`POST ${inService}/enablePooler` as const]: { answer: message },
  [`POST ${inService}/disablePooler` as const]: { answer: message },
  [`POST ${inService}/forkService` as const]: {
    body: {
      fork_strategy: { oneOf: ["LAST_SNAPSHOT", "NOW", "PITR"] },
      "target_time?": "date-time",
      "name?": "string",
      ...optionalSizes,
      "environment_tag?": environment,
    },
    answer: service,
  },
  [`POST ${inService}/updatePassword` as const]: { body: { password: "string" } },
  [`POST ${inService}/setEnvironment` as const]: { body: { environment }, answer: message },
  [`GET ${inService}/logs` as const]: {
    query: {
      "cursor?": "string",
      "node?": "number",
      "search?": { list: "string" },
      "severities?": { list: "string" },
      "since?": "date-time",
      "until?": "date-time",
    },
    answer: { fields: shapes.Logs },
  },
  [`POST ${inService}/setHA` as const]: {
    body: { "replica_count?": "number", "sync_replica_count?": "number" },
    answer: service,
  },
  [`POST ${inService}/stop` as const]: { answer: service },

  [`POST ${inService}/replicaSets` as const]: {
    body: { cpu_millis: "number", memory_gbs: "number", name: "string", nodes: "number" },
    answer: { fields: shapes.ReadReplicaSet },
  },
  [`DELETE ${inSet}` as const]: {},
  [`POST ${inSet}/resize` as const]: { body: sizes, answer: message },
  [`POST ${inSet}/enablePooler` as const]: { answer: message },
  [`POST ${inSet}/disablePooler` as const]: { answer: message },
  [`POST ${inSet}/setEnvironment` as const]: { body: { environment }, answer: message },
};
