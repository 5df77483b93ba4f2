// The calls about VPCs, and how a VPC looks on the wire. Contract: "VPCs".

import { z } from "zod";
import { blockOf, conditionOfVpc, type Vpc } from "./inputs";
import { created, list, one } from "../../api/operations/answer";
import { operation } from "../../api/operations/operation";
import { completion, object, orNone } from "../../api/operations/objects";
import { answeredId, text, word } from "../../api/operations/wire";

const vpcShape = object<Vpc>({
  vpcId: { on: ["id"], schema: answeredId },
  regionCode: word,
  cidr: word,
  name: z.string(),
  // API: only newer deployments, which create and delete VPCs asynchronously, send one.
  status: orNone(word),
});
const { schema } = vpcShape;

const complete = completion<Vpc, Vpc>(
  vpcShape,
  (vpc) => [vpc],
  (vpc) => conditionOfVpc(vpc) === "settled",
);

const isAsked = (vpc: Vpc, input: { vpcId: string }): string | undefined =>
  vpc.vpcId === input.vpcId ? undefined : "id: it is another VPC";

const cidr = z
  .string({ error: "an IPv4 block" })
  .refine((value) => blockOf(value) !== undefined, { error: 'an IPv4 block like "10.0.0.0/24"' });

const VPCS = "/projects/{projectId}/vpcs";
const VPC = "/projects/{projectId}/vpcs/{vpcId}";

export const vpcOperations = {
  /** All VPCs of a project. */
  list: operation("GET", VPCS, { name: "listVpcs", answer: list({ schema, idKey: "id", nameKey: "name", complete }) }),
  /** One VPC. */
  get: operation("GET", VPC, { name: "getVpc", answer: one({ schema, check: isAsked, complete }) }),
  /** Makes a VPC; on newer servers it is ready only when its status says CREATED. */
  create: operation("POST", VPCS, {
    name: "createVpc",
    repeat: "notIdempotent",
    fields: { cidr, name: text, regionCode: text },
    answer: created({ schema, idKey: "id" }),
  }),
  /** Removes a VPC that no service and no peering uses. */
  delete: operation("DELETE", VPC, { name: "deleteVpc" }),
  /** Gives a VPC another name. */
  rename: operation("POST", `${VPC}/rename`, { name: "renameVpc", fields: { name: text } }),
};
