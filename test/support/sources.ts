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
}

/** They look like wire names, but belong to zod, to Pulumi's state, and to Node. */
const NO_WIRE_NAMES = new Set(["unrecognized_keys", "pending_operations", "node_modules"]);

const statements = new Map<string, Statement[]>();

export function sourcesIn(folder: string): Source[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.m?tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((full) => !/[\\/](?:node_modules|dist)[\\/]/.test(full))
    .map((full) => {
      const file = path.relative(ROOT, full).split(path.sep).join("/");
      const text = readFileSync(full, "utf8");
      return { file, layer: layerOf(file), text, tree: ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true) };
    });
}

/** `provider/plan/step.ts` is on `provider/plan`, `provider/host.ts` on `provider/host`. */
function layerOf(file: string): string {
  const [top = "", second = ""] = file.split("/");
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

/** The imports of a file; each file is parsed once. */
function statementsOf({ file, tree }: Source): Statement[] {
  const known = statements.get(file);
  if (known !== undefined) return known;
  const found: Statement[] = [];
  statements.set(file, found);
  const note = (specifier: ts.Node | undefined, isType: boolean, isLazy = false): void => {
    if (specifier !== undefined && ts.isStringLiteral(specifier)) {
      found.push({ specifier: specifier.text, isType, isLazy });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) note(node.moduleSpecifier, isTypeOnly(node.importClause));
    if (ts.isExportDeclaration(node)) note(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) note(node.argument.literal, true);
    if (ts.isCallExpression(node) && isLoad(node.expression)) note(node.arguments[0], false, true);
    ts.forEachChild(node, visit);
  };
  visit(tree);
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
  return statementsOf(source).map(({ specifier, isType }) => ({ what: targetOf(source.file, specifier), isType }));
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
  return statementsOf(source)
    .filter(({ isType, isLazy }) => !isType && !isLazy)
    .flatMap(({ specifier }) => filesNamed(source, specifier));
}

/** The repository files that a file imports, type imports included. */
export function importedFiles(source: Source): string[] {
  return statementsOf(source).flatMap(({ specifier }) => filesNamed(source, specifier));
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
export function usesName({ tree }: Source, name: string): boolean {
  let isUsed = false;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === name) {
      const { parent } = node;
      const isAccess = ts.isPropertyAccessExpression(parent) && parent.name === node;
      const isMember = isAccess && parent.expression.getText(tree) !== "globalThis";
      const isDeclared = !isAccess && "name" in parent && parent.name === node;
      isUsed ||= !isMember && !isDeclared;
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return isUsed;
}

/** Identifiers, and string literals that are one word. */
export function wordsOf({ tree }: Source): string[] {
  const words: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) words.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return words;
}

export function isWireName(word: string): boolean {
  return /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(word) && !NO_WIRE_NAMES.has(word);
}

export function withoutComments({ tree }: Source): string {
  const printer = ts.createPrinter({ removeComments: true });
  return printer.printFile(tree);
}
