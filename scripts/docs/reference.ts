// Generates the reference from the text that editors show: the doc comments of the arguments, outputs and functions.
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import type { Kind } from "../../provider/domain/kinds.ts";

interface Chapter {
  title: string;
  arguments: readonly string[];
  outputs?: string;
}

/** A kind without its chapter does not compile. */
const kinds: Readonly<Record<Kind, Chapter>> = {
  service: {
    title: "Service",
    arguments: ["ServiceArgs", "LifecycleArgs", "HaReplicasArgs", "ForkFromArgs", "TimeoutsArgs"],
    outputs: "Service",
  },
  vpc: { title: "Vpc", arguments: ["VpcArgs", "LifecycleArgs"], outputs: "Vpc" },
  peering: { title: "Peering", arguments: ["PeeringArgs", "LifecycleArgs"], outputs: "Peering" },
  readReplicaSet: {
    title: "ReadReplicaSet",
    arguments: ["ReadReplicaSetArgs", "LifecycleArgs"],
    outputs: "ReadReplicaSet",
  },
};
const chapters: readonly Chapter[] = [...Object.values(kinds), { title: "Provider", arguments: ["ProviderArgs"] }];
const files = ["service", "serviceArgs", "vpc", "peering", "readReplicaSet", "provider", "lifecycleArgs", "lookups"];

type Declaration = ts.InterfaceDeclaration | ts.ClassDeclaration | ts.FunctionDeclaration;
type Declarations = ReadonlyMap<string, Declaration>;

/** The text of `docs/reference.md` for the present sources. */
export function writeReference(root: string): string {
  const sources = files.map((file) => parse(path.join(root, "provider", "pulumi", `${file}.ts`)));
  const declarations: Declarations = new Map(
    sources
      .flatMap((source) => source.statements.filter(isDeclaration))
      .flatMap((node) => (node.name === undefined ? [] : [[node.name.text, node]])),
  );
  const lines = ["# Reference", "", "Written by `npm run docs` from the doc comments that editors show."];
  for (const chapter of chapters) lines.push("", `## ${chapter.title}`, ...writeChapter(chapter, declarations));
  lines.push("", "## Functions", "", ...writeFunctions(declarations));
  return `${lines.join("\n")}\n`;
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
}

function isDeclaration(node: ts.Node): node is Declaration {
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isFunctionDeclaration(node);
}

function membersOf(name: string, declarations: Declarations): readonly (ts.TypeElement | ts.ClassElement)[] {
  const node = declarations.get(name);
  if (node === undefined || ts.isFunctionDeclaration(node)) {
    throw new Error(`the reference names ${name}, which the sources do not have`);
  }
  return [...node.members];
}

function writeChapter(chapter: Chapter, declarations: Declarations): string[] {
  const lines: string[] = [];
  for (const name of chapter.arguments) {
    const members = membersOf(name, declarations);
    if (name === "LifecycleArgs" && chapter.title !== "Service") {
      lines.push("", "And the inputs that every resource has: `projectId`, `adoptId`, `timeouts` (see Service).");
      continue;
    }
    const isNested = name !== chapter.arguments[0] && name !== "LifecycleArgs";
    if (isNested) lines.push("", `### ${name}`);
    if (name !== "LifecycleArgs") lines.push("", docOf(declarations.get(name)), "");
    if (name !== "LifecycleArgs") lines.push("| input | meaning |", "|---|---|");
    for (const member of members) lines.push(row(member));
  }
  const outputs = chapter.outputs === undefined ? [] : membersOf(chapter.outputs, declarations).filter(isPublicValue);
  if (outputs.length > 0) lines.push("", "Outputs:", "", "| output | meaning |", "|---|---|", ...outputs.map(row));
  return lines;
}

function isPublicValue(member: ts.TypeElement | ts.ClassElement): boolean {
  const isValue = ts.isPropertyDeclaration(member) || ts.isGetAccessorDeclaration(member);
  return isValue && !hasModifier(member, ts.SyntaxKind.StaticKeyword) && docOf(member) !== "";
}

function row(member: ts.TypeElement | ts.ClassElement): string {
  const isRequired = ts.isPropertySignature(member) && member.questionToken === undefined;
  const name = member.name?.getText() ?? "";
  const text = docOf(member)
    .replace(isRequired ? " Required." : "", "")
    .replaceAll("|", "\\|");
  return `| \`${name}\`${isRequired ? " (required)" : ""} | ${text} |`;
}

function writeFunctions(declarations: Declarations): string[] {
  return [...declarations]
    .filter(([name, node]) => ts.isFunctionDeclaration(node) && /^(?:get|serviceLogs)/.test(name))
    .filter(([name, node]) => hasModifier(node, ts.SyntaxKind.ExportKeyword) && !name.endsWith("Output"))
    .map(([name, node]) => `- \`${name}\`: ${docOf(node)}`);
}

function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some((modifier) => modifier.kind === kind) ?? false;
}

function docOf(node: ts.Node | undefined): string {
  const doc = node === undefined ? undefined : ts.getJSDocCommentsAndTags(node).find((part) => ts.isJSDoc(part));
  const text = doc === undefined ? "" : (ts.getTextOfJSDocComment(doc.comment) ?? "");
  return text.replaceAll(/\s+/g, " ").trim();
}
