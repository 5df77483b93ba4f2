// A switch for every point on which deployments differ and the contract is silent: its schema and its default.

import { z } from "zod";

const oneOf = <const V extends readonly (string | number)[]>(...values: V): z.ZodType<V[number]> => z.literal(values);

const flag = z.boolean();
const anyText = z.string();
const count = z.int().min(0);
const words: z.ZodType<readonly string[]> = z.array(z.string().regex(/^[\w-]+$/));

/** Of a service that is created without one. */
export const defaultRegion = "us-east-1";

const knownRegions: readonly string[] = [
  defaultRegion,
  "us-east-2",
  "us-west-2",
  "ca-central-1",
  "eu-central-1",
  "eu-west-1",
  "eu-west-2",
  "ap-northeast-1",
  "ap-south-1",
  "ap-southeast-1",
  "ap-southeast-2",
  "sa-east-1",
  "az-eastus",
  "az-eastus2",
  "az-westeurope",
];

/** The public types name no validator. */
const row = <V>(schema: z.ZodType<V>, value: V): { schema: object; default: V } => ({ schema, default: value });

const rows = {
  /** Send `status` in a Vpc and make its creation and deletion asynchronous (202). Default false. */
  vpcStatus: row(flag, false),
  /** Status code of a change that is refused because another one runs. Default 409. */
  busyStatus: row(oneOf(409, 423), 409),
  /** "allow" accepts a change while another runs and marks it `overlapped` in the ledger. Default "refuse". */
  busy: row(oneOf("refuse", "allow"), "refuse"),
  /** What deleting a VPC with services or peerings does. Default "refuse" (409). */
  deleteVpcInUse: row(oneOf("refuse", "cascade"), "refuse"),
  /** The answer to GET of a deleted service; with "listed", lists show it as DELETED too. Default "404". */
  deletedServices: row(oneOf("404", "DELETED", "listed"), "404"),
  /** Which of the two spellings a Service carries. Default "both". */
  vpcEndpointSpelling: row(oneOf("vpc_endpoint", "vpcEndpoint", "both"), "both"),
  /** The public `endpoint` of a service inside a VPC: left out, `{}`, or still there. Default "absent". */
  endpointInVpc: row(oneOf("absent", "empty", "kept"), "absent"),
  /** After a VPC change, this many GETs of a service answer 404 "no Endpoint for that service id exists". Default 0. */
  endpointGapReads: row(count, 0),
  /** Whether a rename changes the host. Default false. */
  renameMovesHost: row(flag, false),
  /** Which of the two spellings the log cursor has. Default "both". */
  cursorSpelling: row(oneOf("last_cursor", "lastCursor", "both"), "both"),
  /** Send structured `entries` beside `logs`. Default true. */
  logEntries: row(flag, true),
  /** New peerings fail with this text as `error_message` instead of being provisioned. Default "": they do not. */
  peeringError: row(anyText, ""),
  /** Answer of renameVpc. Default "message", as the contract has it; "vpc" in older deployments. */
  renameVpcAnswer: row(oneOf("message", "vpc"), "message"),
  /** Send optional fields without a value as null instead of leaving them out. Default false. */
  nullFields: row(flag, false),
  /** Add fields to every object that no document mentions. Default false. */
  unknownFields: row(flag, false),
  /** Send `data_tiering` and the exporter ids of a service. Default true. */
  tieringAndExporters: row(flag, true),
  /** Leave `ha_replicas` out while there are none. Default false. */
  omitZeroHa: row(flag, false),
  /** Spelling of status words. Default "documented". */
  statusCase: row(oneOf("documented", "lower", "upper"), "documented"),
  /** "hostile": ids with slashes, spaces, dots and non-ASCII letters. Default "plain". */
  idLooks: row(oneOf("plain", "hostile"), "plain"),
  /** Answer for routes that the profile lacks: "natural" is 405 where the path exists and 404 elsewhere. Default "natural". */
  missingRoutes: row(oneOf("natural", 403, 404, 405, 501), "natural"),
  /** Body of errors. Default "full": code, message, details. */
  errorBody: row(oneOf("full", "message", "other", "html", "empty"), "full"),
  /** The type name of a service with the `time-series` addon. Default "SERIESDB". */
  timeSeriesType: row(anyText, "SERIESDB"),
  /** Type of a service created without `addons`. Default "SERIESDB". */
  defaultServiceType: row(anyText, "SERIESDB"),
  /** The regions that services and VPCs can be in. Default: those of the vendor's two clouds; VPCs have none in `az-`. */
  regions: row(words, knownRegions),
  /** Whether a running replica set change shows as UPGRADING on its service. Default "delete" (the contract's list). */
  replicaSetOnService: row(oneOf("never", "delete", "always"), "delete"),
  /** The most HA replicas that a service can have. Default 5. */
  maxReplicaCount: row(count, 5),
  /** The largest size of a service or a replica set node. Default 128000 and 512. */
  maxCpuMillis: row(count, 128_000),
  maxMemoryGbs: row(count, 512),
  /** The most nodes that a read replica set can have. Default 10. */
  maxNodes: row(count, 10),
  /** Peerings a VPC can have. Default 50. */
  maxPeerings: row(count, 50),
  /** Services a VPC can have. Default 50. */
  maxAttached: row(count, 50),
  /** The minimum length of a password, in characters. Default 8. */
  minPasswordLength: row(count, 8),
  /** PostgreSQL servers that run at once; applies only with real servers. Default 50. */
  maxServers: row(count, 50),
};

/** Points in which deployments differ. Each default follows the contract or the most common behavior. */
export type Switches = { [K in keyof typeof rows]: (typeof rows)[K]["default"] };

export const defaultSwitches = Object.fromEntries(
  Object.entries(rows).map(([name, one]) => [name, one.default]),
) as object as Switches;

export const switchesRequest = z.strictObject(
  Object.fromEntries(Object.entries(rows).map(([name, { schema }]) => [name, (schema as z.ZodType).exactOptional()])),
) as object as z.ZodType<Partial<Switches>>;
