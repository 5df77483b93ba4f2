// The reference, made from what users' editors show: the doc comments of the arguments, outputs and functions.
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const chapters = [
  {
    title: "Service",
    arguments: ["ServiceArgs", "LifecycleArgs", "HaReplicasArgs", "ForkFromArgs", "TimeoutsArgs"],
    outputs: "Service",
  },
  { title: "Vpc", arguments: ["VpcArgs", "LifecycleArgs"], outputs: "Vpc" },
  { title: "Peering", arguments: ["PeeringArgs", "LifecycleArgs"], outputs: "Peering" },
  { title: "ReadReplicaSet", arguments: ["ReadReplicaSetArgs", "LifecycleArgs"], outputs: "ReadReplicaSet" },
  { title: "Provider", arguments: ["ProviderArgs"] },
];
const files = ["service", "serviceArgs", "vpc", "peering", "readReplicaSet", "provider", "lifecycleArgs", "lookups"];

/** The text of `docs/reference.md`, as the sources are now. */
export function writeReference(root) {
  const sources = files.map((file) => parse(path.join(root, "provider", "pulumi", `${file}.ts`)));
  const declarations = new Map(
    sources.flatMap((source) =>
      source.statements.filter((node) => node.name !== undefined).map((node) => [node.name.text, node]),
    ),
  );
  const lines = ["# Reference", "", "Written by `npm run docs` from the doc comments that editors show."];
  for (const chapter of chapters) lines.push("", `## ${chapter.title}`, ...writeChapter(chapter, declarations));
  lines.push("", "## Functions", "", ...writeFunctions(declarations));
  return `${lines.join("\n")}\n`;
}

function parse(file) {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
}

function writeChapter(chapter, declarations) {
  const lines = [];
  for (const name of chapter.arguments) {
    const node = declarations.get(name);
    if (node === undefined) throw new Error(`the reference names ${name}, which the sources do not have`);
    if (name === "LifecycleArgs" && chapter.title !== "Service") {
      lines.push("", "And the inputs that every resource has: `projectId`, `adoptId`, `timeouts` (see Service).");
      continue;
    }
    const isNested = name !== chapter.arguments[0] && name !== "LifecycleArgs";
    if (isNested) lines.push("", `### ${name}`);
    if (name !== "LifecycleArgs") lines.push("", docOf(node), "");
    if (name !== "LifecycleArgs") lines.push("| input | |", "|---|---|");
    for (const member of node.members) lines.push(row(member));
  }
  const outputs = declarations.get(chapter.outputs)?.members.filter(isPublicValue) ?? [];
  if (outputs.length > 0) lines.push("", "Outputs:", "", "| output | |", "|---|---|", ...outputs.map(row));
  return lines;
}

function isPublicValue(member) {
  const isValue = ts.isPropertyDeclaration(member) || ts.isGetAccessorDeclaration(member);
  const isStatic = member.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.StaticKeyword);
  return isValue && !isStatic && docOf(member) !== "";
}

function row(member) {
  const isRequired = ts.isPropertySignature(member) && member.questionToken === undefined;
  return `| \`${member.name.getText()}\`${isRequired ? " (required)" : ""} | ${docOf(member).replaceAll("|", "\\|")} |`;
}

function writeFunctions(declarations) {
  return [...declarations.values()]
    .filter((node) => ts.isFunctionDeclaration(node) && isExported(node) && /^(get|serviceLogs)/.test(node.name.text))
    .filter((node) => !node.name.text.endsWith("Output"))
    .map((node) => `- \`${node.name.text}\`: ${docOf(node)}`);
}

function isExported(node) {
  return node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function docOf(node) {
  const doc = ts.getJSDocCommentsAndTags(node).find((part) => ts.isJSDoc(part));
  const text = doc === undefined ? "" : (ts.getTextOfJSDocComment(doc.comment) ?? "");
  return text.replaceAll(/\s+/g, " ").trim();
}
