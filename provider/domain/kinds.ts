// The kinds of resources. States name kinds, so a kind is never renamed.

import type { Peering, PeeringInputs } from "../kinds/peering/inputs";
import type { ReadReplicaSet, ReadReplicaSetInputs } from "../kinds/readReplicaSet/inputs";
import type { Service, ServiceInputs } from "../kinds/service/inputs";
import type { Vpc, VpcInputs } from "../kinds/vpc/inputs";

export type Kind = "service" | "vpc" | "peering" | "readReplicaSet";

/** The inputs and the observed object of each kind. Every table by kind is typed by this one. */
export interface Kinds extends Record<Kind, { inputs: object; observed: object }> {
  service: { inputs: ServiceInputs; observed: Service };
  vpc: { inputs: VpcInputs; observed: Vpc };
  peering: { inputs: PeeringInputs; observed: Peering };
  readReplicaSet: { inputs: ReadReplicaSetInputs; observed: ReadReplicaSet };
}
