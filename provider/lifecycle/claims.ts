// Names within one process: of two creates of the same thing the second is refused, in any interleaving.

import { InputError } from "../domain/errors";
import { objectOf, type Holder, type Memory } from "./memory";
import type { Place, Resource } from "./resource";

export interface Claim {
  /** The create came to nothing: others may try. */
  release(): void;
  /** The create has its object, which holds the name until it is deleted. */
  keep(id: string): void;
  /** Nobody knows what became of the create: the name stays taken in this process. */
  leaveOpen(): void;
}

export function claim<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  memory: Memory,
  inputs: Inputs,
  place: Place,
): Claim {
  const key = nameOf(resource, inputs, place);
  const holder = memory.claims.get(key);
  if (holder !== undefined) throw taken(resource, resource.claim(inputs, place), holder);
  memory.claims.set(key, { is: "underWay" });
  return {
    release: () => memory.claims.delete(key),
    keep: (id) => memory.claims.set(key, { is: "made", object: objectOf(resource, id) }),
    leaveOpen: () => memory.claims.set(key, { is: "unknown" }),
  };
}

/** What two creates must not both make. */
export function nameOf<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  inputs: Inputs,
  place: Place,
): string {
  return `${resource.kind}/${place.projectId}/${resource.claim(inputs, place)}`;
}

/** A deleted object holds no name. */
export function releaseClaim(memory: Memory, object: string): void {
  for (const [key, holder] of memory.claims) {
    if (holder.is === "made" && holder.object === object) memory.claims.delete(key);
  }
}

function taken<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  words: string,
  holder: Holder,
): InputError {
  const path = resource.isNamed ? "name" : "adoptId";
  if (holder.is === "unknown") {
    return new InputError(
      path,
      `${resource.noun} ${words}: an earlier create of it in this run lost its answer; nothing more was created`,
      "Run `pulumi up` again: it looks before it posts, and names what it finds.",
    );
  }
  return new InputError(
    path,
    `${resource.noun} ${words}: another resource of this program creates the same one; nothing was created`,
    resource.isNamed ? "Give one of them another `name`." : "Keep one of the two.",
  );
}
