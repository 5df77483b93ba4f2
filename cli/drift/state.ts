// Parses an exported stack: the resources of this package, without their secrets. Pure.

import { ProviderError } from "../../provider/domain/errors";
import { oneLine } from "../../provider/domain/values/printable";
import { SECRET_KEY } from "../../provider/domain/values/secret";
import { nameInUrn } from "../../provider/domain/values/urn";
import { membersOf, textOf, type Values } from "../../provider/domain/values/value";
import type { Kind } from "../../provider/domain/kinds";
import { resources as byKind } from "../../provider/kinds/index";
import type { Resource } from "../../provider/core/kind";
import { isNamed, withInputsOf } from "../../provider/core/state";
import { classIn } from "../../provider/pulumi/stateNames";

/** The kinds of resources, as a state names them and as a report does. */
export type ClassName = Capitalize<Kind>;

export const resources: Readonly<Record<ClassName, Resource>> = {
  Vpc: byKind.vpc,
  Peering: byKind.peering,
  Service: byKind.service,
  ReadReplicaSet: byKind.readReplicaSet,
};

/** Ids of different kinds may be equal. */
export const keyOf = (kind: ClassName, id: string): string => `${kind}/${id}`;

/** The class of a type token; undefined when it is none of ours. */
function kindOf(type: string): ClassName | undefined {
  const name = classIn(type) ?? "";
  return Object.hasOwn(resources, name) ? (name as ClassName) : undefined;
}

/** One resource of a stack. */
export interface StateEntry {
  stack: string;
  urn: string;
  /** Its name in the program. */
  name: string;
  kind: ClassName;
  id: string;
  /** The program's last inputs, without secrets, and without a name that it did not give. */
  inputs: Values;
  /** Whether the state does not show if the program gave the name, or check filled it in. */
  isNameUncertain: boolean;
  /** The outputs that the last run recorded, without secrets. */
  outputs: Values;
  /** Inputs that are encrypted in the state and cannot be compared, without write-only inputs. */
  secretInputs: readonly string[];
  /** The paths of the option `ignoreChanges`. */
  ignores: readonly string[];
  /** The next `up` deletes it: another entry has taken its place. */
  isToBeDeleted: boolean;
  /** The last operation on it ended early. */
  hasFailed: boolean;
}

export interface StackState {
  /** Like `shop/dev`, or `acme/shop/dev`; of a stack without resources, as it was asked for. */
  name: string;
  entries: readonly StateEntry[];
  /** Operations that were under way when the state was exported, or when a run was killed. */
  unfinished: readonly Unfinished[];
}

export interface Unfinished {
  urn: string;
  name: string;
  kind: ClassName;
  /** Pulumi's type of the operation: creating, updating, deleting … */
  operation: string;
  /** The program's inputs, without secrets. */
  inputs: Values;
}

/** Pulumi: an interrupted create stays in the state, even after a later run has created or adopted the object. */
export const CREATING = "creating";

/** `name` is the name on the command line or in the Pulumi CLI; undefined for the selected stack and for a file. */
export function readStack(text: string, name: string | undefined, origin: string): StackState {
  const deployment = membersOf(membersOf(parsed(text, origin))["deployment"]);
  const all = asList(deployment["resources"]).map(membersOf);
  const urns = all.map((one) => textOf(one, "urn") ?? "");
  const stack = stackName(name, urns) ?? origin;
  const own = all.filter((one) => one["custom"] === true && kindOf(textOf(one, "type") ?? "") !== undefined);
  return {
    name: stack,
    entries: own.filter((one) => one["external"] !== true).map((one) => entryOf(one, stack)),
    unfinished: asList(deployment["pending_operations"]).map(membersOf).flatMap(unfinishedOf),
  };
}

function parsed(text: string, origin: string): unknown {
  try {
    const json = JSON.parse(text) as unknown;
    const { deployment } = membersOf(json);
    if (typeof deployment === "object" && deployment !== null) return json;
  } catch {
    // The parser's own words would quote the state.
  }
  throw new ProviderError(
    "INPUT",
    "state-unreadable",
    `${oneLine(origin)} gave no state: JSON with a member \`deployment\`, as \`pulumi stack export\` prints it`,
  );
}

/** One spelling, however it was asked for: `shop/dev`, and with an organization of a backend that has them, `acme/shop/dev`. */
function stackName(name: string | undefined, urns: readonly string[]): string | undefined {
  // Pulumi: in a backend without organizations all stacks are of one that is called so.
  const given = name?.replace(/^organization\//, "");
  // `urn:pulumi:dev::shop::…` is stack dev of project shop. A copied state has the URNs of the other stack.
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urns[0] ?? "") ?? [];
  return given?.includes("/") === true || project === undefined ? given : `${project}/${given ?? stack}`;
}

function entryOf(one: Values, stack: string): StateEntry {
  const urn = textOf(one, "urn") ?? "";
  const kind = kindOf(textOf(one, "type") ?? "") ?? "Service";
  const [inputs, outputs] = [membersOf(one["inputs"]), membersOf(one["outputs"])];
  const { fields } = resources[kind];
  const namedBy = isNamed(resources[kind]) ? namerOf(one) : "program";
  const secretKeys = Object.keys(fields).filter((key) => holdsSecret(inputs[key]) || holdsSecret(outputs[key]));
  return {
    stack,
    urn,
    name: nameInUrn(urn),
    kind,
    id: textOf(one, "id") ?? "",
    inputs: withoutSecrets(inputs, namedBy === "check" ? [...secretKeys, "name"] : secretKeys),
    isNameUncertain: namedBy === "unknown",
    outputs: withInputsOf(resources[kind], withoutSecrets(outputs, secretKeys), inputs),
    secretInputs: secretKeys.filter((key) => fields[key]?.secret !== true && inputs[key] !== undefined),
    ignores: asList(one["ignoreChanges"]).filter((path) => typeof path === "string"),
    isToBeDeleted: one["delete"] === true,
    hasFailed: asList(one["initErrors"]).length > 0,
  };
}

/** Pulumi: the dependencies name each property that the program gave; a refresh and an import keep none. */
function namerOf(one: Values): "program" | "check" | "unknown" {
  const given = Object.keys(membersOf(one["propertyDependencies"]));
  if (given.length === 0) return "unknown";
  return given.includes("name") ? "program" : "check";
}

function unfinishedOf(one: Values): Unfinished[] {
  const resource = membersOf(one["resource"]);
  const kind = kindOf(textOf(resource, "type") ?? "");
  const urn = textOf(resource, "urn") ?? "";
  if (kind === undefined) return [];
  const inputs = withoutSecrets(membersOf(resource["inputs"]), []);
  return [{ urn, name: nameInUrn(urn), kind, operation: textOf(one, "type") ?? "changing", inputs }];
}

/** At any depth. */
function holdsSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return SECRET_KEY in value || Object.values(value).some(holdsSecret);
}

/** Whatever holds a secret is left out as a whole. */
function withoutSecrets(values: Values, keys: readonly string[]): Values {
  const plain = Object.entries(values).filter(([key, value]) => !keys.includes(key) && !holdsSecret(value));
  return Object.fromEntries(plain);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
