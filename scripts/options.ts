// The options of a script. An invalid one ends it with one line and its usage, before anything has started.

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>["values"];

export function readOptions<O extends ParseArgsOptionsConfig>(options: O, usage: string): Values<O> {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node's message continues with advice about `--`; its first sentence is enough.
    process.stderr.write(`${error.message.replace(/\. .*$/s, "")}\n\n${usage}\n`);
    return process.exit(2);
  }
}
