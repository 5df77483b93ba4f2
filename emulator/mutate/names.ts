// The names that changes out of band may have. Another one would become part of the object, and no emulator could read the
// world back that holds it.

import { bodyFields } from "../data/bodies";
import type { Kind } from "../world/entities";
import { requireKnown } from "../unknownNames";
import type { Mutate } from "./mutate";

const { moves: _moves, ...serviceOwn } = bodyFields.service;
const names: { readonly [K in Kind]: readonly string[] } = {
  vpc: [...Object.keys(bodyFields.vpc), "wire"],
  peering: [...Object.keys(bodyFields.peering), "wire"],
  service: [...Object.keys(serviceOwn), "wire", "paused", "password", "createdAt", "firstBackupAt"],
  replicaSet: [...Object.keys(bodyFields.replicaSet), "wire"],
};

/** Of the last argument of each function. */
const known: Partial<Record<keyof Mutate, readonly string[]>> = {
  ...names,
  createVpc: [...names.vpc, "projectId"],
  createPeering: names.peering,
  createService: [...names.service, "projectId", "forkedFrom"],
  createReplicaSet: names.replicaSet,
};

/** The same functions, which throw a TypeError where a name is none. */
export function withKnownNames(mutate: Mutate): Mutate {
  const guarded = Object.entries(known).map(([name, allowed]) => {
    const work = Reflect.get(mutate, name) as (...args: unknown[]) => unknown;
    const guard = (...args: unknown[]): unknown => {
      const fields = args.at(-1);
      if (typeof fields === "object" && fields !== null) requireKnown(`mutate.${name}`, fields, allowed);
      return work(...args);
    };
    return [name, guard] as const;
  });
  return { ...mutate, ...Object.fromEntries(guarded) };
}
