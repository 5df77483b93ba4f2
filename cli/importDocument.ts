// The document for `pulumi import --file`. Pure.
// Pulumi: an import of a dynamic resource takes what it is told: `inputs` and `outputs` that both carry `__provider`.
// The outputs name no values but those that the first refresh needs to find the object, and no secret ever.

import type { Values } from "../provider/domain/values/value";
import { managedText } from "../provider/lifecycle/state/state";
import { providerLine, resourceType } from "../provider/pulumi/stateNames";
import type { Found } from "./inventory";
import type { Names } from "./names";

interface Entry {
  type: string;
  name: string;
  id: string;
  inputs: Values;
  outputs: Values;
}

export function importDocument(
  all: readonly Found[],
  names: ReadonlyMap<Found, Names>,
  inputsOf: (found: Found) => Values,
): { resources: Entry[] } {
  return {
    resources: all.map((found) => {
      const line = { __provider: providerLine(found.kind) };
      const inputs = inputsOf(found);
      return {
        type: resourceType(found.kind),
        name: names.get(found)?.logical ?? found.id,
        id: found.id,
        inputs: { ...inputs, ...line },
        outputs: {
          ...found.scope,
          ...(found.isProtected ? { deletionProtection: true } : {}),
          // Which inputs the program gives: the refresh fills in these and no others.
          __inputs: managedText(Object.keys(inputs)),
          ...line,
        },
      };
    }),
  };
}
