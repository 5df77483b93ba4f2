// Check: validates every input against its row, then the rules over several inputs. No I/O, no key; unknown values pass.
// It fills in only the name and the protection of the setting, so that an upgrade of this package never causes a difference.

import type { z } from "zod";
import type { ErrorName } from "../domain/errorName";
import { InputError, type ProviderError, type RefusedError } from "../domain/errors";
import type { Field } from "../domain/fields";
import { isSameWord } from "../domain/sharedFields";
import { compact, containsUnknown, isEqual, isUnknown, show, type Values } from "../domain/values/value";
import { describeConflict } from "../plan/step";
import { type Account, declare } from "./name";
import { decideDelete, refusalOf, notShared } from "./decideDelete";
import { adoptionOf, factsOf } from "./deleteFacts";
import type { Context } from "./operation";
import type { Resource } from "./kind";
import { noticesOfCreate, replacementNotice, tellMoves } from "./announce";
import { ownerOf } from "./entry";
import { isNamed, objectOf, projectOf, visible } from "./state";
import { conflictWith, isSameValue } from "./compare";
import { effectiveProtection, isProtectable, PROTECTION } from "./protection";

export interface Checked {
  inputs: Values;
  /** In full: the path, the given value, the allowed values, and where to read on. */
  failures: string[];
  warnings: string[];
  /** What holds for all resources alike, and is given once in a run. */
  warningsOfRun: string[];
  /** Shown as progress, not as warnings. */
  notes: string[];
}

export interface CheckContext extends Pick<Context, "memory" | "identity" | "adopt"> {
  account?: Account;
  /** The name of an object whose program gives none. */
  defaultName?: unknown;
  /** The setting that protects what the program says nothing of. */
  isProtecting?: boolean;
}

export function check(resource: Resource, context: CheckContext, olds: Values, raw: Values): Checked {
  const { memory, identity, account, defaultName } = context;
  const isProtecting = context.isProtecting === true && isProtectable(resource);
  const news: Values = { ...(isProtecting && { [PROTECTION]: true }), ...compact(visible(raw)) };
  // Pulumi: a replacement is checked again, as if it were new.
  const name = isNamed(resource)
    ? (news["name"] ?? olds["name"] ?? memory.view.resource(identity).name ?? defaultName)
    : undefined;
  const inputs: Values = { ...news, ...(name === undefined ? {} : { name }) };
  const before = visible(olds);
  const isNew = Object.keys(before).length === 0;
  const adoptId = isNew ? adoptionOf(context, inputs) : undefined;
  const registering = register(resource, context, isNew, inputs, adoptId);
  const replacing = isNew ? replacement(resource, context, adoptId) : { failures: [], warnings: [] };
  const wrong = Object.entries(resource.fields).flatMap(([key, field]) =>
    checkField(key, field, inputs[key], olds[key]),
  );
  // An input that is invalid by itself is reported already: the rules cover only combinations of valid inputs.
  const wrongKeys = new Set(wrong.map(({ path }) => path.split(".", 1)[0]));
  const isWrong = (key: string): boolean => wrongKeys.has(key);
  const failures: ProviderError[] = [
    ...unknownArguments(resource, inputs),
    ...registering,
    ...wrong,
    ...fixedInputs(resource, olds, inputs).filter(({ path }) => !isWrong(path)),
    ...replacing.failures,
    ...otherRegion(resource, context, inputs, olds),
  ];
  const isUsable = (key: string): boolean => !containsUnknown(inputs[key]) && !isWrong(key);
  const rules = resource.rules?.(inputs, isUsable, isNew);
  failures.push(...(rules?.errors ?? []));
  const moves: string[] = [];
  if (isNew && isProtectable(resource)) {
    const [warn, refuse] = [(words: string) => moves.push(words), (error: RefusedError) => failures.push(error)];
    tellMoves(memory.view.namesMovedToNew(resource.kind, name), warn, refuse);
  }
  if (account !== undefined && failures.length === 0) {
    const clash = declare(resource, memory.view, { identity, inputs: { ...inputs, adoptId }, olds: before, account });
    if (clash !== undefined) failures.push(clash);
  }
  return {
    inputs,
    failures: failures.map((error) => error.fullMessage),
    warningsOfRun: isNew && adoptId === undefined ? passedOver(context.adopt) : [],
    warnings: [
      ...(rules?.warnings ?? []),
      ...replacing.warnings,
      ...moves,
      ...(isWrong("adoptId") || adoptId === undefined ? [] : [adoption(resource, adoptId, inputs, news["name"])]),
    ],
    notes: isNew && failures.length === 0 ? noticesOfCreate(resource, inputs, adoptId !== undefined) : [],
  };
}

/** Pulumi: with empty olds the engine creates the resource next, whether it is new or replaced. */
function register(
  resource: Resource,
  { memory, identity, account }: CheckContext,
  isNew: boolean,
  inputs: Values,
  adoptId: string | undefined,
): ProviderError[] {
  if (identity === undefined) return [];
  // Pulumi: what an error hook repeats is not checked again.
  memory.unfinished.delete(identity.key);
  const projectId = projectOf(inputs) ?? account?.projectId;
  const adopts = adoptId === undefined || containsUnknown(adoptId) ? undefined : objectOf(resource, adoptId, projectId);
  const [name, owner] = [inputs["name"], ownerOf(resource, inputs)];
  const isProtected = effectiveProtection(resource, inputs, inputs);
  memory.view.tell(identity, { is: "checked", kind: resource.kind, isNew, name, adopts, owner, isProtected });
  if (adopts === undefined) return [];
  const [label, unshared] = [`${resource.noun} ${adoptId}`, memory.view.unshared()];
  if (unshared !== undefined) return [notShared(label, unshared, "it is not adopted")];
  const { claimant, keeper } = memory.view.claimsOn(adopts, identity.key);
  const rival = claimant ?? keeper;
  return rival === undefined ? [] : [adoptedTwice(label, rival)];
}

/** The object that contains it stands in the state, and shows there in which region it is. */
function otherRegion(
  { noun, container }: Resource,
  { memory }: CheckContext,
  inputs: Values,
  olds: Values,
): InputError[] {
  const id = container && inputs[container.key];
  const own = inputs["regionCode"] ?? olds["regionCode"];
  if (container === undefined || typeof id !== "string" || typeof own !== "string" || isEqual(id, olds[container.key]))
    return [];
  const object = objectOf(container, id);
  const [entry] = memory.view.entries((one) => one.object.split(" ")[0] === object);
  if (typeof entry?.regionCode !== "string" || isSameWord(entry.regionCode, own)) return [];
  return [
    inputError(
      "not-the-same-region",
      container.key,
      `${entry.label} is in ${entry.regionCode}, the ${noun} in ${own}; give the id of one of its region`,
    ),
  ];
}

/** No call says which resources the program has in all, so a word that names none of them shows only by what is created. */
function passedOver(adopt: readonly string[]): string[] {
  if (adopt.length === 0) return [];
  return [`DBCLOUD_ADOPT is ${show(adopt.join(","))}: what is created under another name is new, not adopted`];
}

function adoptedTwice(label: string, rival: string): InputError {
  return new InputError(
    "declared-twice",
    "adoptId",
    `adoptId: ${label} is declared twice, also by ${rival}; nothing was sent for this one`,
    "An object can belong to only one resource: remove one of the two. Where resources have one name, give DBCLOUD_ADOPT the URN.",
  );
}

/** The engine shows a plain create. The adopted object holds existing data, so a preview must report the adoption. */
function adoption(resource: Resource, adoptId: string, inputs: Values, givenName: unknown): string {
  const which = containsUnknown(adoptId) ? "whose id is not known yet" : show(adoptId);
  const isRenamed = isNamed(resource) && givenName === undefined;
  const name = isRenamed ? `, and named ${show(inputs["name"])}, because the program gives no \`name\`` : "";
  return `adoptId: the existing ${resource.noun} ${which} will be adopted and changed in place to match the program${name}; no new one is created, and from then on, destroying this stack deletes it`;
}

/**
 * A replacement that the program or a flag forces, and that the planner did not decide.
 * Pulumi: a resource that `diff` has compared is checked as new if it is replaced.
 */
function replacement(
  resource: Resource,
  context: CheckContext,
  adoptId: string | undefined,
): { failures: ProviderError[]; warnings: string[] } {
  const found: ReturnType<typeof replacement> = { failures: [], warnings: [] };
  const { memory, identity } = context;
  const { view } = memory;
  for (const entry of view.resource(identity).predecessors) {
    if (view.claimsOn(entry.object).isRemoved || entry.id === adoptId) continue;
    const facts = factsOf(entry, context);
    const decision = decideDelete(facts);
    if (decision.is === "refuse") found.failures.push(refusalOf(decision.because, facts, "replace"));
    const isNew = decision.is !== "keep" && view.claimsOn(entry.object).replaced === "no";
    const notice = isNew ? replacementNotice(resource, entry.label) : undefined;
    if (notice !== undefined) found.warnings.push(notice);
  }
  return found;
}

/** An error whose message begins with the input. */
function inputError(errorName: ErrorName, path: string, reason: string): InputError {
  return new InputError(errorName, path, `${path}: ${reason}`);
}

function unknownArguments(resource: Resource, inputs: Values): InputError[] {
  const allowed = Object.keys(resource.fields);
  return Object.keys(inputs)
    .filter((key) => !allowed.includes(key))
    .map((key) => inputError("unknown-input", key, `there is no such argument; allowed: ${allowed.join(", ")}`));
}

/** Pulumi: what an Output gives as a string or as JSON, in place of its value. */
const OUTPUT_AS_TEXT = /Calling \[to(?:String|JSON)\] on an \[Output/;

function checkField(key: string, field: Field, value: unknown, old: unknown): InputError[] {
  if (value === undefined)
    return field.required ? [inputError("missing-input", key, `is missing; give ${field.allowed}`)] : [];
  // A value that an earlier version of this package accepted, or that a refresh recorded, is not refused afterwards.
  if (isEqual(old, value)) return [];
  if (OUTPUT_AS_TEXT.test(JSON.stringify(value))) {
    return [
      inputError(
        "output-as-text",
        key,
        "holds the text of a warning, because an Output was put into a string; use pulumi.interpolate`…`, or output.apply(value => …)",
      ),
    ];
  }
  const result = field.schema.safeParse(value);
  if (result.success) return [];
  const errors = new Map<string, InputError>();
  for (const issue of result.error.issues) {
    const at = [key, ...issue.path.map(String)];
    if (issue.code === "unrecognized_keys") {
      for (const name of issue.keys) {
        const path = [...at, name].join(".");
        errors.set(path, inputError("unknown-input", path, `there is no such member; allowed: ${field.allowed}`));
      }
      continue;
    }
    const wrong = valueAt(value, issue.path);
    if (isUnknown(wrong)) continue;
    const given = field.secret ? "[secret]" : show(wrong);
    const path = at.join(".");
    errors.set(path, inputError("invalid-input", path, `given ${given}; allowed: ${allowedAt(field, issue.path)}`));
  }
  return [...errors.values()];
}

/** What is allowed for the member, or for the whole input. */
function allowedAt({ schema, allowed }: Field, [member]: readonly PropertyKey[]): string {
  const members = "shape" in schema ? (schema.shape as Readonly<Record<PropertyKey, z.ZodType | undefined>>) : {};
  return (member === undefined ? undefined : members[member]?.description) ?? allowed;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );
}

/** Inputs that cannot change, where the old input is known. `diff` finds the others. */
function fixedInputs(resource: Resource, olds: Values, inputs: Values): InputError[] {
  if (inputs["allowReplace"] === true) return [];
  return Object.entries(resource.fields)
    .filter(([key, field]) => field.change === "fixed" && olds[key] !== undefined && inputs[key] !== undefined)
    .filter(([key, field]) => !containsUnknown(inputs[key]) && !isSameValue(field, olds[key], inputs[key]))
    .map(([key]) => {
      const conflict = conflictWith(resource, key, olds[key], inputs[key]);
      return new InputError("cannot-change", key, describeConflict(conflict));
    });
}
