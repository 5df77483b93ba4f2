// Changes out of band over HTTP. `null` removes an optional value.

import { z } from "zod";
import { changes, creations } from "../mutate/fields";
import type { Kind } from "../../controlPlane/world/entities";
import type { LogLine } from "../../controlPlane/world/logs";
import { operation, type AdminOperation } from "./operation";
import { stateShapes } from "./shapes";

const at = z.number().exactOptional();

const logLines: z.ZodType<LogLine[]> = z
  .array(
    z.strictObject({
      message: z.string(),
      severity: z.string().exactOptional(),
      at,
      node: z.int().min(0).exactOptional(),
    }),
  )
  .min(1);

/** JSON has no `undefined`: an absent field stays absent, and only `null` becomes `undefined`. */
function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return fields as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** The changes of each kind of object, and of the logs. A kind that lacks create, change or delete does not compile. */
type MutationName = { [K in Kind]: `${"create" | "change" | "delete"}${Capitalize<K>}` }[Kind] | "writeLogs";

export const mutations: Readonly<Record<MutationName, AdminOperation>> = {
  createVpc: operation({
    method: "POST",
    path: "/vpcs",
    summary: "create a VPC",
    body: creations.vpc,
    isBodyOptional: true,
    status: 201,
    answer: stateShapes.vpc,
    run: ({ emulator, body }) => emulator.mutate.createVpc(given(body)),
  }),
  changeVpc: operation({
    method: "PATCH",
    path: "/vpcs/:vpc_id",
    summary: "change a VPC",
    body: changes.vpc,
    answer: stateShapes.vpc,
    run: ({ emulator, params, body }) => emulator.mutate.vpc(params["vpc_id"] ?? "", given(body)),
  }),
  deleteVpc: operation({
    method: "DELETE",
    path: "/vpcs/:vpc_id",
    summary: "delete a VPC, whatever is in it",
    run: ({ emulator, params }) => emulator.mutate.deleteVpc(params["vpc_id"] ?? ""),
  }),
  createPeering: operation({
    method: "POST",
    path: "/vpcs/:vpc_id/peerings",
    summary: "create a peering",
    body: creations.peering,
    isBodyOptional: true,
    status: 201,
    answer: stateShapes.peering,
    run: ({ emulator, params, body }) => emulator.mutate.createPeering(params["vpc_id"] ?? "", given(body)),
  }),
  changePeering: operation({
    method: "PATCH",
    path: "/peerings/:peering_id",
    summary: "change a peering",
    body: changes.peering,
    answer: stateShapes.peering,
    run: ({ emulator, params, body }) => emulator.mutate.peering(params["peering_id"] ?? "", given(body)),
  }),
  deletePeering: operation({
    method: "DELETE",
    path: "/peerings/:peering_id",
    summary: "delete a peering",
    run: ({ emulator, params }) => emulator.mutate.deletePeering(params["peering_id"] ?? ""),
  }),
  createService: operation({
    method: "POST",
    path: "/services",
    summary: "create a service",
    body: creations.service,
    isBodyOptional: true,
    status: 201,
    answer: stateShapes.service,
    run: ({ emulator, body }) => emulator.mutate.createService(given(body)),
  }),
  changeService: operation({
    method: "PATCH",
    path: "/services/:service_id",
    summary: "change a service, at once and without a transition",
    body: changes.service,
    answer: stateShapes.service,
    run: ({ emulator, params, body }) => emulator.mutate.service(params["service_id"] ?? "", given(body)),
  }),
  deleteService: operation({
    method: "DELETE",
    path: "/services/:service_id",
    summary: "delete a service and its replica sets",
    run: ({ emulator, params }) => emulator.mutate.deleteService(params["service_id"] ?? ""),
  }),
  writeLogs: operation({
    method: "POST",
    path: "/services/:service_id/logs",
    summary: "write into the logs of a service",
    body: logLines,
    run: ({ emulator, params, body }) => emulator.mutate.logs(params["service_id"] ?? "", body),
  }),
  createReplicaSet: operation({
    method: "POST",
    path: "/services/:service_id/replicaSets",
    summary: "create a read replica set",
    body: creations.replicaSet,
    isBodyOptional: true,
    status: 201,
    answer: stateShapes.replicaSet,
    run: ({ emulator, params, body }) => emulator.mutate.createReplicaSet(params["service_id"] ?? "", given(body)),
  }),
  changeReplicaSet: operation({
    method: "PATCH",
    path: "/replicaSets/:replica_set_id",
    summary: "change a read replica set",
    body: changes.replicaSet,
    answer: stateShapes.replicaSet,
    run: ({ emulator, params, body }) => emulator.mutate.replicaSet(params["replica_set_id"] ?? "", given(body)),
  }),
  deleteReplicaSet: operation({
    method: "DELETE",
    path: "/replicaSets/:replica_set_id",
    summary: "delete a read replica set",
    run: ({ emulator, params }) => emulator.mutate.deleteReplicaSet(params["replica_set_id"] ?? ""),
  }),
};
