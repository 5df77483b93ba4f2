// The names that changes out of band may have. Another one would become part of the object, and no emulator could read the
// world back that holds it.

import { peeringFields, replicaSetFields, serviceFields, vpcFields } from "../data/bodies";
import { requireKnown } from "../unknownNames";
import type { Mutate } from "./mutate";

const { moves: _moves, ...serviceOwn } = serviceFields;
const vpc = [...Object.keys(vpcFields), "wire"];
const peering = [...Object.keys(peeringFields), "wire"];
const replicaSet = [...Object.keys(replicaSetFields), "wire"];
const service = [...Object.keys(serviceOwn), "wire", "paused", "password", "createdAt", "firstBackupAt"];

/** Of the last argument of each function. */
const known: Partial<Record<keyof Mutate, readonly string[]>> = {
  createVpc: [...vpc, "projectId"],
  vpc,
  createPeering: peering,
  peering,
  createService: [...service, "projectId", "forkedFrom"],
  service,
  createReplicaSet: replicaSet,
  replicaSet,
};

/** The same functions, which throw a TypeError where a name is none. */
export function withKnownNames(mutate: Mutate): Mutate {
  const guarded = Object.entries(known).map(([name, names]) => {
    const work = Reflect.get(mutate, name) as (...args: unknown[]) => unknown;
    const guard = (...args: unknown[]): unknown => {
      const fields = args.at(-1);
      if (typeof fields === "object" && fields !== null) requireKnown(`mutate.${name}`, fields, names);
      return work(...args);
    };
    return [name, guard] as const;
  });
  return { ...mutate, ...Object.fromEntries(guarded) };
}
