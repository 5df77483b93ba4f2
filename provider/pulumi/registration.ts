// What a class hands to the engine: a type, one constant line that finds the handlers, and the program's own inputs.
// No code is serialized, so nothing here may import undici or zod, or anything that loads them.

import type { Kind } from "../domain/kinds";
import * as pulumi from "@pulumi/pulumi";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import type { LifecycleArgs } from "./lifecycleArgs";
import { completeOutputs, hiddenOutputs } from "./outputs";
import { warnOfPlainKey } from "./plainKey";
import { requireArguments } from "./provider";
import { CLASS_NAMES, IMPORT_FORMS, type Form, FORMS, ID_NAMES, OF_CLASS, providerLine, typeOf } from "./stateNames";
import type { ErrorName } from "../domain/errorName";
import { describePaths } from "../domain/config/previewWarnings";
import { shellWord } from "../domain/values/printable";
import { programError } from "./programError";

// Pulumi: an inline program (Automation API) that does not reach the engine counts as one without resources, and `up` then
// deletes them all. grpc-js: what the process knows of an address is shared, so a new engine that listens where an earlier one
// did counts as unreachable until a backoff ends, as in https://github.com/grpc/grpc-node/issues/1591. A pool of its own for
// each connection shares nothing.
const connectionOptions: unknown = Reflect.get(pulumi.runtime, "grpcClientOptions");
if (typeof connectionOptions === "object" && connectionOptions !== null)
  Object.assign(connectionOptions, { "grpc.use_local_subchannel_pool": 1 });

const TELL_END = "signalAndWaitForShutdown";

// Pulumi: an inline program with a failed Output first tells the engine that it has ended well, and then ends with the error.
// So `up` deletes what the error kept it from declaring. Other programs look for errors first. The call came with
// https://github.com/pulumi/pulumi/pull/20143.
const ofMonitor: object = ResourceMonitorClient.prototype;
const tellEnd: unknown = Reflect.get(ofMonitor, TELL_END);
if (typeof tellEnd === "function") {
  Reflect.set(ofMonitor, TELL_END, function (this: object, ...given: unknown[]) {
    // grpc-js: the request, then what is optional, last the callback.
    const done = given.findLast((one) => typeof one === "function");
    // A rejection counts as unhandled only when all promises of its turn have been served.
    setImmediate(() => {
      if (done !== undefined && pulumi.log.hasErrors())
        Reflect.apply(done, undefined, [
          programError("after-failure", "the program has failed, so nothing is deleted"),
        ]);
      else Reflect.apply(tellEnd, this, given);
    });
  });
}

export interface Shape {
  kind: Kind;
  inputs: Readonly<Record<string, undefined>>;
  /** All inputs and outputs of the class, because the engine's answer only fills keys that were declared. */
  properties: Readonly<Record<string, undefined>>;
  /** Inputs that the API does not know: their outputs are what the program gives. */
  asGiven: readonly string[];
}

const PASSWORD = "password";
const SECRET_OUTPUTS = [PASSWORD, "initialPassword"];

/** Everything that Pulumi's constructor is given. The caller's `args` and `opts` are left as they are. */
export function registration(
  form: Form,
  shape: Shape,
  name: string,
  args: LifecycleArgs = {},
  opts: pulumi.CustomResourceOptions,
): [type: string, name: string, props: pulumi.Inputs, options: pulumi.CustomResourceOptions] {
  requireArguments(CLASS_NAMES[shape.kind], name, args);
  const all = withInherited(opts);
  refuseMisuse(form, shape, name, args, all);
  warnOfPlainKey();
  warnOfOptions(shape, name, all);
  const type = typeOf(form, shape.kind);
  const isRead = opts.id !== undefined || opts.urn !== undefined;
  const inputs: pulumi.Inputs = { ...shape.properties, ...hiddenOutputs(), ...args };
  // Pulumi: `ignoreChanges` and `urn` bring values that the program does not give.
  const isComplete = opts.ignoreChanges === undefined && opts.urn === undefined;
  for (const key of shape.asGiven) if (isComplete && inputs[key] === undefined) Reflect.deleteProperty(inputs, key);
  if (inputs[PASSWORD] !== undefined) inputs[PASSWORD] = pulumi.secret(inputs[PASSWORD]);
  const hidden =
    form === "native"
      ? { [OF_CLASS]: true }
      : { __provider: providerLine(shape.kind), __urn: urnOf(name, type, opts.parent) };
  // A stack moves from one form to the other, and back, without a change.
  const aliases = isRead ? [] : aliasesOf(typeOf(form === "native" ? "dynamic" : "native", shape.kind), name, opts);
  // An input that is not given has no output; the text would be in every state.
  const isSecret = (key: string): boolean => isRead || key !== PASSWORD || inputs[key] !== undefined;
  const secrets = SECRET_OUTPUTS.filter((key) => key in shape.properties && isSecret(key));
  const options = pulumi.mergeOptions({ additionalSecretOutputs: secrets, aliases }, opts);
  const timeouts = isRead ? undefined : mergeTimeouts(args.timeouts, opts.customTimeouts);
  const props = { ...inputs, ...(timeouts === undefined ? {} : { timeouts }), ...hidden };
  return [type, name, props, options];
}

/** What follows the registration. */
export function complete(
  resource: pulumi.CustomResource,
  { properties }: Shape,
  opts: pulumi.CustomResourceOptions,
): void {
  optionsOf.set(resource, withInherited(opts));
  completeOutputs(resource, Object.keys(properties), opts.additionalSecretOutputs);
}

/**
 * The id of the object. Pulumi: in a preview, SDK 3.276 leaves the id of a `get` unknown if the engine does not send it
 * back, as older engines do not. The program has said it.
 */
export function idOf(resource: pulumi.CustomResource): pulumi.Output<pulumi.ID> {
  const given = optionsOf.get(resource)?.id;
  return given === undefined ? resource.id : pulumi.all([given, resource.urn]).apply(([id]) => id);
}

const optionsOf = new WeakMap<pulumi.Resource, pulumi.CustomResourceOptions>();

/** Pulumi: the engine gives these options of a parent to its children. Those of a component nobody can read. */
function withInherited(opts: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  const ofParent = opts.parent && optionsOf.get(opts.parent);
  const { deletedWith = ofParent?.deletedWith, retainOnDelete = ofParent?.retainOnDelete } = opts;
  return Object.assign({}, opts, defined({ deletedWith, retainOnDelete }));
}

/** The other form's type under the resource's own name, and under each name that it had before. */
function aliasesOf(
  type: string,
  name: string,
  opts: pulumi.CustomResourceOptions,
): pulumi.Input<pulumi.URN | pulumi.Alias>[] {
  type Given = pulumi.Alias | string;
  const ofOther = (alias: Given): pulumi.Alias =>
    typeof alias === "object" && alias.type === undefined ? { ...alias, type } : { type };
  const given: unknown[] = Array.isArray(opts.aliases) ? opts.aliases : [];
  const isLater = (alias: unknown): boolean => pulumi.Output.isInstance(alias) || alias instanceof Promise;
  return [
    // Pulumi: an alias that is no text becomes some ten outputs.
    opts.parent === undefined ? rootUrn(name, type) : { type },
    ...given
      .filter((alias) => typeof alias === "object" && alias !== null)
      .map((alias) =>
        isLater(alias) ? pulumi.output(alias as pulumi.Input<Given>).apply(ofOther) : ofOther(alias as pulumi.Alias),
      ),
  ];
}

/** Pulumi: a policy pack asks with the type alone. */
export function isOfShape(value: unknown, shape: Shape): boolean {
  const type: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "__pulumiType") : undefined;
  return FORMS.some((form) => type === typeOf(form, shape.kind));
}

// Pulumi: an input derived from the parent's URN makes the child depend on the parent, and thereby on all children of
// a component: two siblings would wait for each other for ever. A promise carries the text without the dependency.
// A `parent` that is no resource gets no URN here: Pulumi refuses it with an error of its own.
function urnOf(name: string, type: string, parent: pulumi.Resource | undefined): pulumi.Input<string> {
  if (!pulumi.Resource.isInstance(parent)) return rootUrn(name, type);
  const parentUrn = new Promise<string>((resolve) => {
    parent.urn.apply(resolve);
  });
  return pulumi.createUrn(name, type, parentUrn);
}

function rootUrn(name: string, type: string): string {
  return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
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

/** Options that Pulumi accepts, and that do not do what is meant. */
function warnOfOptions({ kind, inputs }: Shape, name: string, opts: pulumi.CustomResourceOptions): void {
  // Pulumi: it then sends no delete, also where that of the other one is refused later.
  if (opts.deletedWith !== undefined) {
    void pulumi.log.warn(
      `${CLASS_NAMES[kind]} ${name}: with \`deletedWith\`, a run that deletes both removes this one from the state only: the ` +
        "object stays, because the API deletes nothing along with another object. Use `dependsOn`.",
    );
  }
  for (const option of ["ignoreChanges", "replaceOnChanges"] as const) {
    const said = describePaths(option, [opts[option] ?? []].flat(), Object.keys(inputs));
    if (said !== undefined) void pulumi.log.warn(`${CLASS_NAMES[kind]} ${name}: ${said}`);
  }
}

/** Refuses what Pulumi would accept, and what then does something else than is meant. */
function refuseMisuse(form: Form, shape: Shape, name: string, args: object, opts: pulumi.CustomResourceOptions): void {
  const { import: id, retainOnDelete, deleteBeforeReplace } = opts;
  const refused = (errorName: ErrorName, text: string): Error =>
    programError(errorName, `${CLASS_NAMES[shape.kind]} ${name}: ${text}`);
  // Pulumi: it takes that for a new resource, and creates an empty object.
  if (Object.hasOwn(opts, "id") && !opts.id)
    throw refused("missing-input", "the id is missing; give `get` that of an existing object.");
  if (form === "dynamic" && id !== undefined) {
    const word = shellWord(IMPORT_FORMS[shape.kind].replace(/ID$/, () => id));
    throw refused(
      "import-option",
      `Pulumi's \`import\` option does not work for this resource. Run \`npx pulumi-dbcloud import ${word}\` ` +
        `for \`pulumi import --file\`, or set the input \`adoptId: ${JSON.stringify(id)}\` instead of \`import\`.`,
    );
  }
  // Pulumi: no handler sees options. So only here is it known before a preview that a replacement fails on the name.
  if (retainOnDelete === true && deleteBeforeReplace === true) {
    throw refused(
      "options-exclude",
      "`retainOnDelete` and `deleteBeforeReplace` exclude each other: " +
        "the old object keeps its name, so a replacement would fail. Leave out one of them.",
    );
  }
  const input = Object.keys(opts).find((key) => key in shape.inputs);
  if (input !== undefined)
    throw refused("unknown-input", `\`${input}\` is an input, not an option: give it in the second argument.`);
  const idName = ID_NAMES[shape.kind];
  if (!(idName in args)) return;
  throw refused(
    "id-is-output",
    `\`${idName}\` is an output. To adopt an existing object, set \`adoptId\`; ` +
      `to read one without managing it, use \`${CLASS_NAMES[shape.kind]}.get\`.`,
  );
}
