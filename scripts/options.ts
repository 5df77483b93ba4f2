// The options of a script. What makes no sense ends it with one line and its usage, before anything has begun.

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>["values"];

export function readOptions<O extends ParseArgsOptionsConfig>(options: O, usage: string): Values<O> {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node goes on with advice on `--`; its first sentence is enough.
    process.stderr.write(`${error.message.replace(/\. .*$/s, "")}\n\n${usage}\n`);
    return process.exit(2);
  }
}
