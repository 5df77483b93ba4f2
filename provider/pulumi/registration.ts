// What a class hands to the engine: a type, one constant line that finds the handlers, and the program's own inputs.
// No code is serialized, so nothing here may import undici or zod, or anything that loads them.

import type { Kind } from "../domain/kinds";
import * as pulumi from "@pulumi/pulumi";
import type { LifecycleArgs } from "./lifecycleArgs";
import { warnOfPlainKey } from "./plainKey";

export interface Shape {
  kind: Kind;
  className: string;
  /** Every input and output of the class: the engine's answer lands only in keys that were there from the start. */
  properties: Readonly<Record<string, undefined>>;
  /** The class's own name for Pulumi's `id`; never an input. */
  idGetter: string;
  secrets?: readonly string[];
  /** Whether `name` may be left out. */
  defaultName: boolean;
  /** How `pulumi-dbcloud import` names one such object. */
  importForm: string;
}

interface Registration {
  type: string;
  props: pulumi.Inputs;
  options: pulumi.CustomResourceOptions;
}

export function resourceType({ className }: Pick<Shape, "className">): string {
  return `pulumi-nodejs:dynamic/dbcloud:${className}`;
}

/** Frozen: every state keeps this text, and refresh and destroy of old states run it. */
export function providerLine(kind: Kind): string {
  return `exports.handler = () => require("pulumi-dbcloud/provider").provider("${kind}");`;
}

/** Everything a constructor passes on. The caller's `args` and `opts` are left as they are. */
export function registration(
  shape: Shape,
  name: string,
  args: LifecycleArgs,
  opts: pulumi.CustomResourceOptions,
): Registration {
  refuseImport(shape, name, opts);
  warnOfPlainKey();
  refuseIdAsInput(shape, name, args);
  const type = resourceType(shape);
  const inputs: pulumi.Inputs = { ...shape.properties, ...args };
  for (const secret of shape.secrets ?? []) {
    if (inputs[secret] !== undefined) inputs[secret] = pulumi.secret(inputs[secret]);
  }
  const hidden = { __provider: providerLine(shape.kind), __urn: urnOf(name, type, opts.parent) };
  const options = pulumi.mergeOptions({ additionalSecretOutputs: [...(shape.secrets ?? [])] }, opts);
  if (opts.id !== undefined || opts.urn !== undefined) return { type, props: { ...inputs, ...hidden }, options };
  const timeouts = mergeTimeouts(args.timeouts, opts.customTimeouts);
  const defaultName = shape.defaultName ? { __defaultName: `${name}-${pulumi.getStack()}` } : {};
  return { type, props: { ...inputs, timeouts, ...defaultName, ...hidden }, options };
}

export function isOfShape(value: unknown, shape: Shape): boolean {
  return pulumi.Resource.isInstance(value) && "__pulumiType" in value && value.__pulumiType === resourceType(shape);
}

// Pulumi: an input derived from the parent's URN makes the child depend on the parent, and thereby on all children of
// a component: two siblings would wait for each other for ever. A promise carries the text without the dependency.
function urnOf(name: string, type: string, parent: pulumi.Resource | undefined): pulumi.Output<string> {
  if (parent === undefined) return pulumi.createUrn(name, type);
  const parentUrn = new Promise<string>((resolve) => {
    parent.urn.apply(resolve);
  });
  return pulumi.createUrn(name, type, parentUrn);
}

// Pulumi: the engine drops `customTimeouts` on the way to a dynamic provider.
function mergeTimeouts(
  given: LifecycleArgs["timeouts"],
  custom: pulumi.CustomTimeouts | undefined,
): LifecycleArgs["timeouts"] {
  const fallback = defined(custom);
  if (Object.keys(fallback).length === 0) return given;
  return pulumi.output(given).apply((own) => ({ ...fallback, ...defined(own) }));
}

function defined<T extends object>(record: T | undefined): Partial<T> {
  const entries = Object.entries(record ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}

function refuseImport(shape: Shape, name: string, opts: pulumi.CustomResourceOptions): void {
  if (opts.import === undefined) return;
  throw new pulumi.RunError(
    `${shape.className} ${name}: Pulumi's \`import\` option does not work for this resource. Run ` +
      `\`pulumi-dbcloud import ${shape.importForm.replace(/ID$/, opts.import)}\`, which writes the file for \`pulumi import --file\` and the ` +
      `program that matches it; or set the input \`adoptId: ${JSON.stringify(opts.import)}\` in place of \`import\`, ` +
      "and the next `pulumi up` takes the existing object over.",
  );
}

function refuseIdAsInput(shape: Shape, name: string, args: object): void {
  if (!(shape.idGetter in args)) return;
  throw new pulumi.RunError(
    `${shape.className} ${name}: \`${shape.idGetter}\` is an output. To take over an existing object set \`adoptId\`; ` +
      `to read one without managing it use \`${shape.className}.get\`.`,
  );
}
