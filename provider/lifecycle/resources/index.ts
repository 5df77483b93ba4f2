// The resources by kind: whatever serves all of them starts here.

import type { Kind } from "../../domain/kinds";
import { peering } from "./peering";
import { readReplicaSet } from "./readReplicaSet";
import type { Resource } from "./resource";
import { service } from "./service";
import { vpc } from "./vpc";

export const resources: Readonly<Record<Kind, Resource>> = { service, vpc, peering, readReplicaSet };
