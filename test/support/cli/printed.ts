// Pages of the documents as a reader follows them: their blocks, and programs that their commands find.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type EngineWorld, root } from "../engineWorld";

/** In place of programs that would reach the network. */
const STAND_INS: Readonly<Record<string, string>> = {
  npm: "exit 0",
  npx: 'exec "$@"',
  "pulumi-dbcloud": `exec '${process.execPath}' '${path.join(root, "dist/cli/main.js")}' "$@"`,
};

export const textOf = (...file: string[]): string => readFileSync(path.join(root, ...file), "utf8");

/** The blocks of a language in a text. */
export const blocksOf = (text: string, language = "sh"): string[] =>
  Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm")), ([, block = ""]) => block);

/** The commands of the world find these programs first. */
export function standIn({ folder, environment }: EngineWorld, more: Readonly<Record<string, string>> = {}): void {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  for (const [name, script] of Object.entries({ ...STAND_INS, ...more })) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  environment["PATH"] = [bin, environment["PATH"]].join(path.delimiter);
}
