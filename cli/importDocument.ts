// The document for `pulumi import --file`. Pure.

import type { Values } from "../provider/domain/values/value";
import { resources } from "../provider/lifecycle/resources/index";
import { managedText } from "../provider/lifecycle/state/state";
import { type Front, providerLine, typeOf } from "../provider/pulumi/stateNames";
import type { Found } from "./inventory";
import type { Names } from "./names";

interface Entry {
  type: string;
  name: string;
  id: string;
  inputs?: Values;
  outputs?: Values;
}

export function importDocument(
  all: readonly Found[],
  names: ReadonlyMap<Found, Names>,
  inputsOf: (found: Found) => Values,
  front: Front,
): { resources: Entry[] } {
  return {
    resources: all.map((found) => ({
      type: typeOf(front, found.kind),
      name: names.get(found)?.logical ?? found.id,
      ...(front === "native" ? { id: wholeId(found) } : { id: found.id, ...valuesOf(found, inputsOf(found)) }),
    })),
  };
}

/** The plugin reads an object by its id alone. */
function wholeId({ kind, id, scope }: Found): string {
  const { parentKey = "" } = resources[kind];
  const parent: unknown = Object.entries(scope).find(([key]) => key === parentKey)?.[1];
  return typeof parent === "string" ? `${parent}/${id}` : id;
}

/**
 * Pulumi: an import of a dynamic resource takes what it is told: `inputs` and `outputs` that both carry `__provider`. The
 * outputs name no values but those that the first refresh needs to find the object, and no secret ever.
 */
function valuesOf({ kind, scope, isProtected }: Found, inputs: Values): Required<Pick<Entry, "inputs" | "outputs">> {
  const line = { __provider: providerLine(kind) };
  return {
    inputs: { ...inputs, ...line },
    outputs: {
      ...scope,
      ...(isProtected ? { deletionProtection: true } : {}),
      // Which inputs the program gives: the refresh fills in these and no others.
      __inputs: managedText(Object.keys(inputs)),
      ...line,
    },
  };
}
