// `pulumi-dbcloud drift`: compares the states of stacks with the cloud. Changes nothing, takes no lock, runs no program, and
// decrypts no secret.

import { ProviderError } from "../../provider/domain/errors";
import { DURATION_ALLOWED, parseDuration } from "../../provider/domain/values/duration";
import { show } from "../../provider/domain/values/value";
import type { Session } from "../../provider/lifecycle/session/session";
import { accountSources, openAccount } from "../account";
import { accountOptions, accountUsage, type Command, didYouMean, type Io, parse, UsageError } from "../command";
import { CATEGORIES, type Category, type Report } from "./findings";
import { makeReport, type ReportOptions } from "./make";
import { asJson, asMarkdown, asTable } from "./render";
import { checkChoice } from "./stacks";
import { changesBetween, describeChanges } from "./watch";

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
  watch: { type: "string" },
} as const;

/** The categories that count as drift: all, except for what could not be read, which always fails. */
const COUNTED = CATEGORIES.filter((category) => category !== "unknown");

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
                         or none (default: all of them)
  --skip-secret-inputs   do not report inputs that the state holds encrypted, and so cannot be compared
  --markdown             for a pull request or a job summary
  --json                 for programs; the shape is in docs/drift.md
  --watch TIME           repeat, for example every 5m, and print what has changed since the last report
${accountUsage}

Exit code 0: no drift; 2: drift; 1: unknown, because something could not be read, or invalid arguments.
`,

  async run(argv, io) {
    const { values: flags, positionals } = parse(argv, options);
    if (positionals.length > 0) throw new UsageError("drift takes no objects; say which stacks with --stack");
    const format = formatOf(flags);
    const choice = { stacks: flags.stack ?? [], all: flags["all-stacks"] === true, files: flags.state ?? [] };
    checkChoice(choice);
    const everyMs = intervalOf(flags.watch);
    if (everyMs !== undefined && format === "markdown")
      throw new UsageError("--watch goes with a table or --json, and not with --markdown");
    const reportOptions: ReportOptions = {
      choice,
      project: flags.project,
      ignore: flags.ignore ?? [],
      failOn: categoriesOf(flags["fail-on"]),
      skipSecretInputs: flags["skip-secret-inputs"] === true,
    };
    const session = openAccount(accountSources(flags, io), io);
    try {
      if (everyMs !== undefined) return await watch(session, reportOptions, { io, format, everyMs });
      const report = await makeReport(session, reportOptions, io);
      print(report, format, io);
      return report.exitCode;
    } finally {
      await session.client.close();
    }
  },
};

type Format = "table" | "markdown" | "json";

function formatOf({ markdown, json }: { markdown?: boolean | undefined; json?: boolean | undefined }): Format {
  if (markdown === true && json === true) throw new UsageError("say either --markdown or --json");
  if (markdown === true) return "markdown";
  return json === true ? "json" : "table";
}

const LONGEST_WATCH_MS = 500 * 3_600_000;

function intervalOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0 && ms <= LONGEST_WATCH_MS) return ms;
  throw new UsageError(`--watch wants ${DURATION_ALLOWED}, at most 500h; not ${show(text)}`);
}

function categoriesOf(text: string | undefined): readonly Category[] {
  if (text === undefined) return COUNTED;
  if (text === "none") return [];
  return text.split(",").map((word) => {
    const category = COUNTED.find((one) => one === word.trim());
    if (category !== undefined) return category;
    const known = [...COUNTED, "none"];
    throw new UsageError(
      `--fail-on knows ${COUNTED.join(", ")} and none, and not ${show(word)}${didYouMean(word.trim(), known)}`,
    );
  });
}

function print(report: Report, format: Format, io: Io): void {
  if (format === "json") return io.out(asJson(report));
  if (format === "markdown") return io.out(asMarkdown(report));
  const pieces = asTable(report);
  if (io.paint === undefined) io.out(pieces.map(({ text }) => text).join(""));
  else io.paint(pieces);
}

interface Watching {
  io: Io;
  format: Format;
  everyMs: number;
}

/**
 * Ends with the signal; the exit code is that of the last report. The first report that fails ends the command; a later one is
 * printed as an error, and the next interval tries again.
 */
async function watch(
  session: Session,
  reportOptions: ReportOptions,
  { io, format, everyMs }: Watching,
): Promise<number> {
  let last = await makeReport(session, reportOptions, io);
  if (format === "json") io.out(`${JSON.stringify({ ...last, changes: { new: last.findings, over: [] } })}\n`);
  else print(last, format, io);
  for (;;) {
    await session.clock.sleep(everyMs, io.signal).catch(() => undefined);
    if (io.signal?.aborted === true) return last.exitCode;
    const report = await makeReport(session, reportOptions, io).catch((error: unknown) => {
      io.error(`${error instanceof ProviderError ? error.fullMessage : String(error)}\n`);
      return undefined;
    });
    if (report === undefined) continue;
    const changes = changesBetween(last, report);
    if (format === "json") io.out(`${JSON.stringify({ ...report, changes })}\n`);
    else io.out(describeChanges(report.at, changes));
    last = report;
  }
}
