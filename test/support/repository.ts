// The files of this repository as texts, and the blocks of code in its documents.

import { readFileSync } from "node:fs";
import path from "node:path";

export const root = path.resolve(__dirname, "../..");

/** Of a file, from the root. */
export const textOf = (...file: string[]): string => readFileSync(path.join(root, ...file), "utf8");

/** The blocks of a language in a text. */
export const blocksOf = (text: string, language = "sh"): string[] =>
  Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm")), ([, block = ""]) => block);
