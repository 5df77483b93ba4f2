// Generates the reference from the text that editors show: the doc comments of the arguments, outputs and functions.
import ts from "typescript";
import type { Kind } from "../../provider/domain/kinds.ts";
import {
  type Declarations,
  docOf,
  hasModifier,
  lookUpsIn,
  type Member,
  membersOf,
  publicDeclarations,
} from "./declarations.ts";

interface Chapter {
  title: string;
  arguments: readonly string[];
  outputs?: string;
}

/** A kind without its chapter does not compile. */
export const kinds: Readonly<Record<Kind, Chapter>> = {
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

/** The text of `docs/reference.md` for the present sources. */
export function writeReference(root: string): string {
  const declarations = publicDeclarations(root);
  const lines = ["# Reference", "", "Written by `npm run docs` from the doc comments that editors show."];
  for (const chapter of chapters) lines.push("", `## ${chapter.title}`, ...writeChapter(chapter, declarations));
  lines.push("", "## Functions", "", ...writeFunctions(declarations));
  return `${lines.join("\n")}\n`;
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

function isPublicValue(member: Member): boolean {
  const isValue = ts.isPropertyDeclaration(member) || ts.isGetAccessorDeclaration(member);
  return isValue && !hasModifier(member, ts.SyntaxKind.StaticKeyword) && docOf(member) !== "";
}

function row(member: Member): string {
  const isRequired = ts.isPropertySignature(member) && member.questionToken === undefined;
  const name = member.name?.getText() ?? "";
  const text = docOf(member)
    .replace(isRequired ? " Required." : "", "")
    .replaceAll("|", "\\|");
  return `| \`${name}\`${isRequired ? " (required)" : ""} | ${text} |`;
}

function writeFunctions(declarations: Declarations): string[] {
  return lookUpsIn(declarations).map(([name, node]) => `- \`${name}\`: ${docOf(node)}`);
}
