// Outputs on demand. Pulumi: each declared output costs some thirty promises for every resource, even if no program reads it.
// The outputs of a registered resource can be requested from the engine later.

import * as pulumi from "@pulumi/pulumi";
import { shortenTraces } from "./traces";

export interface OutputShape {
  /** All inputs and outputs of the class, because the engine's answer only fills keys that were declared. */
  properties: Readonly<Record<string, undefined>>;
  /** An output that always exists, and that is known in a preview without changes. */
  always?: string;
}

// Pulumi: every Output has it, and only the declarations hide it.
export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as pulumi.Output<unknown> & { isKnown: Promise<boolean> }).isKnown;
}

/** As in `domain/values/urn.ts`, which programs do not load. */
export function nameInUrn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The outputs of a resource that the engine has stored. */
class StoredResource extends pulumi.CustomResource {
  constructor(urn: string, keys: readonly string[]) {
    const [type = ""] = urn.split("::").slice(2);
    const properties = Object.fromEntries(keys.map((key) => [key, undefined]));
    super(type, nameInUrn(urn), properties, { urn, parent: new UnregisteredParent(urn) });
  }
}

/** Pulumi: what has no parent gets the stack's transformations, and they have seen the resource when it was registered. */
class UnregisteredParent extends pulumi.CustomResource {
  constructor(urn: string) {
    super("", "", {}, {}, true);
    Object.defineProperty(this, "urn", { value: pulumi.output(urn) });
  }
}

type Outputs = Readonly<Record<string, pulumi.Output<unknown>>>;

/** The outputs that a program has read of one resource. */
interface Reads {
  outputs: Map<string, pulumi.Output<unknown>>;
  /** The keys of the next request to the engine. */
  asked: Set<string>;
  answers: Map<string, Outputs>;
}

const reads = new WeakMap<pulumi.CustomResource, Reads>();

/**
 * Adds the outputs of the class that its registration has not declared. Pulumi: in a preview, an output that a resource does
 * not have is unknown, also where nothing changes, so that whatever depends on it shows as changed each time; here it is
 * absent in such a preview. `isAlwaysGiven`: the program may give what is always there, which then tells nothing.
 */
export function addOutputsOnDemand(
  resource: pulumi.CustomResource,
  { properties, always }: OutputShape,
  isAlwaysGiven = false,
): void {
  const marker = pulumi.runtime.isDryRun() && !isAlwaysGiven ? always : undefined;
  for (const key of Object.keys(properties)) {
    const isSettled = marker === undefined || key === marker;
    const isDeclared = Object.hasOwn(resource, key);
    if (isDeclared && isSettled) continue;
    const declared = isDeclared ? propertyOf(resource, key) : undefined;
    const first = (): pulumi.Output<unknown> => declared ?? outputOf(resource, key);
    let settled: pulumi.Output<unknown> | undefined;
    const output = (): pulumi.Output<unknown> =>
      isSettled ? first() : (settled ??= absentWhereNothingChanges(resource, first(), marker));
    // Pulumi: a closure is serialized with the values of the properties that it reads, and a getter with all that it needs.
    const value = new Proxy(
      // What `instanceof` sees.
      Object.create(Reflect.getPrototypeOf(resource.urn)) as object,
      { get: (_, name) => Reflect.get(output(), name) as unknown, has: (_, name) => Reflect.has(output(), name) },
    );
    Object.defineProperty(resource, key, { configurable: true, enumerable: true, writable: true, value });
  }
}

/** Pulumi: the properties of a resource are outputs, those that were added here included. */
function propertyOf(resource: pulumi.CustomResource, key: string): pulumi.Output<unknown> {
  return Reflect.get(resource, key) as pulumi.Output<unknown>;
}

/** The output; absent if it is unknown although nothing changes, which an output that always exists shows. */
function absentWhereNothingChanges(
  resource: pulumi.CustomResource,
  output: pulumi.Output<unknown>,
  marker: string,
): pulumi.Output<unknown> {
  const answer = async (): Promise<pulumi.Output<unknown> | undefined> => {
    const isOpen = !(await isKnown(output));
    if (!isOpen || !(await isKnown(resource.id))) return output;
    return (await isKnown(propertyOf(resource, marker))) ? undefined : output;
  };
  return pulumi.output(resource.urn).apply(() => pulumi.output(answer()));
}

/** Pulumi: a run that leaves a resource out stores nothing of it, and it has no id. */
function outputOf(resource: pulumi.CustomResource, key: string): pulumi.Output<unknown> {
  const mine: Reads = reads.get(resource) ?? { outputs: new Map(), asked: new Set(), answers: new Map() };
  reads.set(resource, mine);
  const known = mine.outputs.get(key);
  if (known !== undefined) return known;
  const isThere = pulumi.runtime.isDryRun() ? resource.urn : resource.id;
  mine.asked.add(key);
  const output = pulumi.all([resource.urn, isThere]).apply(([urn]) => answerOf(mine, key, urn)[key]);
  mine.outputs.set(key, output);
  return output;
}

function stored(urn: string, keys: readonly string[]): Outputs {
  const restoreTraces = shortenTraces(false);
  try {
    return new StoredResource(urn, keys) as object as Outputs;
  } finally {
    restoreTraces();
  }
}

/** Outputs that a program reads during the registration of the resource are requested together. */
function answerOf({ asked, answers }: Reads, key: string, urn: string): Outputs {
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = stored(urn, [...asked]);
  for (const one of asked) answers.set(one, answer);
  asked.clear();
  return answer;
}
