// The functions that a program looks things up with. They change nothing and leave nothing in the state.
//
// Each takes one object and Pulumi's options for functions (`provider`, `parent`); a failed look-up rejects. The form
// whose name ends in Output takes arguments that may be known later, and `dependsOn`, and gives an Output.

import type * as pulumi from "@pulumi/pulumi";
import type {
  GetPeeringArgs,
  GetPeeringsArgs,
  GetProjectsArgs,
  GetReadReplicaSetsArgs,
  GetServiceArgs,
  GetServiceResult,
  GetServicesArgs,
  GetVpcArgs,
  GetVpcsArgs,
  Project,
  ServiceLogEntry,
  ServiceLogsArgs,
} from "../domain/lookups";
import type { Peering } from "../kinds/peering/inputs";
import type { ReadReplicaSet } from "../kinds/readReplicaSet/inputs";
import type { Vpc } from "../kinds/vpc/inputs";
import { type Later, lookUp, lookUpOutput, readLogs } from "./invocation";

type Options = pulumi.InvokeOptions;
type OutputOptions = pulumi.InvokeOutputOptions;

/** Lists the projects that the key can access: one for a personal access token, otherwise all of the user's. */
export function getProjects(args: GetProjectsArgs = {}, opts: Options = {}): Promise<Project[]> {
  return lookUp("getProjects", args, opts);
}

/** Like `getProjects`, as an Output. */
export function getProjectsOutput(args: GetProjectsArgs = {}, opts: OutputOptions = {}): pulumi.Output<Project[]> {
  return lookUpOutput("getProjects", args, opts);
}

/** Finds a VPC by id, or by a name that is unique in the project. Fails if there is none, or if several have the name. */
export function getVpc(args: GetVpcArgs, opts: Options = {}): Promise<Vpc> {
  return lookUp("getVpc", args, opts);
}

/** Like `getVpc`, as an Output. */
export function getVpcOutput(args: Later<GetVpcArgs>, opts: OutputOptions = {}): pulumi.Output<Vpc> {
  return lookUpOutput("getVpc", args, opts);
}

/** Lists the VPCs of a project. */
export function getVpcs(args: GetVpcsArgs = {}, opts: Options = {}): Promise<Vpc[]> {
  return lookUp("getVpcs", args, opts);
}

/** Like `getVpcs`, as an Output. */
export function getVpcsOutput(args: Later<GetVpcsArgs> = {}, opts: OutputOptions = {}): pulumi.Output<Vpc[]> {
  return lookUpOutput("getVpcs", args, opts);
}

/** Finds a peering of a VPC by id. Fails if there is none. */
export function getPeering(args: GetPeeringArgs, opts: Options = {}): Promise<Peering> {
  return lookUp("getPeering", args, opts);
}

/** Like `getPeering`, as an Output. */
export function getPeeringOutput(args: Later<GetPeeringArgs>, opts: OutputOptions = {}): pulumi.Output<Peering> {
  return lookUpOutput("getPeering", args, opts);
}

/** Lists the peerings of a VPC. */
export function getPeerings(args: GetPeeringsArgs, opts: Options = {}): Promise<Peering[]> {
  return lookUp("getPeerings", args, opts);
}

/** Like `getPeerings`, as an Output. */
export function getPeeringsOutput(args: Later<GetPeeringsArgs>, opts: OutputOptions = {}): pulumi.Output<Peering[]> {
  return lookUpOutput("getPeerings", args, opts);
}

/**
 * Finds a service by id, or by a name that is unique in the project, with its usage and read replica sets. Fails if there
 * is none, or if several have the name.
 */
export function getService(args: GetServiceArgs, opts: Options = {}): Promise<GetServiceResult> {
  return lookUp("getService", args, opts);
}

/** Like `getService`, as an Output. */
export function getServiceOutput(
  args: Later<GetServiceArgs>,
  opts: OutputOptions = {},
): pulumi.Output<GetServiceResult> {
  return lookUpOutput("getService", args, opts);
}

/** Lists the services of a project. */
export function getServices(args: GetServicesArgs = {}, opts: Options = {}): Promise<GetServiceResult[]> {
  return lookUp("getServices", args, opts);
}

/** Like `getServices`, as an Output. */
export function getServicesOutput(
  args: Later<GetServicesArgs> = {},
  opts: OutputOptions = {},
): pulumi.Output<GetServiceResult[]> {
  return lookUpOutput("getServices", args, opts);
}

/** Lists the read replica sets of a service. */
export function getReadReplicaSets(args: GetReadReplicaSetsArgs, opts: Options = {}): Promise<ReadReplicaSet[]> {
  return lookUp("getReadReplicaSets", args, opts);
}

/** Like `getReadReplicaSets`, as an Output. */
export function getReadReplicaSetsOutput(
  args: Later<GetReadReplicaSetsArgs>,
  opts: OutputOptions = {},
): pulumi.Output<ReadReplicaSet[]> {
  return lookUpOutput("getReadReplicaSets", args, opts);
}

/**
 * Lists the log entries of a service, newest first. In a TypeScript program, a `for await` loop fetches pages as it needs them,
 * and stops when you leave it.
 *
 * @example
 * ```ts
 * for await (const entry of serviceLogs({ serviceId, severities: ["ERROR", "FATAL"], limit: 100 })) {
 *   console.log(entry.timestamp, entry.message);
 * }
 * ```
 */
export function serviceLogs(
  args: ServiceLogsArgs,
  opts: Options = {},
): AsyncGenerator<ServiceLogEntry, void, undefined> {
  return readLogs(args, opts);
}
