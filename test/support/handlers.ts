// The handlers of one kind, called as the engine calls them, and the engine's record of their answers.

import { isDeepStrictEqual } from "node:util";
import { PartialError } from "../../provider/domain/errors";
import type { Values } from "../../provider/domain/values/value";
import type { Kind, ProviderProcess, ResourceHandlers } from "./providerProcess";

const PROVIDER_LINE = 'exports.handler = () => require("pulumi-dbcloud/provider").provider("service");';

/** The engine's record of a resource. */
export interface Kept {
  id: string;
  inputs: Values;
  outputs: Values;
  failed?: string;
}

/** The handlers of one kind, as the engine calls them. */
export type Handlers = ReturnType<typeof engineFor>;

export function engineFor(process: () => ProviderProcess, kind: Kind) {
  const provider = (): ResourceHandlers => process()[kind];
  const checked = (olds: Values, args: Values): Values => {
    const result = provider().check(olds, { ...args, __provider: PROVIDER_LINE, __defaultName: "unnamed-test" });
    if (result.failures.length > 0) throw new Error(result.failures.join("\n"));
    return { ...result.inputs, __provider: PROVIDER_LINE };
  };
  let created = 0;
  // As the host does it: the URN is not an input, but handlers get it. A test that gives none gets one for each resource.
  const named = (args: Values, kept?: Kept): Values => {
    const urn = args["__urn"] ?? kept?.outputs["__urn"];
    if (urn !== undefined) return { ...args, __urn: urn };
    created += 1;
    return { ...args, __urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Any::${kind}${created}` };
  };
  const withUrn = (inputs: Values, args: Values): Values =>
    args["__urn"] === undefined ? inputs : { ...inputs, __urn: args["__urn"] };
  const difference = (kept: Kept, inputs: Values) => provider().diff(kept.id, kept.outputs, inputs);
  const compared = (kept: Kept, given: Values) => {
    const args = named(given, kept);
    const inputs = checked(kept.inputs, args);
    return { args, inputs, ...difference(kept, withUrn(inputs, args)) };
  };
  const createNew = (given: Values, replaced?: Kept): Promise<Kept> => {
    const args = named(given, replaced);
    const inputs = checked({}, args);
    return keeping(args, inputs, async () => {
      const { id, outs } = await provider().create(withUrn(inputs, args));
      return { id, outputs: outs };
    });
  };
  const updated = async (kept: Kept, args: Values, inputs: Values): Promise<Kept> => {
    // The engine keeps the old inputs when an update ends early.
    const next = await keeping(args, inputs, async () => {
      const { outs } = await provider().update(kept.id, kept.outputs, withUrn(inputs, args));
      return { id: kept.id, outputs: outs };
    });
    return next.failed === undefined ? next : { ...next, inputs: kept.inputs };
  };
  return {
    /** As an error hook does it: the call alone, with the values of before. */
    again: {
      create: (args: Values): Promise<Kept> =>
        keeping(args, args, async () => {
          const { id, outs } = await provider().create(args);
          return { id, outputs: outs };
        }),
      update: (kept: Kept, args: Values): Promise<Kept> => updated(kept, named(args, kept), args),
    },
    /** As `up` does it: check, then create. A half-made object is recorded with `failed`. */
    create: async (args: Values): Promise<Kept> => createNew(args),
    /** As `up` does it: check, diff, then update if the engine would. Rethrows the handler's error. */
    async update(kept: Kept, given: Values): Promise<Kept> {
      const { args, inputs, changes, replaces = [] } = compared(kept, given);
      if (replaces.length > 0) throw new Error(`replace: ${replaces.join(", ")}`);
      const isSame = isDeepStrictEqual(inputs, kept.inputs);
      if (changes === false || (changes === undefined && isSame && kept.failed === undefined)) return kept;
      return updated(kept, args, inputs);
    },
    async refresh(kept: Kept): Promise<Kept | undefined> {
      const { id, props, inputs } = await provider().read(kept.id, { ...kept.outputs, __provider: PROVIDER_LINE });
      if (id === undefined) return undefined;
      return {
        id,
        inputs: inputs === undefined ? kept.inputs : { ...inputs, __provider: PROVIDER_LINE },
        outputs: { ...props, __provider: PROVIDER_LINE },
      };
    },
    /** As `destroy` does it, or `up` after the resource was removed from the program. */
    remove(kept: Kept): Promise<void> {
      process().forgetProgram();
      return provider().delete(kept.id, kept.outputs);
    },
    /** The same in the command of an earlier call, or as `up` does it with an entry whose deletion an earlier run left pending. */
    removePending: (kept: Kept): Promise<void> => provider().delete(kept.id, kept.outputs),
    /** The `diff` of a refresh: it follows a read, and no `check`. */
    compare: (kept: Kept): void => void difference(kept, withUrn(kept.inputs, kept.outputs)),
    /** The result of `check` for a registered resource. */
    check: (args: Values, olds: Values = {}) => provider().check(olds, { ...named(args), __provider: PROVIDER_LINE }),
    /** The result of `diff` with the calls that it shows, and the inputs that differ. */
    preview(kept: Kept, given: Values) {
      const found = compared(kept, given);
      const { inputs, changes, replaces = [], deleteBeforeReplace: isOldFirst = false, operations } = found;
      const keys = new Set([...Object.keys(inputs), ...Object.keys(kept.inputs)]);
      const isChanged = (key: string): boolean => !isDeepStrictEqual(inputs[key], kept.inputs[key]);
      const properties = [...keys].filter((key) => isChanged(key) && !key.startsWith("__"));
      return { changes, replaces, isOldFirst, properties, operations };
    },
    /** As `up` does it: creates the new one first, or deletes the old one first if `diff` says so. */
    async replace(kept: Kept, given: Values): Promise<Kept> {
      const { args, deleteBeforeReplace: isOldFirst = false } = compared(kept, given);
      if (isOldFirst) await provider().delete(kept.id, kept.outputs);
      const next = await createNew(args, kept);
      if (!isOldFirst && next.failed === undefined) await provider().delete(kept.id, kept.outputs);
      return next;
    },
  };
}

async function keeping(
  args: Values,
  inputs: Values,
  work: () => Promise<{ id: string; outputs: Values }>,
): Promise<Kept> {
  try {
    const { id, outputs } = await work();
    return { id, inputs, outputs: { ...outputs, __provider: PROVIDER_LINE } };
  } catch (error) {
    if (!(error instanceof PartialError)) throw error;
    return {
      id: error.id,
      inputs,
      outputs: { ...error.outputs, __provider: PROVIDER_LINE, __urn: args["__urn"] },
      failed: error.message,
    };
  }
}
