// `pulumi-dbcloud drift`: compares the states of stacks with the cloud. Changes nothing, takes no lock, runs no program, and
// decrypts no secret.

import { show } from "../../provider/domain/values/value";
import { accountSources, openAccount } from "../account";
import { accountOptions, accountUsage, type Command, parse, UsageError } from "../command";
import { CATEGORIES, type Category, type Report } from "./findings";
import { makeReport, type ReportOptions } from "./make";
import { asJson, asMarkdown, asTable } from "./render";
import { checkChoice } from "./stacks";

const options = {
  ...accountOptions,
  stack: { type: "string", multiple: true, short: "s" },
  "all-stacks": { type: "boolean" },
  state: { type: "string", multiple: true },
  ignore: { type: "string", multiple: true },
  "fail-on": { type: "string" },
  "skip-secret-inputs": { type: "boolean" },
  markdown: { type: "boolean" },
  json: { type: "boolean" },
} as const;

/** The categories that can count as drift: all, except for what could not be read, which always fails. */
const COUNTED = CATEGORIES.filter((category) => category !== "unknown");
/** What the program does not manage is told, and is no drift. */
const DEFAULT = COUNTED.filter((category) => category !== "attention");

export const drift: Command = {
  usage: `Usage: pulumi-dbcloud drift [options]

Compares the states of stacks with the cloud, property by property, and shows what the next \`pulumi up --refresh\` would
do. Also lists objects that no given stack manages, that are gone, that are no longer protected, that two resources
hold, or that an interrupted run left unfinished. Reads the states with \`pulumi stack export\`, and the project with a few
requests. Takes no lock, runs no program, changes nothing and decrypts no secret: a read-only key is enough.

  --stack NAME           this stack (repeatable; default: the one that is selected in this folder)
  --all-stacks           every stack of the backend
  --state FILE           a state that \`pulumi stack export\` wrote (repeatable)
  --ignore PATTERN       leave out unmanaged objects whose name or id fits; * is any text (repeatable)
  --fail-on LIST         what counts as drift: ${COUNTED.join(",")}
                         or none (default: all but attention)
  --skip-secret-inputs   do not report inputs that the state holds encrypted, and so cannot be compared
  --markdown             for a pull request or a job summary
  --json                 for programs; the shape is in docs/drift.md
${accountUsage}

Exit code 0: no drift; 2: drift; 1: unknown, because something could not be read, or invalid arguments.
`,

  async run(argv, io) {
    const { values: flags, positionals } = parse(argv, options);
    if (positionals.length > 0) throw new UsageError("drift takes no objects; set the stacks with --stack");
    const form = formOf(flags);
    const choice = { stacks: flags.stack ?? [], all: flags["all-stacks"] === true, files: flags.state ?? [] };
    checkChoice(choice);
    const reportOptions: ReportOptions = {
      choice,
      project: flags.project,
      ignore: flags.ignore ?? [],
      failOn: categoriesOf(flags["fail-on"]),
      skipSecretInputs: flags["skip-secret-inputs"] === true,
    };
    const session = openAccount(accountSources(flags, io), io);
    try {
      const report = await makeReport(session, reportOptions, io);
      io.out(form(report));
      return report.exitCode;
    } finally {
      await session.client.close();
    }
  },
};

type Form = (report: Report) => string;

function formOf({ markdown, json }: { markdown?: boolean | undefined; json?: boolean | undefined }): Form {
  if (markdown === true && json === true) throw new UsageError("--markdown and --json exclude each other");
  if (markdown === true) return asMarkdown;
  return json === true ? asJson : asTable;
}

function categoriesOf(text: string | undefined): readonly Category[] {
  if (text === undefined) return DEFAULT;
  if (text === "none") return [];
  return text.split(",").map((word) => {
    const category = COUNTED.find((one) => one === word.trim());
    if (category !== undefined) return category;
    throw new UsageError(`--fail-on knows ${COUNTED.join(", ")} and none, and not ${show(word)}`);
  });
}
