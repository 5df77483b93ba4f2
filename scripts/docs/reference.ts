// Generates the reference from the text that editors show: the doc comments of the arguments, outputs and functions.
import path from "node:path";
import ts from "typescript";
import type { Operation } from "../../provider/api/operations/operation.ts";
import type { Kind } from "../../provider/domain/kinds.ts";
import {
  type Declarations,
  docOf,
  declarationsIn,
  hasModifier,
  type Member,
  membersOf,
  publicDeclarations,
} from "./declarations.ts";
import { exportsOf } from "./exports.ts";

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

/** The other entries: their file, the folder of its types, and the types whose members the reference lists. */
const ENTRIES = [
  {
    title: "Client",
    name: "client",
    file: "provider/client.ts",
    types: "provider/api",
    listed: ["ClientOptions", "CallOptions"],
  },
  {
    title: "Emulator",
    name: "emulator",
    file: "emulator/index.ts",
    types: "emulator",
    listed: ["EmulatorOptions", "Emulator", "Controls", "Faults", "EmulatorClock", "Settings", "Timings", "Switches"],
  },
  {
    title: "Testing",
    name: "testing",
    file: "testing/index.ts",
    types: "testing",
    listed: ["TestStackOptions", "TestStack", "RunResult", "UpResult"],
  },
] as const;

export interface Sources {
  operations: Readonly<Record<string, Readonly<Record<string, Operation<unknown, unknown>>>>>;
  commands: Readonly<Record<string, { usage?: string }>>;
  /** The emulator is sealed, and prints its own text. */
  emulatorUsage: string;
}

/** The text of `docs/reference.md` for the present sources. */
export function writeReference(root: string, { operations, commands, emulatorUsage }: Sources): string {
  const declarations = publicDeclarations(root);
  const lines = ["# Reference", "", "Written by `npm run docs` from the doc comments that editors show."];
  for (const chapter of chapters) lines.push("", `## ${chapter.title}`, ...writeChapter(chapter, declarations));
  const described = new Set(chapters.flatMap((chapter) => [chapter.title, ...chapter.arguments]));
  const exported = [...exportsOf(path.join(root, "provider/index.ts"))].filter(([name]) => !described.has(name));
  const isFunction = ([name]: readonly [string, ts.Node]): boolean => /^[a-z]/.test(name);
  const functions = exported.filter((one) => isFunction(one) && !one[0].endsWith("Output"));
  lines.push("", "## Functions", "", ...writeExports(functions));
  lines.push("", "Each but `serviceLogs` has a form whose name ends in `Output`, which takes and gives Outputs.");
  lines.push("", "## Types", "", ...writeExports(exported.filter((one) => !isFunction(one))));
  for (const { title, name, file, types, listed } of ENTRIES) {
    lines.push(
      "",
      `## ${title}`,
      "",
      `\`pulumi-dbcloud/${name}\` exports:`,
      "",
      ...writeExports([...exportsOf(path.join(root, file))]),
    );
    if (name === "client") lines.push(...writeOperations(operations));
    const own = declarationsIn(path.join(root, types));
    for (const type of listed) lines.push("", `### ${type}`, "", ...writeMembers(type, own));
  }
  lines.push("", "## Commands", "", "What `pulumi-dbcloud COMMAND --help` prints.");
  for (const [name, { usage = emulatorUsage }] of Object.entries(commands)) {
    lines.push("", `### ${name}`, "", "```text", usage.trim(), "```");
  }
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
  const isRequired =
    ts.isPropertyAssignment(member) || (ts.isPropertySignature(member) && member.questionToken === undefined);
  const name = member.name?.getText() ?? "";
  const text = docOf(member)
    .replace(isRequired ? " Required." : "", "")
    .replaceAll("|", "\\|");
  return `| \`${name}\`${isRequired ? " (required)" : ""} | ${text} |`;
}

/** Those whose name says all are on the last line. */
function writeExports(exported: readonly (readonly [string, ts.Node])[]): string[] {
  const others = exported.filter(([, node]) => docOf(node) === "").map(([name]) => `\`${name}\``);
  return [
    ...exported.flatMap(([name, node]) => (docOf(node) === "" ? [] : [`- \`${name}\`: ${docOf(node)}`])),
    ...(others.length > 0 ? [`- ${others.join(", ")}`] : []),
  ];
}

function writeOperations(operations: Sources["operations"]): string[] {
  const rows = Object.entries(operations).flatMap(([group, members]) =>
    Object.entries(members).map(([method, { name, method: verb, path: route, documented }]) => {
      return `| \`client.${group}.${method}\` | \`${name}\` | \`${verb} ${route}\`${documented ? "" : " ¹"} |`;
    }),
  );
  return ["", "| method | operation | request |", "|---|---|---|", ...rows, "", "¹ The contract does not show it."];
}

function writeMembers(name: string, declarations: Declarations): string[] {
  return [
    "| member | meaning |",
    "|---|---|",
    ...membersOf(name, declarations)
      .filter((one) => docOf(one) !== "")
      .map(row),
  ];
}
