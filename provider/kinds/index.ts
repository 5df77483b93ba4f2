// The resource definitions by kind.

import type { Kind, Kinds } from "../domain/kinds";
import { peering } from "./peering/definition";
import { readReplicaSet } from "./readReplicaSet/definition";
import type { Resource, ResourceDefinition } from "../core/kind";
import { service } from "./service/definition";
import { vpc } from "./vpc/definition";

/** Each definition has the types of its kind. */
type Definitions = { readonly [K in Kind]: ResourceDefinition<Kinds[K]["inputs"]> };

const definitions: Definitions = { service, vpc, peering, readReplicaSet };

export const resources: Readonly<Record<Kind, Resource>> = definitions;
