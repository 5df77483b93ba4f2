// The objects of the world as the page draws them: no passwords, and the names that programs use.

import type { PageObject, PageRelation } from "../../../page/schema";
import type { AnyEntity, BodyOf, ObjectKind } from "../../controlPlane/world/entities";
import { actual } from "../../controlPlane/world/timeline";
import { isBusy, type World } from "../../controlPlane/world/world";

export type Properties = PageObject["properties"];

const words = {
  vpc: "Vpc",
  peering: "Peering",
  service: "Service",
  replicaSet: "ReadReplicaSet",
} as const satisfies Readonly<Record<ObjectKind, PageObject["kind"]>>;

export const keyOf = ({ kind, id }: { readonly kind: ObjectKind; readonly id: string }): string =>
  `${words[kind]}/${id}`;

/** What somebody can change, by the names of the provider's inputs. */
const rows: { readonly [K in ObjectKind]: (body: BodyOf<K>) => Properties } = {
  vpc: ({ name, cidr, regionCode }) => ({ name, cidr, regionCode }),
  peering: ({ peerAccountId, peerRegionCode, peerVpcId, provisionedId, errorMessage }) => ({
    peerVpcId,
    peerAccountId,
    peerRegionCode,
    provisionedId: provisionedId ?? null,
    errorMessage: errorMessage ?? null,
  }),
  service: (body) => ({
    name: body.name,
    cpuMillis: body.cpuMillis ?? "shared",
    memoryGbs: body.memoryGbs ?? "shared",
    environment: body.environment,
    replicaCount: body.replicaCount,
    syncReplicaCount: body.syncReplicaCount,
    poolerEnabled: body.poolerEnabled,
    vpcId: body.vpcId ?? null,
    paused: body.status === "PAUSED" || body.status === "PAUSING",
    regionCode: body.regionCode,
    serviceType: body.serviceType,
  }),
  replicaSet: ({ name, cpuMillis, memoryGbs, nodes, poolerEnabled, environment }) => ({
    name,
    cpuMillis,
    memoryGbs,
    nodes,
    poolerEnabled,
    environment: environment ?? null,
  }),
};

/** Of one state of the object; empty once it is gone. */
export const propertiesOf = ({ kind }: Pick<AnyEntity, "kind">, body: unknown): Properties =>
  body === undefined ? {} : rows[kind](body as never);

export function objectsOf(world: World, now: number): { objects: PageObject[]; relations: PageRelation[] } {
  const objects: PageObject[] = [];
  const relations: PageRelation[] = [];
  const add = (entity: AnyEntity, project: string, isChanging = false): Properties | undefined => {
    const body = actual<{ status: string }>(entity.timeline, now);
    if (body === undefined || body.status === "DELETED") return undefined;
    const { name: given, ...properties } = propertiesOf(entity, body);
    const name = String(given ?? properties["peerVpcId"] ?? entity.id);
    const { status } = body;
    objects.push({
      key: keyOf(entity),
      kind: words[entity.kind],
      id: entity.id,
      name,
      project,
      status,
      condition: conditionOf(status, isChanging),
      properties,
      ...(entity.kind === "service" && {
        createdAt: new Date(entity.createdAt).toISOString(),
        logs: (entity.logs.at(-1)?.sequence ?? -1) + 1,
      }),
    });
    return properties;
  };
  for (const vpc of world.vpcs.values()) {
    add(vpc, vpc.projectId);
    for (const peering of vpc.peerings.values())
      if (add(peering, vpc.projectId)) relations.push({ is: "of", from: keyOf(peering), to: keyOf(vpc) });
  }
  for (const service of world.services.values()) {
    const properties = add(service, service.projectId, isBusy(service, now));
    if (properties === undefined) continue;
    const from = keyOf(service);
    const { vpcId } = properties;
    if (typeof vpcId === "string") relations.push({ is: "in", from, to: keyOf({ kind: "vpc", id: vpcId }) });
    const source = service.forkedFrom;
    if (source) relations.push({ is: "forkOf", from, to: keyOf({ kind: "service", id: source.serviceId }) });
    for (const set of service.replicaSets.values())
      if (add(set, service.projectId)) relations.push({ is: "of", from: keyOf(set), to: from });
  }
  return { objects, relations };
}

const settled = new Set(["READY", "CREATED", "ACTIVE"]);
const failed = new Set(["UNSTABLE", "ERROR", "FAILED", "UNKNOWN"]);

function conditionOf(status: string, isChanging: boolean): PageObject["condition"] {
  const word = status.toUpperCase();
  if (failed.has(word)) return "failed";
  if (word === "PAUSED") return "stopped";
  return settled.has(word) && !isChanging ? "settled" : "moving";
}
