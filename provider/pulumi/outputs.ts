// The outputs of the classes: each is made when a program first uses it, and what an object does not have is absent.

import * as pulumi from "@pulumi/pulumi";

/** In every state that the provider has written, and never given by a program. */
const ALWAYS_STORED = "__inputs";

/** The outputs that every class declares besides its own. */
export function hiddenOutputs(): pulumi.Inputs {
  return pulumi.runtime.isDryRun() ? { [ALWAYS_STORED]: undefined } : {};
}

/** The output of an input that the program does not give. */
export const notGiven = pulumi.output(undefined);

/** Pulumi: every Output has it, and only the declarations hide it. */
export function isKnown(output: unknown): Promise<boolean> {
  return (output as { isKnown: Promise<boolean> }).isKnown;
}

/** What the engine answers for one property: its value, whether that is known, and more. */
type Settle = (value: unknown, isKnown: unknown, ...more: unknown[]) => void;
type Transfer = (onto: pulumi.CustomResource, label: string, props: pulumi.Inputs) => Record<string, Settle>;

/**
 * Pulumi: its function that makes the Outputs of a resource. A constructor looks it up in the module each time, and no other
 * module has the one that counts. A version without it makes its Outputs at once, and absent ones unknown in previews.
 */
const pulumiRpc = loadRpc();

function loadRpc(): { transferProperties?: Transfer } {
  try {
    return require("@pulumi/pulumi/runtime/rpc") as { transferProperties?: Transfer };
  } catch {
    return {};
  }
}

/**
 * Until the function that is returned is called, a resource of the class gets Outputs that are made when they are used.
 * Pulumi: one takes some thirty promises, and a program reads few of them.
 */
export function deferOutputs(ofClass: new (...args: never) => pulumi.CustomResource): () => void {
  const { transferProperties } = pulumiRpc;
  if (transferProperties === undefined) return () => undefined;
  pulumiRpc.transferProperties = (onto, label, props) => {
    if (!(onto instanceof ofClass)) return transferProperties(onto, label, props);
    const settles: Record<string, Settle> = {};
    for (const [key, value] of Object.entries<unknown>(props)) {
      const make = (): ReturnType<Transfer> => withoutTraces(() => transferProperties(onto, label, { [key]: value }));
      // Pulumi: it keeps `id` and `urn` to itself, and refuses a name that the resource has already.
      if (key === "id" || key === "urn" || Object.hasOwn(onto, key)) make();
      else settles[key] = defer(onto, key, make);
    }
    return settles;
  };
  return () => {
    pulumiRpc.transferProperties = transferProperties;
  };
}

/** Pulumi: four stack traces of each Output are for reports of promises that are never settled. Without a limit V8 takes none. */
function withoutTraces<T>(make: () => T): T {
  const { stackTraceLimit } = Error;
  if (process.env["PULUMI_DEBUG_PROMISE_LEAKS"] === undefined) Reflect.set(Error, "stackTraceLimit", undefined);
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Puts an Output on the resource that is made by its first use. Returns what takes the engine's answer. */
function defer(onto: pulumi.CustomResource, key: string, make: () => ReturnType<Transfer>): Settle {
  const isPreview = pulumi.runtime.isDryRun();
  let answer: Parameters<Settle> | undefined;
  let settle: Settle | undefined;
  const pass = (): void => {
    if (answer === undefined || settle === undefined) return;
    const [value, known, ...more] = answer;
    const isAbsent = isPreview && known === false && key !== ALWAYS_STORED;
    settle(value, isAbsent ? isStored(onto) : known, ...more);
  };
  const deferred = new Deferred(() => {
    // The program may have put another one in its place.
    const present: unknown = Reflect.get(onto, key);
    Reflect.deleteProperty(onto, key);
    settle = make()[key];
    const made = Reflect.get(onto, key) as object;
    Reflect.set(onto, key, present);
    pass();
    return made;
  });
  Reflect.set(onto, key, new Proxy(deferred, asMade));
  return (...given) => {
    answer = given;
    pass();
  };
}

/**
 * Pulumi: in a preview, an output that a resource does not have is unknown, also where nothing changes, so that whatever
 * depends on it shows as changed each time. Here it is absent once the object is in the state, unless the provider says
 * that a change makes it unknown: such an output has a value, the text that says so.
 */
async function isStored(resource: pulumi.CustomResource): Promise<boolean> {
  return (await isKnown(resource.id)) && isKnown(Reflect.get(resource, ALWAYS_STORED));
}

class Deferred {
  #made: object | undefined;
  readonly #make: () => object;

  constructor(make: () => object) {
    this.#make = make;
  }

  get made(): object {
    return (this.#made ??= this.#make());
  }
}

const operations = [
  "get",
  "set",
  "has",
  "ownKeys",
  "getOwnPropertyDescriptor",
  "defineProperty",
  "deleteProperty",
  "getPrototypeOf",
] as const;

/** Whatever is done to a deferred Output is done to the one that is then made. */
const asMade: ProxyHandler<Deferred> = Object.fromEntries(
  operations.map((name) => {
    const operation = Reflect[name] as (target: object, ...rest: unknown[]) => unknown;
    return [name, ({ made }: Deferred, ...rest: unknown[]) => operation(made, ...rest)];
  }),
);
