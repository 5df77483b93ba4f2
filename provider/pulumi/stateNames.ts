// What every state names: the types of its resources, and the line that finds their handlers. Frozen, or old states are lost.
// Loads nothing, because the command needs these names and not Pulumi.

import type { Kind } from "../domain/kinds";

/** The class of each kind, in which the type of a resource ends. */
export const CLASS_NAMES: { readonly [K in Kind]: Capitalize<K> } = {
  service: "Service",
  vpc: "Vpc",
  peering: "Peering",
  readReplicaSet: "ReadReplicaSet",
};

export const TYPE_PREFIX = "pulumi-nodejs:dynamic/dbcloud:";

export function resourceType(kind: Kind): string {
  return `${TYPE_PREFIX}${CLASS_NAMES[kind]}`;
}

/** Refresh and destroy of old states run this text. */
export function providerLine(kind: Kind): string {
  return `exports.handler = () => require("pulumi-dbcloud/provider").provider("${kind}");`;
}
