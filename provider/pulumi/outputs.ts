// What a program sees of outputs that an object does not have.

import * as pulumi from "@pulumi/pulumi";

/** In every state that the provider has written, and never given by a program. */
const ALWAYS_STORED = "__inputs";

/** The outputs that every class declares besides its own. */
export const hiddenOutputs: pulumi.Inputs = { [ALWAYS_STORED]: undefined };

/** Pulumi: every Output has both, and only the declarations hide them. */
type Known = pulumi.Output<unknown> & { isKnown: Promise<boolean>; promise(withUnknowns: true): Promise<unknown> };

export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as Known).isKnown;
}

/**
 * Pulumi: in a preview, an output that a resource does not have is unknown, also where nothing changes, so that whatever
 * depends on it shows as changed each time. Here it is absent once the object is in the state, unless the provider says
 * that a change makes it unknown: such an output has a value, the text that says so.
 */
export function settleAbsent(resource: pulumi.CustomResource, keys: Iterable<string>): void {
  if (!pulumi.runtime.isDryRun()) return;
  const outputOf = (key: string): Known => Reflect.get(resource, key) as Known;
  const isStored = Promise.all([isKnown(resource.id), isKnown(outputOf(ALWAYS_STORED))]).then(
    ([hasId, hasState]) => hasId && hasState,
  );
  for (const key of keys) {
    const output = outputOf(key);
    output.isKnown = Promise.all([output.isKnown, isStored, output.promise(true)]).then(
      ([known, stored, value]) => known || (stored && value === undefined),
    );
  }
}
