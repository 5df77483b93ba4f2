// The types of a program, the same for both forms.

export type { ConnectionPooler, Endpoint, VpcEndpoint } from "./domain/endpoint";
export type { Timeouts } from "./domain/fields";
export type {
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
} from "./domain/lookups";
export type { PeeringWaitFor } from "./kinds/peering/inputs";
export type {
  Addon,
  ForkFrom,
  ForkStrategy,
  HaReplicas,
  ServiceResource,
  ServiceWaitFor,
} from "./kinds/service/inputs";
export type { Environment } from "./domain/sharedFields";
export type { Size } from "./domain/sharedFields";
export type { ConnectionStringArgs, SslMode } from "./pulumi/connection";
export type { Later } from "./pulumi/invocation";
export type { LifecycleArgs, NoOutput, Region, ResourceOptions, TimeoutsArgs } from "./pulumi/lifecycleArgs";
export type { PeeringArgs, PeeringState } from "./kinds/peering/class";
export type { ProviderArgs } from "./pulumi/provider";
export type {
  ReadReplicaSetArgs,
  ReadReplicaSetConnectionStringArgs,
  ReadReplicaSetState,
} from "./kinds/readReplicaSet/class";
export type { ForkFromArgs, HaReplicasArgs, ServiceArgs, ServiceState } from "./kinds/service/args.class";
export type { VpcArgs, VpcState } from "./kinds/vpc/class";
