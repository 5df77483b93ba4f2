// Finds the resource of a call, for the view of the run and for the lines on its row.
// Pulumi: handlers do not receive it. The classes send the URN as a hidden input, and `check` removes it again, so that it is
// not in the inputs of the state and can never cause a difference: not after a rename, an import, or a move to another stack.
// Later calls get what `check` returned, or other inputs: `ignoreChanges: ["*"]` gives `check` those of the state, without
// the URN, and a policy changes them afterwards. So equal inputs are a hint, and the order of the calls decides.

import { hash } from "node:crypto";
import type { Values } from "../domain/values/value";
import { visible } from "../core/state";
import { urnIn } from "./hidden";

/** One `check` that no other call has followed yet. */
interface Checked {
  /** Undefined where it was hidden from `check`. */
  urn: unknown;
  key: string;
  name: unknown;
}

export function createUrns() {
  /** Without an entry in the state, or to be replaced. */
  const toCreate: Checked[] = [];
  const toCompare: Checked[] = [];
  /** By URN: undefined until a `diff` shows with which object. */
  const objects = new Map<unknown, string | undefined>();
  const compared = new Map<string, unknown>();
  let lastCompared: { urn: unknown; key: string } | undefined;
  /** Pulumi: an error hook calls a `create` again that has failed, and no other. */
  const failed: Checked[] = [];

  /** A new `check` of a resource replaces the one before. */
  function forget(urn: unknown): void {
    for (const list of [toCreate, toCompare, failed]) {
      const at = list.findIndex((one) => one.urn === urn);
      if (at >= 0 && urn !== undefined) list.splice(at, 1);
    }
  }

  /**
   * The `check` of an object of the state: that of the resource that has it, or the only one. Pulumi: with
   * PULUMI_PARALLEL_DIFF several are open at a time, also while a dependent of what is replaced is compared without any.
   */
  function checkBefore(key: string, old: unknown): Checked | undefined {
    if (toCompare.length === 0) return undefined;
    const equal = toCompare.filter((one) => one.key === key);
    const known = equal.length > 0 ? equal : toCompare;
    const only = known === equal || known.length === 1 ? known.at(-1) : undefined;
    const found = known.find(({ urn }) => urn === old) ?? only;
    if (found !== undefined) toCompare.splice(toCompare.indexOf(found), 1);
    return found;
  }

  /** `isUnnamed`: the `check` before it was not told whose it was. */
  function ofDiff(id: string, inputs: Values, olds: Values): { raw: Values; isUnnamed: boolean } {
    const old = urnIn(olds);
    const key = keyOf(inputs);
    const checked = checkBefore(key, old);
    // Pulumi: `diff` follows its `check`, or there is none: that of a dependent of what is replaced. After a rename by an
    // alias the state still has the URN of before, which another resource may have by now.
    const isOther = objects.has(old) && objects.get(old) !== id;
    const urn = inputs["__urn"] ?? checked?.urn ?? (isOther ? undefined : old);
    if (checked !== undefined) objects.set(urn, id);
    compared.set(id, urn);
    lastCompared = { urn, key };
    return { raw: named(inputs, urn), isUnnamed: checked !== undefined && checked.urn === undefined };
  }

  return {
    /** `check` returned these inputs for this resource. With empty olds it is created next. */
    remember(inputs: Values, urn: unknown, olds: Values): void {
      const isNew = Object.keys(olds).length === 0;
      const key = keyOf(inputs);
      // Pulumi: what is replaced is checked a second time, right after its `diff`; what is forced to be replaced has none.
      const known = urn ?? (isNew && key === lastCompared?.key ? lastCompared.urn : undefined);
      forget(known);
      if (known !== undefined) objects.set(known, undefined);
      (isNew ? toCreate : toCompare).push({ urn: known, key, name: inputs["name"] });
    },
    /** Creates with the inputs and their `__urn`, if that is known. */
    async create<T>(inputs: Values, create: (raw: Values) => Promise<T>): Promise<T> {
      if (inputs["__urn"] !== undefined) return create(inputs);
      const key = keyOf(inputs);
      const isEqual = (one: Checked): boolean => one.key === key;
      const only = toCreate.length === 1 ? toCreate[0] : undefined;
      // In the order in which they were registered: that is the order in which the engine begins. A repeat follows at once.
      const first = toCreate.find(isEqual) ?? failed.findLast(isEqual);
      const found = first ?? toCreate.find(({ name }) => name === inputs["name"]) ?? only;
      if (found === undefined) return create(inputs);
      for (const list of [toCreate, failed]) if (list.includes(found)) list.splice(list.indexOf(found), 1);
      return create(named(inputs, found.urn)).catch((error: unknown) => {
        failed.push({ ...found, key });
        throw error;
      });
    },
    ofDiff,
    ofUpdate: (id: string, inputs: Values, olds: Values): Values =>
      compared.has(id) ? named(inputs, inputs["__urn"] ?? compared.get(id)) : ofDiff(id, inputs, olds).raw,
  };
}

const named = (inputs: Values, urn: unknown): Values => (urn === undefined ? inputs : { ...inputs, __urn: urn });

/** A digest, because inputs hold secrets. */
export function keyOf(inputs: Values): string {
  return hash("sha256", JSON.stringify(sorted(visible(inputs))), "base64");
}

/** Pulumi: inputs come back with their keys in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
