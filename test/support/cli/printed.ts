// The programs that the commands of the documents find, as a reader follows them.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { EngineWorld } from "../engineWorld";
import { root } from "../repository";

/** In place of programs that would reach the network. */
const STAND_INS: Readonly<Record<string, string>> = {
  npm: "exit 0",
  npx: 'exec "$@"',
  "pulumi-dbcloud": `exec '${process.execPath}' '${path.join(root, "dist/cli/main.js")}' "$@"`,
};

/** The commands of the world find these programs first. */
export function standIn({ folder, environment }: EngineWorld, more: Readonly<Record<string, string>> = {}): void {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  for (const [name, script] of Object.entries({ ...STAND_INS, ...more })) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  environment["PATH"] = [bin, environment["PATH"]].join(path.delimiter);
}
