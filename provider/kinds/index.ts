// The resource definitions by kind.

import type { Kind, Kinds } from "../domain/kinds";
import { peering } from "./peering/lifecycle";
import { readReplicaSet } from "./readReplicaSet/lifecycle";
import type { Resource, ResourceDefinition } from "../lifecycle/resources/resource";
import { service } from "./service/lifecycle";
import { vpc } from "./vpc/lifecycle";

/** Each definition has the types of its kind. */
type Definitions = { readonly [K in Kind]: ResourceDefinition<Kinds[K]["inputs"], Kinds[K]["observed"]> };

const definitions: Definitions = { service, vpc, peering, readReplicaSet };

export const resources: Readonly<Record<Kind, Resource>> = definitions;
