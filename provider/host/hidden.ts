// The hidden keys that belong to Pulumi. The classes send them as inputs beside the user's inputs, and the state keeps the
// URN. The lifecycle does not know them.

import type { CheckContext } from "../core/check";
import type { DiffContext } from "../core/diff";
import { nameInUrn, stackInUrn } from "../domain/values/urn";
import { textOf, type Values } from "../domain/values/value";
import type { Identity } from "../core/runView";

/** Pulumi: every URN begins with `HEAD`, and names its type with `TYPE`. The state leaves both out. */
const HEAD = "urn:pulumi:";
const TYPE = "pulumi-nodejs:dynamic/dbcloud:";

/** The full URN in the values. Programs and older states have the full form, newer states the short form. */
export function urnIn(values: Values): unknown {
  const urn = values["__urn"];
  if (typeof urn !== "string" || urn.startsWith(HEAD)) return urn;
  const [stack, project, types, ...name] = urn.split("::");
  return types === undefined ? urn : HEAD + [stack, project, types.replace(/[^$]*$/, `${TYPE}$&`), ...name].join("::");
}

/** The stacks that the values name. The plugin knows URNs by the engine, so its states record the stack alone. */
export function stacksIn(values: Values): string[] {
  return [textOf(values, "__stack"), stackInUrn(String(urnIn(values)))].filter((stack) => stack !== undefined);
}

/** The short form of a URN, because every state holds one. */
function shortUrn(urn: unknown): unknown {
  if (typeof urn !== "string" || !urn.startsWith(HEAD)) return urn;
  const [stack, project, types = "", ...name] = urn.slice(HEAD.length).split("::");
  const short = [stack, project, types.replace(/[^$]*$/, (own) => own.replace(TYPE, "")), ...name].join("::");
  return urnIn({ __urn: short }) === urn ? short : urn;
}

/** The resource that the values belong to; undefined if they name none. */
export function identityOf(values: Values): Identity | undefined {
  const urn = urnIn(values);
  return typeof urn === "string" ? { key: urn, name: nameInUrn(urn), stack: stackInUrn(urn) } : undefined;
}

/** The default name of an object; entries of the state keep the name that they have. Programs with an older version of this package send it. */
export function defaultNameOf(values: Values): Pick<CheckContext, "defaultName"> {
  const said = values["__defaultName"];
  const urn = urnIn(values);
  if (said !== undefined || typeof urn !== "string" || !urn.startsWith(HEAD)) return { defaultName: said };
  const [stack = "", project = ""] = urn.slice(HEAD.length).split("::");
  const [name, begin] = [nameInUrn(urn), `${project}-`];
  return { defaultName: `${name === project || name.startsWith(begin) ? "" : begin}${name}-${stack}` };
}

/** Which hidden keys differ between the state and the program. */
export function hiddenDifferences(olds: Values, news: Values): Pick<DiffContext, "isOtherEntry" | "isOtherIdentity"> {
  const [before, now] = [olds["__provider"], news["__provider"]];
  return {
    isOtherEntry: before !== undefined && now !== undefined && before !== now,
    isOtherIdentity: urnIn(olds) !== urnIn(news),
  };
}

/** A state with the URN of its resource. */
export function withUrn(state: Values, values: Values): Values {
  const urn = shortUrn(values["__urn"]);
  return urn === undefined ? state : { ...state, __urn: urn };
}
