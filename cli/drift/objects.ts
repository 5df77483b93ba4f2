// Finds objects that no stack manages, and objects that several resources hold. Pure.

import type { Service } from "../../provider/kinds/service/inputs";
import { conditionOfService, serviceSize } from "../../provider/kinds/service/inputs";
import { textOf, withoutUndefined } from "../../provider/domain/values/value";
import { conditionOfReplicaSet } from "../../provider/kinds/readReplicaSet/inputs";
import { conditionOfVpc } from "../../provider/kinds/vpc/inputs";
import { projectOf } from "../../provider/lifecycle/state/state";
import type { LiveProject } from "./collect";
import type { Shared, Unmanaged } from "./findings";
import { type ClassName, resources, CREATING, type StateEntry, type StackState, type Unfinished } from "./state";

/** The key of an object within one project: ids of different kinds may be equal. */
function objectKey(kind: ClassName, id: string): string {
  return `${kind}/${id}`;
}

export function sharedObjects(entries: readonly StateEntry[]): Shared[] {
  const holders = new Map<string, StateEntry[]>();
  for (const entry of entries) {
    if (entry.isToBeDeleted) continue;
    // A state that was imported and never read names no project.
    const key = `${projectOf(entry.outputs) ?? ""} ${objectKey(entry.kind, entry.id)}`;
    holders.set(key, [...(holders.get(key) ?? []), entry]);
  }
  return [...holders.values()].flatMap((held) => {
    const [first] = held;
    if (first === undefined || held.length < 2) return [];
    const name = held.map(({ outputs }) => outputs["name"]).find((one) => typeof one === "string");
    return [
      {
        category: "shared" as const,
        type: first.kind,
        id: first.id,
        ...(name === undefined ? {} : { objectName: name }),
        holders: held.map(({ stack, urn, name: inProgram }) => ({ stack, urn, name: inProgram })),
      },
    ];
  });
}

/** An unmanaged object is reported instead of everything in it. */
export function unmanagedObjects(
  live: LiveProject,
  entries: readonly StateEntry[],
  isIgnored: (object: Unmanaged) => boolean,
  nowMs: number,
): Unmanaged[] {
  const here = entries.filter(({ outputs }) => (projectOf(outputs) ?? live.projectId) === live.projectId);
  const managed = new Set(here.map(({ kind, id }) => objectKey(kind, id)));
  const isManaged = (kind: ClassName, id: string): boolean => managed.has(objectKey(kind, id));
  const base = { category: "unmanaged" as const, projectId: live.projectId };
  const vpcs = live.vpcs
    .filter((item) => !isManaged("Vpc", item.vpcId) && conditionOfVpc(item) !== "deleting")
    .map(({ vpcId, name, cidr, regionCode, status }): Unmanaged => {
      const shown = { objectName: name, cidr, regionCode, status: status ?? undefined };
      return { ...base, type: "Vpc", id: vpcId, ...withoutUndefined(shown) };
    });
  const peerings = live.peerings
    .flatMap(({ vpcId, items }) => items.map((item) => ({ ...item, vpcId })))
    .filter(({ peeringId }) => !isManaged("Peering", peeringId))
    .map(({ peeringId, vpcId, peerVpcId, status }): Unmanaged => {
      const shown = { objectName: peerVpcId, parentId: vpcId, status };
      return { ...base, type: "Peering", id: peeringId, ...withoutUndefined(shown) };
    });
  const present = live.services.filter((item) => conditionOfService(item) !== "deleting");
  const services = present
    .filter(({ serviceId }) => !isManaged("Service", serviceId))
    .map((item): Unmanaged => ({ ...base, ...aboutService(item, nowMs) }));
  const all: Readonly<Record<ClassName, readonly Unmanaged[]>> = {
    Vpc: vpcs,
    Peering: peerings,
    Service: services,
    ReadReplicaSet: present
      .filter(({ serviceId }) => isManaged("Service", serviceId))
      .flatMap((service) => setsOf(service))
      .filter(({ id }) => !isManaged("ReadReplicaSet", id))
      .map((set): Unmanaged => ({ ...base, ...set })),
  };
  return Object.values(all)
    .flat()
    .filter((object) => !isIgnored(object));
}

/** The interrupted creates that may have made the object. */
export function withPendingCreates(object: Unmanaged, stacks: readonly StackState[]): Unmanaged {
  const pendingCreates = stacks.flatMap(({ name: stack, unfinished }) =>
    unfinished.filter((one) => mayHaveMade(one, object)).map(({ urn, name }) => ({ stack, urn, name })),
  );
  return pendingCreates.length === 0 ? object : { ...object, pendingCreates };
}

function mayHaveMade({ kind, operation, inputs }: Unfinished, object: Unmanaged): boolean {
  if (operation !== CREATING || kind !== object.type) return false;
  const { isNamed, parentKey } = resources[kind];
  const isInside = parentKey === undefined || inputs[parentKey] === object.parentId;
  const isSameProject = (textOf(inputs, "projectId") ?? object.projectId) === object.projectId;
  const name = textOf(inputs, isNamed ? "name" : "peerVpcId");
  return isInside && isSameProject && name !== undefined && name === object.objectName;
}

function aboutService(item: Service, nowMs: number): Omit<Unmanaged, "category" | "projectId"> {
  const ageMs = nowMs - Date.parse(item.created);
  const shown = {
    objectName: item.name,
    status: item.status,
    createdAt: item.created,
    ageMs: Number.isNaN(ageMs) ? undefined : Math.max(0, ageMs),
    ...serviceSize(item),
    regionCode: item.regionCode,
    environment: item.environment,
    vpcId: item.vpcEndpoint?.vpcId,
    readReplicaSets: item.readReplicaSets.length || undefined,
  };
  return { type: "Service", id: item.serviceId, ...withoutUndefined(shown) };
}

function setsOf({ serviceId: parentId, readReplicaSets }: Service): Omit<Unmanaged, "category" | "projectId">[] {
  return readReplicaSets
    .filter((set) => conditionOfReplicaSet(set) !== "deleting")
    .map(({ replicaSetId: id, name: objectName, status, cpuMillis, memoryGbs, environment }) => {
      const shown = { objectName, parentId, status, cpuMillis, memoryGbs, environment };
      return { type: "ReadReplicaSet", id, ...withoutUndefined(shown) };
    });
}

/** `*` matches any text. The whole name or id of the object must match. */
export function ignoring(patterns: readonly string[]): (object: Pick<Unmanaged, "id" | "objectName">) => boolean {
  return ({ id, objectName = "" }) => patterns.some((pattern) => fits(pattern, id) || fits(pattern, objectName));
}

/** Without a regular expression: one made of many `*` takes minutes on a long name. */
function fits(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern;
  let end = text.startsWith(first) ? first.length : Infinity;
  for (const part of others) {
    const at = text.indexOf(part, end);
    end = at < 0 ? Infinity : at + part.length;
  }
  return text.length - last.length >= end && text.endsWith(last);
}
