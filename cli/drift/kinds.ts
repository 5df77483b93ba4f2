// The kinds of resources, as a state names them and as a report does.

import type { Kind } from "../../provider/domain/kinds";
import { resources as byKind } from "../../provider/lifecycle/resources/index";
import type { Resource } from "../../provider/lifecycle/resources/resource";
import { classIn } from "../../provider/pulumi/stateNames";

export type KindName = Capitalize<Kind>;

export const resources: Readonly<Record<KindName, Resource>> = {
  Vpc: byKind.vpc,
  Peering: byKind.peering,
  Service: byKind.service,
  ReadReplicaSet: byKind.readReplicaSet,
};

/** The class of a type token; undefined when it is none of ours. */
export function kindOf(type: string): KindName | undefined {
  const name = classIn(type) ?? "";
  return Object.hasOwn(resources, name) ? (name as KindName) : undefined;
}
