// What the resources of one program are declared as. Two of them that would be one object to a person cannot both be made,
// and a preview can tell. Pure but for the memory that it is given.

import { UNKNOWN } from "../../domain/values/unknown";
import { allowsDuplicate, nameOf, remedy } from "./nameReservation";
import type { Declaration, Declared } from "../state/memory";
import type { Resource, Values } from "../resources/resource";

/** Remembers a resource that was found right, and answers what is wrong with it beside the others. */
export function declare(
  resource: Resource,
  { reservations, byUrn }: Declared,
  { urn, inputs, isNew, account }: { urn: unknown; inputs: Values; isNew: boolean; account: Account },
): string[] {
  if (typeof urn !== "string") return [];
  reservations.get(byUrn.get(urn) ?? "")?.delete(urn);
  const projectId = typeof inputs["projectId"] === "string" ? inputs["projectId"] : (account.projectId ?? "");
  const key = `${account.baseUrl ?? ""} ${nameOf(resource, inputs, { projectId })}`;
  if (key.includes(UNKNOWN)) return [];
  const isWanted = allowsDuplicate(inputs);
  const mine = { isAlone: isNew && inputs["adoptId"] === undefined && !isWanted };
  const others = reservations.get(key) ?? new Map<string, Declaration>();
  const other = [...others].find(([, { isAlone }]) => mine.isAlone || (isAlone && !isWanted));
  reservations.set(key, others.set(urn, mine));
  byUrn.set(urn, key);
  if (other === undefined) return [];
  const words = resource.identity(inputs, { projectId });
  const path = resource.isNamed ? "name" : (resource.parentKey ?? "");
  return [
    `${path}: ${resource.noun} ${words} is declared twice, also by ${other[0].split("::").at(-1)}. ${remedy(resource)}`,
  ];
}

/** Where objects are made unless their inputs say otherwise. */
export interface Account {
  projectId?: string | undefined;
  baseUrl?: string | undefined;
}
