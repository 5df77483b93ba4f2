// Changes out of band over HTTP. `null` removes an optional value.

import { z } from "zod";
import type { Kind } from "../../controlPlane/world/entities";
import { rowOf } from "../../controlPlane/world/kinds";
import type { LogLine } from "../../controlPlane/world/logs";
import { changes, creations } from "../mutate/fields";
import type { Mutate } from "../mutate/index";
import { operation, type AdminOperation } from "./operation";
import { stateShapes } from "./shapes";

const logLines: z.ZodType<LogLine[]> = z
  .array(
    z.strictObject({
      message: z.string(),
      severity: z.string().exactOptional(),
      at: z.number().exactOptional(),
      node: z.int().min(0).exactOptional(),
    }),
  )
  .min(1);

/** The fields are `never` because JSON has no `undefined`: what a schema lets be absent, is absent. */
interface Changing {
  /** The path of the collection in which a new object is made. */
  readonly collection: string;
  /** `owner`: the id in that path. */
  readonly create: (mutate: Mutate, fields: never, owner: string) => unknown;
  readonly change: (mutate: Mutate, id: string, fields: never) => unknown;
  readonly remove: (mutate: Mutate, id: string) => void;
}

const kinds: { readonly [K in Kind]: Changing } = {
  vpc: {
    collection: "/vpcs",
    create: (mutate, fields) => mutate.createVpc(fields),
    change: (mutate, id, fields) => mutate.vpc(id, fields),
    remove: (mutate, id) => mutate.deleteVpc(id),
  },
  peering: {
    collection: "/vpcs/:owner_id/peerings",
    create: (mutate, fields, owner) => mutate.createPeering(owner, fields),
    change: (mutate, id, fields) => mutate.peering(id, fields),
    remove: (mutate, id) => mutate.deletePeering(id),
  },
  service: {
    collection: "/services",
    create: (mutate, fields) => mutate.createService(fields),
    change: (mutate, id, fields) => mutate.service(id, fields),
    remove: (mutate, id) => mutate.deleteService(id),
  },
  replicaSet: {
    collection: "/services/:owner_id/replicaSets",
    create: (mutate, fields, owner) => mutate.createReplicaSet(owner, fields),
    change: (mutate, id, fields) => mutate.replicaSet(id, fields),
    remove: (mutate, id) => mutate.deleteReplicaSet(id),
  },
};

function operationsOn(kind: Kind): [string, AdminOperation][] {
  const { collection, create, change, remove } = kinds[kind];
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  const { word } = rowOf(kind);
  const path = `/${kind}s/:id`;
  const made: z.ZodType = creations[kind];
  const changed: z.ZodType = changes[kind];
  const answer = stateShapes[kind];
  return [
    [
      `create${name}`,
      operation({
        method: "POST",
        path: collection,
        summary: `create a ${word}`,
        body: made,
        isBodyOptional: true,
        status: 201,
        answer,
        run: ({ emulator, params, body }) => create(emulator.mutate, body as never, params["owner_id"] ?? ""),
      }),
    ],
    [
      `change${name}`,
      operation({
        method: "PATCH",
        path,
        summary: `change a ${word}, at once and without a transition`,
        body: changed,
        answer,
        run: ({ emulator, params, body }) => change(emulator.mutate, params["id"] ?? "", body as never),
      }),
    ],
    [
      `delete${name}`,
      operation({
        method: "DELETE",
        path,
        summary: `delete a ${word}, whatever belongs to it`,
        run: ({ emulator, params }) => remove(emulator.mutate, params["id"] ?? ""),
      }),
    ],
  ];
}

export const mutations: Readonly<Record<string, AdminOperation>> = {
  ...Object.fromEntries((Object.keys(kinds) as Kind[]).flatMap(operationsOn)),
  writeLogs: operation({
    method: "POST",
    path: "/services/:id/logs",
    summary: "write into the logs of a service",
    body: logLines,
    run: ({ emulator, params, body }) => emulator.mutate.logs(params["id"] ?? "", body),
  }),
};
