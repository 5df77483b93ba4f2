// Generates the reference from the text that editors show: the doc comments of the arguments, outputs and functions.
import ts from "typescript";
import type { Operation } from "../../provider/api/operations/operation.ts";
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
const chapters: readonly Chapter[] = Object.values(kinds);

export interface Sources {
  operations: Readonly<Record<string, Readonly<Record<string, Operation<unknown, unknown>>>>>;
  commands: Readonly<Record<string, { usage?: string }>>;
  /** The emulator is sealed, and prints its own text. */
  emulatorUsage: string;
}

/** The text of `docs/reference.md` for the present sources: what one looks up without an editor. */
export function writeReference(root: string, { operations, commands, emulatorUsage }: Sources): string {
  const declarations = publicDeclarations(root);
  const lines = ["# Reference", "", ...INTRODUCTION];
  for (const chapter of chapters) lines.push("", `## ${chapter.title}`, ...writeChapter(chapter, declarations));
  lines.push("", "## Functions", "");
  for (const [name, node] of lookUpsIn(declarations)) lines.push(`- \`${name}\`: ${docOf(node)}`);
  lines.push("", "Each but `serviceLogs` has a form whose name ends in `Output`, which takes and returns Outputs.");
  lines.push("", "## Operations", "", ...writeOperations(operations));
  lines.push("", "## Commands", "", "`npx pulumi-dbcloud COMMAND --help` lists the options.", "");
  for (const [name, { usage = emulatorUsage }] of Object.entries(commands)) {
    lines.push(`- \`${name}\`: ${firstSentence(usage.split("\n\n")[1] ?? "")}`);
  }
  return `${lines.join("\n")}\n`;
}

const INTRODUCTION = [
  "Written by a script from the doc comments that your editor shows. The settings of a `Provider` are in [Configuration](configuration.md#keys).",
];

function writeChapter(chapter: Chapter, declarations: Declarations): string[] {
  const lines: string[] = [];
  const inputs = new Set<string>();
  for (const name of chapter.arguments) {
    const members = membersOf(name, declarations);
    const isNested = name !== chapter.arguments[0] && name !== "LifecycleArgs";
    if (!isNested) for (const member of members) inputs.add(member.name?.getText() ?? "");
    if (name === "LifecycleArgs" && chapter.title !== "Service") {
      lines.push("", "Every resource also takes `projectId`, `adoptId`, and `timeouts` (see Service).");
      continue;
    }
    if (isNested) lines.push("", `### ${name}`);
    if (name !== "LifecycleArgs") lines.push("", docOf(declarations.get(name)), "");
    for (const member of members) lines.push(row(member));
  }
  const values = chapter.outputs === undefined ? [] : membersOf(chapter.outputs, declarations).filter(isPublicValue);
  const outputs = values.filter(({ name }) => !inputs.has(name?.getText() ?? ""));
  const names = outputs.map(({ name }) => `\`${name?.getText()}\``);
  return names.length > 0 ? [...lines, "", `Outputs, besides the inputs: ${names.join(", ")}.`] : lines;
}

function isPublicValue(member: Member): boolean {
  const isValue = ts.isPropertyDeclaration(member) || ts.isGetAccessorDeclaration(member);
  return isValue && !hasModifier(member, ts.SyntaxKind.StaticKeyword) && docOf(member) !== "";
}

function row(member: Member): string {
  const isRequired =
    ts.isPropertyAssignment(member) || (ts.isPropertySignature(member) && member.questionToken === undefined);
  const name = member.name?.getText() ?? "";
  const text = docOf(member)
    .replace(isRequired ? " Required." : "", "")
    .replace(/ Contract: .*$/, "")
    .replace(" Lifecycle input: a change to it makes no API call.", "");
  return `- \`${name}\`${isRequired ? " (required)" : ""}: ${text}`;
}

function writeOperations(operations: Sources["operations"]): string[] {
  const all = Object.values(operations).flatMap((members) => Object.values(members));
  const names = all.map(({ name, documented }) => `\`${name}\`${documented ? "" : " ¹"}`);
  return [
    "As previews, errors, and faults name them. The client of `pulumi-dbcloud/client` has all of them.",
    "",
    names.join(", "),
    "",
    "¹ The contract doesn't show it.",
  ];
}

function firstSentence(text: string): string {
  return /^[^]*?\.(?=\s|$)/.exec(text)?.[0].replaceAll(/\s+/g, " ") ?? text;
}
