// The declarations that the reference and the schema are written from, with their doc comments.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

type Declaration = ts.InterfaceDeclaration | ts.ClassDeclaration | ts.FunctionDeclaration | ts.TypeAliasDeclaration;
export type Declarations = ReadonlyMap<string, Declaration>;
export type Member = ts.TypeElement | ts.ClassElement | ts.ObjectLiteralElementLike;

/** What programs see: the classes, their arguments, and the functions. */
export function publicDeclarations(root: string): Declarations {
  return layerDeclarations(root, "pulumi", "class");
}

/** What a folder of the provider declares, together with the files of its layer in the folders of the kinds. */
export function layerDeclarations(root: string, folder: string, ofKinds: string): Declarations {
  const kinds = declarationsIn(path.join(root, "provider", "kinds"), `${ofKinds}.ts`);
  return new Map([...declarationsIn(path.join(root, "provider", folder)), ...kinds]);
}

/** What the files of a folder declare, by name. */
export function declarationsIn(folder: string, ending = ".ts"): Declarations {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(ending));
  return new Map(
    files
      .toSorted()
      .map((file) => parse(path.join(folder, file)))
      .flatMap((source) => source.statements.filter(isDeclaration))
      .flatMap((node) => (node.name === undefined ? [] : [[node.name.text, node]])),
  );
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
}

function isDeclaration(node: ts.Node): node is Declaration {
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isTypeAliasDeclaration(node)
  );
}

/** The members of an interface or a class, without inherited ones. */
export function membersOf(name: string, declarations: Declarations): readonly Member[] {
  const node = declarations.get(name);
  const rows = node && rowsOf(node);
  if (rows) return rows;
  const first = firstPartOf(node);
  if (first !== undefined) return membersOf(first, declarations);
  if (node === undefined || !(ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node))) {
    throw new Error(`a document names ${name}, which the sources do not have`);
  }
  return [...node.members];
}

/** Of `Members & (…)`, which narrows some of them, the type with the members. */
export function firstPartOf(node: ts.Node | undefined): string | undefined {
  const isNarrowed = node !== undefined && ts.isTypeAliasDeclaration(node) && ts.isIntersectionTypeNode(node.type);
  return isNarrowed ? node.type.types[0]?.getText() : undefined;
}

/** The rows of the table that a type follows from: `{ [K in keyof typeof TABLE]: … }`. */
function rowsOf(node: Declaration): readonly Member[] | undefined {
  const [, table] = /keyof typeof (\w+)\]/.exec(node.getText()) ?? [];
  if (table === undefined || !ts.isTypeAliasDeclaration(node)) return undefined;
  const [found] = node
    .getSourceFile()
    .statements.filter((statement) => ts.isVariableStatement(statement))
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter((one) => one.name.getText() === table);
  const value = found?.initializer;
  const rows = value && ts.isAsExpression(value) ? value.expression : value;
  return rows && ts.isObjectLiteralExpression(rows) ? rows.properties : undefined;
}

/** The look-ups, without the form whose name ends in Output. */
export function lookUpsIn(declarations: Declarations): readonly [string, ts.FunctionDeclaration][] {
  return [...declarations].flatMap(([name, node]) => {
    const isLookUp = ts.isFunctionDeclaration(node) && /^(?:get|serviceLogs)/.test(name) && !name.endsWith("Output");
    return isLookUp && hasModifier(node, ts.SyntaxKind.ExportKeyword) ? [[name, node]] : [];
  });
}

export function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some((modifier) => modifier.kind === kind) ?? false;
}

/** The text of a doc comment up to its tags, on one line. */
export function docOf(node: ts.Node | undefined): string {
  const doc = node === undefined ? undefined : ts.getJSDocCommentsAndTags(node).find((part) => ts.isJSDoc(part));
  const text = doc === undefined ? "" : (ts.getTextOfJSDocComment(doc.comment) ?? "");
  return text.replaceAll(/\s+/g, " ").trim();
}
