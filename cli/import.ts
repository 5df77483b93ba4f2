// `pulumi-dbcloud import`: reads what exists and writes the two files that take it into a stack. Calls nothing but GET.

import { existsSync, lstatSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { ProviderError } from "../provider/domain/errors";
import type { Kind } from "../provider/domain/kinds";
import { oneLine, printable, shellWord } from "../provider/domain/values/printable";
import { resources } from "../provider/kinds/index";
import { projectOf } from "../provider/core/state";
import { CLASS_NAMES, IMPORT_FORMS } from "../provider/pulumi/stateNames";
import { accountSources, openAccount } from "./account";
import { isNodeProject } from "./checks";
import { accountOptions, accountUsage, type Command, parse, type Surroundings, UsageError } from "./command";
import { readStacks } from "./drift/stacks";
import type { StackState } from "./drift/state";
import { importDocument, importProgram, isProduction } from "./importFiles";
import { findAll, findNamed, type ImportableObject, type Inventory, type ImportTarget } from "./inventory";
import { nameAll } from "./names";
import { IMPORT_NEEDS } from "./pulumiCli";

const options = {
  ...accountOptions,
  all: { type: "boolean" },
  "all-stacks": { type: "boolean" },
  out: { type: "string" },
  program: { type: "string" },
  native: { type: "boolean" },
} as const;

const shapes = Object.values(IMPORT_FORMS).join(", ");

export const importing: Command = {
  usage: `Usage: pulumi-dbcloud import [options] [--all | OBJECT …]

Brings existing objects into a Pulumi stack without changing them. Writes the document for \`pulumi import --file\` and
a TypeScript program that declares the same objects, and prints the commands to run next. Leaves out what the selected
stack already manages. Don't import what another stack manages: destroying either stack would delete it.

OBJECT is ${shapes}.

  --all                  import everything in the project
  --all-stacks           leave out what any stack of the backend manages
  --out FILE             write the document to FILE (default: standard output)
  --program FILE         write the program to FILE
  --native               write for a stack that uses the plugin (default, unless the program is in JavaScript or TypeScript)
${accountUsage}
`,

  async run(argv, io) {
    const { values, positionals } = parse(argv, options);
    const flags = { ...values, native: values.native === true || !isNodeProject(io.cwd) };
    const targets = [...new Set(positionals)].map(readTarget);
    if (flags.all !== true && targets.length === 0) {
      throw new UsageError("import needs --all, or objects such as service:ID");
    }
    if (flags.all === true && targets.length > 0) throw new UsageError("import takes --all or objects, not both");
    if (flags.program !== undefined && !/\.[cm]?[jt]s$/.test(flags.program))
      throw new UsageError("--program writes TypeScript: give it a name that ends in .ts");
    const files = [flags.out, flags.program].flatMap((file) => (file === undefined ? [] : path.resolve(io.cwd, file)));
    if (new Set(files).size < files.length) throw new UsageError("--out and --program name the same file");
    for (const file of files) {
      if (!existsSync(path.dirname(file))) throw new UsageError(`the folder of ${file} does not exist`);
      // A link that leads nowhere is there too: writing would follow it.
      const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
      if (isThere) throw new UsageError(`${file} exists already; remove it first`);
    }
    const session = openAccount(accountSources(flags, io), io);
    // A project that was named here need not be the one that the stack is configured with.
    const project = flags.project === undefined ? {} : { projectId: flags.project };
    const find = (projectId: string): Promise<Inventory> =>
      flags.all ? findAll(session, projectId, project) : findNamed(session, projectId, targets, project);
    try {
      const [live, stacks] = await Promise.all([
        session.projectId().then(find),
        stacksOf(io, flags["all-stacks"] === true),
      ]);
      const inventory = withoutHeld(live, stacks);
      const names = nameAll(inventory.found, (kind) => namesHeld(stacks, kind));
      const form = flags.native ? "native" : "dynamic";
      const document = `${JSON.stringify(importDocument(inventory.found, names, form), undefined, 2)}\n`;
      // What came to be there in the meantime, a link for instance, is not written through either.
      const write = (file: string, text: string): Promise<void> =>
        writeFile(path.resolve(io.cwd, file), printable(text), { flag: "wx" });
      if (flags.program !== undefined) await write(flags.program, importProgram(inventory, names, form));
      if (flags.out === undefined) io.out(document);
      else await write(flags.out, document);
      for (const line of advice(inventory, flags)) io.error(`${line}\n`);
      return 0;
    } finally {
      await session.client.close();
    }
  },
};

function readTarget(text: string): ImportTarget {
  for (const [kind, shape] of Object.entries(IMPORT_FORMS) as [Kind, string][]) {
    const pattern = shape.replace(/[A-Z]+\//, "(?<parentId>[^/]+)/").replace(/ID$/, "(?<id>.+)");
    const { id, parentId } = new RegExp(`^${pattern}$`).exec(text)?.groups ?? {};
    if (id !== undefined) return { kind, id, ...(parentId === undefined ? {} : { parentId }) };
  }
  throw new UsageError(`${JSON.stringify(text)} names no object; write ${shapes}`);
}

type Flags = {
  readonly out?: string | undefined;
  readonly program?: string | undefined;
  readonly "all-stacks"?: boolean | undefined;
  readonly native: boolean;
};

function advice({ found, projectId, notes }: Inventory, flags: Flags): string[] {
  return [
    `${countAll(found)} in project ${projectId}`,
    ...notes,
    ...(found.length === 0 ? [] : nextCommands(found, flags)),
  ];
}

function nextCommands(found: readonly ImportableObject[], { out, program, ...flags }: Flags): string[] {
  // Pulumi reads the objects through the plugin, so it knows what to declare, in the language of the project.
  const pulumiDeclares = flags.native && program === undefined;
  const declare = pulumiDeclares
    ? "Then copy `declarations`, which is in the language of the project, into your program"
    : program === undefined
      ? "Then declare the same objects in your program (--program FILE writes them down)"
      : `Then copy the declarations of ${program} into your program`;
  return [
    flags["all-stacks"] === true
      ? "Stacks of other backends were not checked. Don't import what one of them manages: destroying either stack would delete it."
      : "Don't import what another stack manages: destroying either stack would delete it. Add --all-stacks to leave out such objects.",
    `${out === undefined ? "Save the document above as FILE. " : ""}Next, in the folder of the stack, with Pulumi ${IMPORT_NEEDS} or newer:`,
    `  pulumi import --file ${shellWord(out ?? "FILE")} ${pulumiDeclares ? "--out declarations" : "--generate-code=false"} --protect=false`,
    ...(flags.native ? [] : ["  pulumi refresh"]),
    ...(found.some(isProduction) && !pulumiDeclares
      ? [
          `${declare}. \`pulumi preview\` shows no change but \`protect\`, and the last command is`,
          "  pulumi up",
          "which sets `protect` on services tagged PROD.",
        ]
      : [`${declare}, and \`pulumi preview\` shows no changes.`]),
  ];
}

function countAll(found: readonly ImportableObject[]): string {
  const counts = [...Map.groupBy(found, ({ kind }) => kind)].map(
    ([kind, all]) => `${all.length} ${resources[kind].noun}${all.length === 1 ? "" : "s"}`,
  );
  return counts.length === 0 ? "Nothing to import" : counts.join(", ");
}

// What stacks hold already: imported once more, two entries would hold one object, and a destroy of either deletes it.

/** The stacks that could be read, and what the reader must know of others. */
interface Stacks {
  stacks: StackState[];
  notes: string[];
}

/** All that the backend has, or the selected one; none, with a note, where none is selected or it cannot be read. */
async function stacksOf(io: Surroundings, all: boolean): Promise<Stacks> {
  try {
    const { stacks, failures } = await readStacks({ stacks: [], all, files: [] }, io);
    if (failures[0] !== undefined) throw failures[0].error;
    return { stacks, notes: [] };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (all) throw error;
    const why = oneLine(error.message.replace(/\.?\n.*$/s, ""));
    return { stacks: [], notes: [`nothing was left out: ${why}. Don't import again what it manages`] };
  }
}

function withoutHeld(inventory: Inventory, { stacks, notes }: Stacks): Inventory {
  const { found, projectId } = inventory;
  const holderOf = ({ kind, id }: ImportableObject): StackState | undefined =>
    stacks.find(({ entries }) =>
      entries.some(
        (entry) =>
          entry.kind === CLASS_NAMES[kind] && entry.id === id && (projectOf(entry.outputs) ?? projectId) === projectId,
      ),
    );
  const left = found.flatMap((one) => {
    const holder = holderOf(one);
    return holder === undefined ? [] : [`left out, because stack ${oneLine(holder.name)} manages it: ${one.title}`];
  });
  return {
    projectId,
    found: found.filter((one) => holderOf(one) === undefined),
    notes: [...inventory.notes, ...notes, ...left],
  };
}

/** The logical names of the resources of this kind. */
function namesHeld({ stacks }: Stacks, kind: ImportableObject["kind"]): string[] {
  const entries = stacks.flatMap((stack) => stack.entries);
  return entries.filter((entry) => entry.kind === CLASS_NAMES[kind]).map(({ name }) => name);
}
