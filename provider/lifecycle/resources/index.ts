// The resources by kind: whatever serves all of them starts here.

import type { Kind, Kinds } from "../../domain/kinds";
import { peering } from "./peering";
import { readReplicaSet } from "./readReplicaSet";
import type { Resource, ResourceDefinition } from "./resource";
import { service } from "./service";
import { vpc } from "./vpc";

/** Each by the types of its kind. */
type Definitions = { readonly [K in Kind]: ResourceDefinition<Kinds[K]["inputs"], Kinds[K]["observed"]> };

const definitions: Definitions = { service, vpc, peering, readReplicaSet };

export const resources: Readonly<Record<Kind, Resource>> = definitions;
