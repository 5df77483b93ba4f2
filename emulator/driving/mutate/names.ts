// Checks the field names of out-of-band changes. An unknown one would become part of the object, and no emulator could
// read a stored world with it.

import { requireKnown } from "../../unknownNames";
import { changes, creations } from "./fields";
import type { Mutate } from "./mutate";

/** The names allowed in the last argument of each function; `null` if that argument has no fields. */
const known: Readonly<Record<keyof Mutate, object | null>> = {
  createVpc: creations.vpc.shape,
  vpc: changes.vpc.shape,
  createPeering: creations.peering.shape,
  peering: changes.peering.shape,
  createService: creations.service.shape,
  service: changes.service.shape,
  createReplicaSet: creations.replicaSet.shape,
  replicaSet: changes.replicaSet.shape,
  deleteVpc: null,
  deletePeering: null,
  deleteService: null,
  deleteReplicaSet: null,
  logs: null,
};

/** The same functions, which throw a TypeError for an unknown name. */
export function withKnownNames(mutate: Mutate): Mutate {
  const guarded = Object.entries(known).flatMap(([name, shape]) => {
    if (shape === null) return [];
    const work = Reflect.get(mutate, name) as (...args: unknown[]) => unknown;
    const guard = (...args: unknown[]): unknown => {
      const fields = args.at(-1);
      if (typeof fields === "object" && fields !== null) requireKnown(`mutate.${name}`, fields, Object.keys(shape));
      return work(...args);
    };
    return [[name, guard] as const];
  });
  return { ...mutate, ...Object.fromEntries(guarded) };
}
