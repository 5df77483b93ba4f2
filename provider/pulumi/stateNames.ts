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

/** How `pulumi-dbcloud import` names one object. */
export const IMPORT_FORMS: { readonly [K in Kind]: string } = {
  service: "service:ID",
  vpc: "vpc:ID",
  peering: "peering:VPC/ID",
  readReplicaSet: "replica:SERVICE/ID",
};

/** The hidden input by which the plugin knows that a class of ours, which sets `protect`, has declared a resource. */
export const OF_CLASS = "__class";

/** The output that repeats the id. */
export const ID_NAMES = {
  service: "serviceId",
  vpc: "vpcId",
  peering: "peeringId",
  readReplicaSet: "replicaSetId",
} as const satisfies Record<Kind, string>;

/**
 * "dynamic": its handlers are found from the program's folder. "native": the plugin manages it. Each with what comes before
 * the class in the type of a resource.
 */
const TYPE_PREFIXES = { dynamic: "pulumi-nodejs:dynamic/dbcloud:", native: "dbcloud:index:" } as const;

export type Form = keyof typeof TYPE_PREFIXES;
export const FORMS = Object.keys(TYPE_PREFIXES) as readonly Form[];

export function typeOf(form: Form, kind: Kind): string {
  return TYPE_PREFIXES[form] + CLASS_NAMES[kind];
}

/** The class in a type, whoever manages the resource; undefined if the type is none of ours. */
export function classIn(type: string): string | undefined {
  const prefix = Object.values(TYPE_PREFIXES).find((one) => type.startsWith(one));
  return prefix === undefined ? undefined : type.slice(prefix.length);
}

/** Refresh and destroy of old states run this text. */
export function providerLine(kind: Kind): string {
  return `exports.handler = () => require("pulumi-dbcloud/provider").provider("${kind}");`;
}

export type FunctionName = keyof Lookups | keyof Logs;

export function functionToken(name: FunctionName): string {
  return TYPE_PREFIXES.native + name;
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
