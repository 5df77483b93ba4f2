// The options of a script. `--help` prints its usage; an invalid option ends it with one line and its usage. Nothing has
// started then.

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>["values"];

export function readOptions<O extends ParseArgsOptionsConfig>(options: O, usage: string): Values<O> {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: "boolean" } } });
    if (!("help" in values)) return values;
    print(usage);
    return process.exit(0);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's message continues with advice about `--`; its first sentence is enough.
    process.stderr.write(`${error.message.replace(/\. .*$/s, "")}\n\n${usage}\n`);
    return process.exit(2);
  }
}

export function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
