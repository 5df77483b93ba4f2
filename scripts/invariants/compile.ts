// Compiles the sources that the random runs need to JavaScript, without type checks: seconds matter here, and `npm
// test` checks types anyway. A patch applies only to the output, never to the sources.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** The folders of the random runs and of the code that they test. */
const FOLDERS = [
  "provider",
  "plugin",
  "cli",
  "emulator",
  "page",
  "test/invariants",
  "test/support",
  "test/engine/walk",
];

const compilerOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2023,
  esModuleInterop: true,
  inlineSourceMap: true,
};

export interface Compilation {
  root: string;
  /** Distinguishes the folders of one process. A folder is always in the cache: an existing one is removed. */
  name: string;
  /** Gets each source text with its path from the root; returns the text to compile. */
  patch?: (text: string, file: string) => string;
}

/** Writes the compiled sources of `root` into a folder of this process, and returns the folder. */
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
  asPackage(root, out);
  return out;
}

/** What the build makes to start the plugin. */
const PLUGIN = '#!/bin/sh\nexec node "$(dirname "$0")/main.js" "$@"\n';

/** So that the engine's own provider process, and its plugin, load these sources, and what they preload. */
function asPackage(root: string, out: string): void {
  for (const file of ["package.json", "plugin/schema.json", "test/support/cli/pulumiNode.cjs"]) {
    cpSync(path.join(root, file), path.join(out, file));
  }
  writeFileSync(path.join(out, "plugin/pulumi-resource-dbcloud"), PLUGIN, { mode: 0o755 });
  mkdirSync(path.join(out, "node_modules"));
  symlinkSync(out, path.join(out, "node_modules", "pulumi-dbcloud"));
  symlinkSync(out, path.join(out, "dist"));
}
