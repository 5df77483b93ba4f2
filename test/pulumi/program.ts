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
  /** What the engine answers besides the inputs. */
  answers: Record<string, unknown>;
}

export async function startProgram(options: { stack?: string; preview?: boolean } = {}): Promise<Program> {
  const program: Program = { sent: [], answers: {} };
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, id, inputs, provider }) => {
        const given = inputs as Record<string, unknown>;
        program.sent.push({ type, name, id: id || undefined, inputs: given, provider });
        return { id: id || `${name}-id`, state: { ...given, ...program.answers } };
      },
      call: () => ({}),
    },
    "project",
    options.stack ?? "dev",
    options.preview ?? false,
  );
  return program;
}

/** What a dependent would see; rejects with the error that it would fail with. */
export function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  // Pulumi: every Output has it, and only the declarations hide it.
  return (output as pulumi.Output<T> & { promise(): Promise<T> }).promise();
}

/** What one registration sent, once it has gone out. */
export async function sentBy(program: Program, resource: pulumi.Resource): Promise<Sent> {
  const urn = await valueOf(resource.urn);
  const found = program.sent.find(({ type, name }) => urn.endsWith(`${type}::${name}`));
  if (found === undefined) throw new Error(`nothing was sent for ${urn}`);
  return found;
}
