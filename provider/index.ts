// What a program imports: the classes, the explicit provider, the functions, and their types. Loads neither undici nor
// zod; the functions do when they are called.
// Named re-exports, one by one: Node finds these names when an ES module imports this CommonJS file.

export {
  getPeering,
  getPeeringOutput,
  getPeerings,
  getPeeringsOutput,
  getProjects,
  getProjectsOutput,
  getReadReplicaSets,
  getReadReplicaSetsOutput,
  getService,
  getServiceOutput,
  getServices,
  getServicesOutput,
  getVpc,
  getVpcOutput,
  getVpcs,
  getVpcsOutput,
  serviceLogs,
} from "./pulumi/lookups";
export { Peering } from "./pulumi/peering";
export { Provider } from "./pulumi/provider";
export { ReadReplicaSet } from "./pulumi/readReplicaSet";
export { Service } from "./pulumi/service";
export { Vpc } from "./pulumi/vpc";

export type * from "./types";
