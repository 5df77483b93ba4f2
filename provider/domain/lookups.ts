// The look-ups of programs: their arguments and results.

import type { PlainAddresses } from "./endpoint";
import type { Peering } from "../kinds/peering/inputs";
import type { ReadReplicaSet } from "../kinds/readReplicaSet/inputs";
import type { Service } from "../kinds/service/inputs";
import type { Vpc } from "../kinds/vpc/inputs";

/** The scope of services and VPCs. */
export interface Project {
  /** The id of the project. */
  id: string;
  /** The name. */
  name: string;
}

export interface ProjectScope {
  /** The project to search. Default: the configured project, or the only one that the key can access. */
  projectId?: string | undefined;
}

export type GetProjectsArgs = Record<string, never>;

/** Either `vpcId` or `name`. */
export interface GetVpcArgs extends ProjectScope {
  /** The VPC's id. */
  vpcId?: string | undefined;
  /** The VPC's name, which must be unique in the project. */
  name?: string | undefined;
}

export type GetVpcsArgs = ProjectScope;

export interface GetPeeringArgs extends ProjectScope {
  /** The id of the VPC that the peering belongs to. */
  vpcId: string;
  /** The peering's id. */
  peeringId: string;
}

export interface GetPeeringsArgs extends ProjectScope {
  /** The id of the VPC. */
  vpcId: string;
}

/** Either `serviceId` or `name`. */
export interface GetServiceArgs extends ProjectScope {
  /** The service's id. */
  serviceId?: string | undefined;
  /** The service's name, which must be unique in the project. */
  name?: string | undefined;
}

export type GetServicesArgs = ProjectScope;

export interface GetReadReplicaSetsArgs extends ProjectScope {
  /** The id of the service. */
  serviceId: string;
}

/** The current service, with its usage (`metrics`) and `readReplicaSets`. Contains no password. */
export interface GetServiceResult extends ShownService, PlainAddresses {
  /** The connection string of the master user, without a password. Clients take the password from `PGPASSWORD`. */
  connectionUri: string | undefined;
}

type ShownService = Omit<Service, "initialPassword">;

export interface ServiceLogsArgs extends ProjectScope {
  /** The service's id. */
  serviceId: string;
  /** The node to read from, counted from 0. Default: all. */
  node?: number | undefined;
  /** Words that the messages must contain. Default: none. */
  search?: readonly string[] | undefined;
  /** PostgreSQL severities to keep, such as `"ERROR"`. Default: all. */
  severities?: readonly string[] | undefined;
  /** Only entries after this time: RFC 3339, or how long ago, like `"15m"`. Default: from the beginning. */
  since?: string | undefined;
  /** Only entries before this time: RFC 3339, or how long ago, like `"1h"`. Default: up to now. */
  until?: string | undefined;
  /** The largest number of entries, at least 1. Default: all in TypeScript, 1,000 in other languages. */
  limit?: number | undefined;
}

/** One entry of a service's log. */
export interface ServiceLogEntry {
  /** The text. */
  message: string;
  /** A PostgreSQL severity; absent if the server sends only texts. */
  severity?: string | undefined;
  /** RFC 3339; absent if the server sends only texts. */
  timestamp?: string | undefined;
}

/** The look-ups by name: each takes one object. */
export interface Lookups {
  getProjects(args: GetProjectsArgs): Promise<Project[]>;
  getVpc(args: GetVpcArgs): Promise<Vpc>;
  getVpcs(args: GetVpcsArgs): Promise<Vpc[]>;
  getPeering(args: GetPeeringArgs): Promise<Peering>;
  getPeerings(args: GetPeeringsArgs): Promise<Peering[]>;
  getService(args: GetServiceArgs): Promise<GetServiceResult>;
  getServices(args: GetServicesArgs): Promise<GetServiceResult[]>;
  getReadReplicaSets(args: GetReadReplicaSetsArgs): Promise<ReadReplicaSet[]>;
}

export interface Logs {
  /** Newest first, each entry once. */
  serviceLogs(args: ServiceLogsArgs): AsyncGenerator<ServiceLogEntry, void, undefined>;
}
