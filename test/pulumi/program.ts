// A program's surroundings without an engine: what the classes send is recorded, and a test decides what comes back.

import * as pulumi from "@pulumi/pulumi";

export interface Sent {
  type: string;
  name: string;
  id: string | undefined;
  inputs: Record<string, unknown>;
  provider: string | undefined;
}

export interface Program {
  sent: Sent[];
  /** What functions asked the mocks. */
  calls: { token: string; inputs: Record<string, unknown>; provider: string | undefined }[];
  /** What the engine answers besides the inputs. */
  answers: Record<string, unknown>;
  /** What the mocks answer to functions. */
  callAnswer: object;
  /** Resources of these names have no id, as in a preview before they exist. */
  pending: Set<string>;
  /** Resources of these names fail. */
  failing: Set<string>;
}

interface ProgramOptions {
  preview?: boolean;
  /** Functions ask the API, as under an engine, and not the mocks. */
  asksApi?: boolean;
}

/** Begins a run. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const program: Program = { sent: [], calls: [], answers: {}, callAnswer: {}, pending: new Set(), failing: new Set() };
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, id, inputs, provider }) => {
        const given = inputs as Record<string, unknown>;
        program.sent.push({ type, name, id: id || undefined, inputs: given, provider });
        if (program.failing.has(name)) throw new Error(`refused: ${name}`);
        return {
          id: program.pending.has(name) ? undefined : id || `${name}-id`,
          state: { ...given, ...program.answers },
        };
      },
      call: ({ token, inputs, provider }) => {
        program.calls.push({ token, inputs: inputs as Record<string, unknown>, provider });
        return program.callAnswer;
      },
    },
    "project",
    "dev",
    options.preview ?? false,
  );
  if (options.asksApi) hideMocks();
  return program;
}

/** What a dependent would see; rejects with the error that it would fail with. */
export function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  // Pulumi: every Output has it, and only the declarations hide it.
  return (output as pulumi.Output<T> & { promise(): Promise<T> }).promise();
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What one registration sent, once it has gone out. */
export async function sentBy(program: Program, resource: pulumi.Resource): Promise<Sent> {
  const urn = await valueOf(resource.urn);
  const found = program.sent.find(({ type, name }) => urn.endsWith(`${type}::${name}`));
  if (found === undefined) throw new Error(`nothing was sent for ${urn}`);
  return found;
}

// Functions tell a test by its monitor. Without the mark they take it for an engine, and resources notice nothing.
function hideMocks(): void {
  const monitor: object = pulumi.runtime.getMonitor() ?? {};
  const prototype = Object.getPrototypeOf(monitor) as object;
  const inner = Object.create(prototype, Object.getOwnPropertyDescriptors(monitor)) as object;
  for (const name of ["registerResource", "readResource", "registerResourceOutputs"]) {
    const method = Reflect.get(inner, name) as (...given: unknown[]) => unknown;
    Reflect.set(monitor, name, method.bind(inner));
  }
  Reflect.deleteProperty(monitor, "mocks");
}
