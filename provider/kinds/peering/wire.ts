// The calls about peerings, and how a peering looks on the wire. Contract: "VPC peerings".

import type { Peering } from "./inputs";
import { created, list, one } from "../../api/operations/answer";
import { operation } from "../../api/operations/operation";
import { completion, notShown, object, orNone } from "../../api/operations/objects";
import { answeredId, text, word } from "../../api/operations/wire";

const peeringShape = object<Peering>({
  peeringId: { on: ["id"], schema: answeredId },
  peerAccountId: word,
  peerRegionCode: word,
  peerVpcId: word,
  status: notShown(word),
  // API: it comes some time after the create.
  provisionedId: notShown(word),
  // Contract: there "when the peering failed".
  errorMessage: orNone(word),
});
const { schema } = peeringShape;

// API: the statuses of peerings are not documented, so that every peering counts as settled.
const complete = completion<Peering, Peering>(
  peeringShape,
  (peering) => [peering],
  () => true,
);

const isAsked = (peering: Peering, input: { peeringId: string }): string | undefined =>
  peering.peeringId === input.peeringId ? undefined : "id: it is another peering";

const PEERINGS = "/projects/{projectId}/vpcs/{vpcId}/peerings";
const PEERING = "/projects/{projectId}/vpcs/{vpcId}/peerings/{peeringId}";

export const peeringOperations = {
  /** All peerings of a VPC. */
  list: operation("GET", PEERINGS, {
    name: "listPeerings",
    // API: a peering has no name; the VPC at its other end is what tells two of them apart.
    answer: list({ schema, idKey: "id", nameKey: "peer_vpc_id", complete }),
  }),
  /** One peering. */
  get: operation("GET", PEERING, { name: "getPeering", answer: one({ schema, check: isAsked, complete }) }),
  /** Asks for a peering; the peer accepts it in their cloud account, by its `provisionedId`. */
  create: operation("POST", PEERINGS, {
    name: "createPeering",
    repeat: "notIdempotent",
    fields: { peerAccountId: text, peerRegionCode: text, peerVpcId: text },
    answer: created({ schema, idKey: "id" }),
  }),
  /** Removes a peering; its VPC stays busy for a while afterwards. */
  delete: operation("DELETE", PEERING, { name: "deletePeering" }),
};
