// What an entry of the package exports, by name, in the declarations with their doc comments.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { hasModifier } from "./declarations.ts";

/** Re-exports are followed to the file that declares the name. */
export function exportsOf(file: string): Map<string, ts.Node> {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const entries = source.statements.flatMap((statement): [string, ts.Node][] => {
    if (ts.isExportDeclaration(statement)) return reexported(statement, source);
    if (!ts.canHaveModifiers(statement) || !hasModifier(statement, ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map((one) => [one.name.getText(), statement]);
    }
    const { name } = statement as ts.DeclarationStatement;
    return name === undefined ? [] : [[name.text, statement]];
  });
  return new Map(entries);
}

function reexported(
  { exportClause, moduleSpecifier }: ts.ExportDeclaration,
  source: ts.SourceFile,
): [string, ts.Node][] {
  if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) {
    throw new Error(`${source.fileName} exports without a module: name the module, so that the reference finds it`);
  }
  const place = path.join(path.dirname(source.fileName), moduleSpecifier.text);
  const all = exportsOf(existsSync(`${place}.ts`) ? `${place}.ts` : path.join(place, "index.ts"));
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [...all];
  return exportClause.elements.map(({ name, propertyName }) => {
    const node = all.get((propertyName ?? name).text);
    if (node === undefined) throw new Error(`${source.fileName} exports ${name.text}, which ${place} does not have`);
    return [name.text, node];
  });
}
