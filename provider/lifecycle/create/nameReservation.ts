// Reserves names within one process: of two creates with one identity the second is refused, in any interleaving.

import { InputError } from "../../domain/errors";
import type { Holder, Memory } from "../session/context";
import { objectOf } from "../view/runView";
import type { Creatable } from "../resources/creation";
import type { Scope } from "../resources/observation";
import type { Values } from "../../domain/values/value";

export function reserveName(resource: Creatable, { reservations, named }: Memory, inputs: Values, scope: Scope) {
  const key = reservationKey(resource, inputs, scope);
  const holders = reservations.get(key) ?? new Set();
  const [first] = holders;
  if (first !== undefined && !allowsDuplicate(inputs)) throw taken(resource, resource.identity(inputs, scope), first);
  const mine: Holder = { is: "underWay" };
  reservations.set(key, holders.add(mine));
  return {
    /** The create made nothing, so other creates may take the name. */
    release: () => holders.delete(mine),
    /** The create made its object, which holds the name until the object is deleted. */
    keep: (id: string) => {
      const object = objectOf(resource, id);
      Object.assign(mine, { is: "made", object });
      named.set(object, (named.get(object) ?? new Set()).add(key));
    },
    /** The outcome of the create is unknown: the name stays taken in this process. */
    keepUnknown: () => Object.assign(mine, { is: "unknown" }),
  };
}

/** Whether the program allows two objects of one name. */
export function allowsDuplicate(inputs: object): boolean {
  return "allowDuplicateName" in inputs && inputs.allowDuplicateName === true;
}

/** The key that only one create may hold. */
export function reservationKey(resource: Creatable, inputs: Values, scope: Scope): string {
  return `${resource.kind}/${scope.projectId}/${resource.identity(inputs, scope)}`;
}

/** Releases the names of a deleted object. */
export function releaseNames({ reservations, named }: Memory, object: string): void {
  for (const key of named.get(object) ?? []) {
    const holders = reservations.get(key) ?? new Set();
    for (const holder of holders) if (holder.object === object) holders.delete(holder);
  }
  named.delete(object);
}

function taken(resource: Creatable, words: string, holder: Holder): InputError {
  const path = resource.isNamed ? "name" : "adoptId";
  if (holder.is === "unknown") {
    return new InputError(
      path,
      `${resource.noun} ${words}: an earlier create of it in this run lost its answer; nothing more was created`,
      "Run `pulumi up` again: it reads before it creates, and names what it finds.",
    );
  }
  return new InputError(
    path,
    `${resource.noun} ${words}: another resource of this program creates the same one; nothing was created`,
    remedy(resource),
  );
}

/** The remedy for a program that declares two objects of one name. */
export function remedy(resource: Creatable): string {
  if (!resource.isNamed) return "Keep one of the two.";
  const duplicates = "allowDuplicateName" in resource.fields ? ", or set `allowDuplicateName: true`" : "";
  return `Give one of them another \`name\`${duplicates}.`;
}
