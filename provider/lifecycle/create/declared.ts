// The declared identities of the resources of one program. Two resources with one identity cannot both be created, and a
// preview reports that. Pure, except for the memory that it updates.

import { UNKNOWN } from "../../domain/values/unknown";
import { allowsDuplicate, reservationKey, remedy } from "./nameReservation";
import type { Declaration, Memory } from "../session/context";
import type { Creatable } from "../resources/creation";
import type { Values } from "../../domain/values/value";
import type { Identity } from "../view/runView";

/** Records a valid resource, and returns its conflicts with the other resources. */
export function declare(
  resource: Creatable,
  { declared: { reservations, byIdentity } }: Memory,
  { identity, inputs, isNew, account }: Declaring,
): string[] {
  if (identity === undefined) return [];
  reservations.get(byIdentity.get(identity.key) ?? "")?.delete(identity.key);
  const projectId = typeof inputs["projectId"] === "string" ? inputs["projectId"] : (account.projectId ?? "");
  const key = `${account.baseUrl ?? ""} ${reservationKey(resource, inputs, { projectId })}`;
  if (key.includes(UNKNOWN)) return [];
  const isWanted = allowsDuplicate(inputs);
  const mine = { name: identity.name, isAlone: isNew && inputs["adoptId"] === undefined && !isWanted };
  const others = reservations.get(key) ?? new Map<string, Declaration>();
  const other = [...others].find(([, { isAlone }]) => mine.isAlone || (isAlone && !isWanted));
  reservations.set(key, others.set(identity.key, mine));
  byIdentity.set(identity.key, key);
  if (other === undefined) return [];
  const words = resource.identity(inputs, { projectId });
  const path = resource.isNamed ? "name" : (resource.parentKey ?? "");
  return [`${path}: ${resource.noun} ${words} is declared twice, also by ${other[1].name}. ${remedy(resource)}`];
}

interface Declaring {
  identity: Identity | undefined;
  inputs: Values;
  isNew: boolean;
  account: Account;
}

/** Where objects are created unless their inputs say otherwise. */
export interface Account {
  projectId?: string | undefined;
  baseUrl?: string | undefined;
}
