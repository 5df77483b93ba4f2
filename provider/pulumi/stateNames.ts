// What every state names: the types of its resources, and the line that finds their handlers. Frozen, or old states are lost.
// Loads nothing, because the command needs these names and not Pulumi.

import type { Kind } from "../domain/kinds";
import type { Logs, Lookups } from "../domain/lookups";

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

/** "dynamic": its handlers are found from the program's folder. "native": the plugin manages it. */
export const FRONTS = ["dynamic", "native"] as const;
export type Front = (typeof FRONTS)[number];

export function typeOf(front: Front, kind: Kind): string {
  return front === "dynamic" ? resourceType(kind) : `dbcloud:index:${CLASS_NAMES[kind]}`;
}

export type FunctionName = keyof Lookups | keyof Logs;

export function functionToken(name: FunctionName): string {
  return `dbcloud:index:${name}`;
}

/** Pulumi: a function answers with an object, so a list comes in a member of one. */
export const LIST_MEMBERS: { readonly [Name in FunctionName]?: string } = {
  getProjects: "projects",
  getVpcs: "vpcs",
  getPeerings: "peerings",
  getServices: "services",
  getReadReplicaSets: "readReplicaSets",
  serviceLogs: "entries",
};
