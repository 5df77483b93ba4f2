// The wire form of read replica sets, alone and within their service.

import type { ReplicaSet, ReplicaSetBody, Service, ServiceBody } from "../world/entities";
import { readListed } from "../world/visibility";
import type { World } from "../world/world";
import { addressOf } from "./addresses";
import { finish, statusWord, writeRows, type Rows, type Wire } from "./fields";

interface View {
  readonly world: World;
  readonly set: ReplicaSet;
  readonly body: ReplicaSetBody;
  /** A set moves with its service. */
  readonly parent: ServiceBody;
}

const rows = {
  cpuMillis: ({ body }) => ({ cpu_millis: body.cpuMillis }),
  memoryGbs: ({ body }) => ({ memory_gbs: body.memoryGbs }),
  name: ({ body }) => ({ name: body.name }),
  nodes: ({ body }) => ({ nodes: body.nodes }),
  status: ({ world, set, body, parent }) => ({
    status: statusWord(world.settings.switches, body.status),
    endpoint: isUp(body) ? address(world, set, parent, "direct") : undefined,
  }),
  poolerEnabled: ({ world, set, body, parent }) => ({
    connection_pooler:
      isUp(body) && body.poolerEnabled ? { endpoint: address(world, set, parent, "pooler") } : undefined,
  }),
  environment: ({ body }) => ({
    metadata: body.environment === undefined ? undefined : { environment: body.environment },
  }),
} satisfies Rows<ReplicaSetBody, View>;

const fieldsOf = (view: View) => ({ id: view.set.id, ...writeRows(rows, view) });

export type ReplicaSetFields = ReturnType<typeof fieldsOf>;

const address = ({ backend }: World, { id, service }: ReplicaSet, parent: ServiceBody, role: "direct" | "pooler") =>
  addressOf(backend, { id, projectId: service.projectId }, parent, role);

const isUp = (body: ReplicaSetBody): boolean => body.status !== "creating";

export function replicaSetWire(world: World, set: ReplicaSet, body: ReplicaSetBody, parent: ServiceBody): Wire {
  return finish(world.settings.switches, fieldsOf({ world, set, body, parent }), set.wire);
}

export function* shownReplicaSets(world: World, service: Service, parent: ServiceBody, now: number): Generator<Wire> {
  for (const set of service.replicaSets.values()) {
    const body = readListed(set, now);
    if (body) yield replicaSetWire(world, set, body, parent);
  }
}
