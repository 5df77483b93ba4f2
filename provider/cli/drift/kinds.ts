// The four kinds of resources, as a state names them and as a report does.

import { peering } from "../../lifecycle/resources/peering";
import { readReplicaSet } from "../../lifecycle/resources/readReplicaSet";
import type { Resource } from "../../lifecycle/resources/resource";
import { service } from "../../lifecycle/resources/service";
import { vpc } from "../../lifecycle/resources/vpc";

export type KindName = "Vpc" | "Peering" | "Service" | "ReadReplicaSet";

export const resources: Readonly<Record<KindName, Resource>> = {
  Vpc: vpc,
  Peering: peering,
  Service: service,
  ReadReplicaSet: readReplicaSet,
};

/** Frozen: every state names its resources by it. */
export const TYPE_PREFIX = "pulumi-nodejs:dynamic/dbcloud:";

/** The class of a type token; undefined when it is none of ours. */
export function kindOf(type: string): KindName | undefined {
  const name = type.startsWith(TYPE_PREFIX) ? type.slice(TYPE_PREFIX.length) : "";
  return Object.hasOwn(resources, name) ? (name as KindName) : undefined;
}
