// What a program imports: the classes, the explicit provider, the functions, and their types. Loads neither undici nor
// zod; the functions do when they are called.

export { Peering } from "./pulumi/peering";
export { Provider } from "./pulumi/provider";
export { ReadReplicaSet } from "./pulumi/readReplicaSet";
export { Service } from "./pulumi/service";
export { Vpc } from "./pulumi/vpc";
export * from "./pulumi/lookups";

export type * from "./types";
