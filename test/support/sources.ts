// The source files of this repository, with their imports and words, for tests that check rules on every file.

import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import * as ts from "typescript";

const ROOT = path.resolve(__dirname, "../..");

interface Import {
  /** The imported layer or package. */
  what: string;
  isType: boolean;
}

export interface Source {
  /** From the root: `provider/plan/step.ts`. */
  file: string;
  layer: string;
  text: string;
  tree: ts.SourceFile;
  /** All nodes of the tree. */
  nodes: readonly ts.Node[];
  imports: readonly Statement[];
}

/** They look like wire names, but belong to zod, to Pulumi's state, to Node, and to traces. */
const NO_WIRE_NAMES = new Set([
  "process_name",
  "thread_name",
  "unrecognized_keys",
  "pending_operations",
  "node_modules",
]);

export function sourcesIn(folder: string): Source[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.m?tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((full) => !/[\\/](?:node_modules|dist)[\\/]/.test(full))
    .map((full) => {
      const file = path.relative(ROOT, full).split(path.sep).join("/");
      const text = readFileSync(full, "utf8");
      const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
      const nodes = nodesIn(tree);
      return { file, layer: layerOf(file), text, tree, nodes, imports: statementsIn(nodes) };
    });
}

/** The node and all below it. */
function nodesIn(node: ts.Node): ts.Node[] {
  const nodes = [node];
  // The list grows while it is read.
  for (const one of nodes) ts.forEachChild(one, (child) => void nodes.push(child));
  return nodes;
}

/** The layer of each file in a folder of one kind, by the last word of its name. */
const LAYERS_OF_KINDS: Record<string, string> = {
  inputs: "provider/domain",
  wire: "provider/api",
  plan: "provider/plan",
  definition: "provider/core",
  index: "provider/core",
  class: "provider/pulumi",
};

/**
 * `provider/plan/step.ts` is on `provider/plan`, `provider/host.ts` on `provider/host`, and `provider/kinds/vpc/plan.ts` on
 * `provider/plan`.
 */
function layerOf(file: string): string {
  const [top = "", second = ""] = file.split("/");
  if (second === "kinds") {
    const word = path.posix.basename(file, ".ts").split(".").at(-1) ?? "";
    return LAYERS_OF_KINDS[word] ?? "provider/kinds";
  }
  return top === "provider" ? `${top}/${second.replace(/\.ts$/, "")}` : top;
}

export function isOurs(what: string): boolean {
  return what.startsWith("provider/") || what === "cli" || what === "emulator";
}

interface Statement {
  specifier: string;
  isType: boolean;
  /** Loaded on demand, not with the file. */
  isLazy: boolean;
}

/** The imports of a file. */
function statementsIn(nodes: readonly ts.Node[]): Statement[] {
  const found: Statement[] = [];
  const note = (specifier: ts.Node | undefined, isType: boolean, isLazy = false): void => {
    if (specifier !== undefined && ts.isStringLiteral(specifier)) {
      found.push({ specifier: specifier.text, isType, isLazy });
    }
  };
  for (const node of nodes) {
    if (ts.isImportDeclaration(node)) note(node.moduleSpecifier, isTypeOnly(node.importClause));
    if (ts.isExportDeclaration(node)) note(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) note(node.argument.literal, true);
    if (ts.isCallExpression(node) && isLoad(node.expression)) note(node.arguments[0], false, true);
  }
  return found;
}

function isLoad(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require");
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  if (clause.name !== undefined || named === undefined || !ts.isNamedImports(named)) return false;
  return named.elements.every((element) => element.isTypeOnly);
}

export function importsOf(source: Source): Import[] {
  return source.imports.map(({ specifier, isType }) => ({ what: targetOf(source.file, specifier), isType }));
}

/** A layer for this repository's files, "node" for Node's modules, else the package. */
function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith("."))
    return layerOf(path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, ""));
  if (specifier.startsWith("node:") || builtinModules.includes(specifier)) return "node";
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}

export function loadedAtOnce(source: Source): string[] {
  return source.imports
    .filter(({ isType, isLazy }) => !isType && !isLazy)
    .flatMap(({ specifier }) => filesNamed(source, specifier));
}

/** The repository files that a file imports, type imports included. */
export function importedFiles(source: Source): string[] {
  return source.imports.flatMap(({ specifier }) => filesNamed(source, specifier));
}

/** The files that a relative specifier may mean. */
function filesNamed(source: Source, specifier: string): string[] {
  if (!specifier.startsWith(".")) return [];
  const target = path.posix.join(path.posix.dirname(source.file), specifier).replace(/\.js$/, "");
  return [`${target}.ts`, `${target}/index.ts`];
}

/** The longest path through a graph without circles. */
export function longestChain(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const known = new Map<string, string[]>();
  const from = (node: string): string[] => {
    const before = known.get(node);
    if (before !== undefined) return before;
    const next = (graph.get(node) ?? []).filter((other) => graph.has(other)).map(from);
    const chain = [node, ...next.reduce<string[]>((best, one) => (one.length > best.length ? one : best), [])];
    known.set(node, chain);
    return chain;
  };
  return [...graph.keys()].map(from).reduce((best, one) => (one.length > best.length ? one : best), []);
}

/** Whether a file uses a global of this name; a property of that name does not count. */
export function usesName({ tree, nodes }: Source, name: string): boolean {
  return nodes.some((node) => {
    if (!ts.isIdentifier(node) || node.text !== name) return false;
    const { parent } = node;
    const isAccess = ts.isPropertyAccessExpression(parent) && parent.name === node;
    const isMember = isAccess && parent.expression.getText(tree) !== "globalThis";
    const isDeclared = !isAccess && "name" in parent && parent.name === node;
    return !isMember && !isDeclared;
  });
}

/** Identifiers, and string literals that are one word. */
export function wordsOf({ nodes }: Source): string[] {
  return nodes.flatMap((node) => (ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? [node.text] : []));
}

export function isWireName(word: string): boolean {
  return /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(word) && !NO_WIRE_NAMES.has(word);
}

export function withoutComments({ tree }: Source): string {
  const printer = ts.createPrinter({ removeComments: true });
  return printer.printFile(tree);
}
