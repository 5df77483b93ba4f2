// The hidden keys of Pulumi's side. The classes send them as inputs beside the user's own, and the state keeps the URN.
// Handlers below know none of them.

import type { CheckContext } from "../lifecycle/handlers/check";
import type { DiffContext } from "../lifecycle/handlers/diff";
import type { Values } from "../domain/values/value";
import type { Identity } from "../lifecycle/session/context";

/** The resource that these values belong to; undefined where they do not say. */
export function identityOf(values: Values): Identity | undefined {
  const urn = values["__urn"];
  return typeof urn === "string" ? { key: urn, name: urn.split("::").at(-1) ?? urn } : undefined;
}

/** The name that the class gives to a resource whose program gives none. */
export function defaultNameOf(values: Values): Pick<CheckContext, "defaultName"> {
  return { defaultName: values["__defaultName"] };
}

/** What the state has under other hidden keys than the program. */
export function hiddenDifferences(olds: Values, news: Values): Pick<DiffContext, "isOtherEntry" | "isOtherIdentity"> {
  const [before, now] = [olds["__provider"], news["__provider"]];
  return {
    isOtherEntry: before !== undefined && now !== undefined && before !== now,
    isOtherIdentity: olds["__urn"] !== news["__urn"],
  };
}

/** A state with the URN of its resource. */
export function withUrn(state: Values, values: Values): Values {
  const urn = values["__urn"];
  return urn === undefined ? state : { ...state, __urn: urn };
}
