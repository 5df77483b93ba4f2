// Turns the sources that the random runs need into JavaScript, without checking types: seconds matter here, and
// `npm test` checks them anyway. A patch of the sources, if given, shows in the outcome alone.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** The folders of the random runs and of what they test. */
const FOLDERS = ["provider", "emulator", "test/invariants", "test/support"];

const compilerOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2023,
  esModuleInterop: true,
  inlineSourceMap: true,
};

export interface Compilation {
  root: string;
  /** Tells the folders of one process apart. The folder is in the cache, and nowhere else: what is there is removed. */
  name: string;
  /** Sees each source text with its path from the root. */
  patch?: (text: string, file: string) => string;
}

/** Writes the compiled sources of `root` into a folder of this process, and answers the folder. */
export function compile({ root, name: title, patch = (text) => text }: Compilation): string {
  const out = path.join(root, "node_modules", ".cache", `dbcloud-${path.basename(title)}-${process.pid}`);
  rmSync(out, { recursive: true, force: true });
  for (const folder of FOLDERS) {
    for (const file of readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts") || file.endsWith(".test.ts") || file.endsWith(".d.ts")) continue;
      const name = path.join(folder, file);
      const text = patch(readFileSync(path.join(root, name), "utf8"), name.split(path.sep).join("/"));
      const target = path.join(out, name.replace(/\.ts$/, ".js"));
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, ts.transpileModule(text, { compilerOptions, fileName: name }).outputText);
    }
  }
  writeFileSync(path.join(out, "package.json"), '{ "type": "commonjs" }\n');
  return out;
}
