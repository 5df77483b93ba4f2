// The resource definitions by kind.

import type { Kind, Kinds } from "../../domain/kinds";
import { peering } from "./peering";
import { readReplicaSet } from "./readReplicaSet";
import type { Resource, ResourceDefinition } from "./resource";
import { service } from "./service";
import { vpc } from "./vpc";

/** Each definition has the types of its kind. */
type Definitions = { readonly [K in Kind]: ResourceDefinition<Kinds[K]["inputs"], Kinds[K]["observed"]> };

const definitions: Definitions = { service, vpc, peering, readReplicaSet };

export const resources: Readonly<Record<Kind, Resource>> = definitions;
