// What a program sees of outputs that an object does not have.

import * as pulumi from "@pulumi/pulumi";

/** In every state that the provider has written, and never given by a program. */
const ALWAYS_STORED = "__inputs";

/** The outputs that every class declares besides its own. */
export function hiddenOutputs(): pulumi.Inputs {
  return pulumi.runtime.isDryRun() ? { [ALWAYS_STORED]: undefined } : {};
}

/** The output of an input that the program does not give. */
export const notGiven = pulumi.output(undefined);

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
  const isStored = async (): Promise<boolean> =>
    (await isKnown(resource.id)) && (await isKnown(outputOf(ALWAYS_STORED)));
  for (const key of keys) {
    const output = outputOf(key);
    const { isKnown: known } = output;
    const isSettled = async (): Promise<boolean> =>
      (await known) || ((await output.promise(true)) === undefined && (await isStored()));
    // When it is read, because a program reads few of its outputs.
    Object.defineProperty(output, "isKnown", { get: isSettled });
  }
}
