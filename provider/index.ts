// What a program imports: the classes, the explicit provider, the functions, and their types. Loads neither undici nor
// zod; the functions do when they are called.

export { Peering } from "./kinds/peering/class";
export { Provider } from "./pulumi/provider";
export { ReadReplicaSet } from "./kinds/readReplicaSet/class";
export { Service } from "./kinds/service/class";
export { Vpc } from "./kinds/vpc/class";
export * from "./pulumi/lookups";

export type * from "./types";
