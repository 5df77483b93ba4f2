// `pulumi-dbcloud drift`: compares the states of stacks with the cloud. Changes nothing, takes no lock, runs no program, and
// decrypts no secret.

import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { show } from "../../provider/domain/values/value";
import { accountSources, openAccount } from "../account";
import { accountOptions, accountUsage, type Command, type Io, parse, UsageError } from "../command";
import { environmentName } from "../../provider/domain/config/config";
import { messageOf, ProviderError } from "../../provider/domain/errors";
import type { Values } from "../../provider/domain/values/value";
import { systemWallClock } from "../../provider/api/clock";
import type { Session } from "../../provider/core/session";
import { projectOf } from "../../provider/core/state";
import { collectProject, collectStack, createLists, type LiveProject, type Problem, problemOf } from "./collect";
import { compareStack, withoutConsequences } from "./compare";
import { type Category, type Finding, type Report, reportOf, type Unknown, CATEGORIES } from "./findings";
import { ignoring, sharedObjects, unmanagedObjects, withPendingCreates } from "./objects";
import { asPage, pageOf } from "./page";
import { readStacks, type States } from "./stacks";
import type { StateEntry, StackState } from "./state";
import { asJson, asMarkdown, asTable } from "./texts";

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
  html: { type: "string" },
} as const;

/** The categories that can count as drift: all, except for what could not be read, which always fails. */
const COUNTED = CATEGORIES.filter((category) => category !== "unknown");
/** What the program does not manage, or ignores, is told, and is no drift. */
const DEFAULT = COUNTED.filter((category) => category !== "attention" && category !== "ignored");

export const drift: Command = {
  usage: `Usage: pulumi-dbcloud drift [options]

Compares stack states with the cloud, property by property, and shows what the next \`pulumi up --refresh\` would do.
Also lists objects that none of the stacks manages, that are gone, that are no longer protected, that two resources
manage, or that an interrupted run left unfinished. Reads the states with \`pulumi stack export\`, and the project with a
few requests. It takes no lock, runs no program, changes nothing, and decrypts no secret: a read-only key is enough.

  --stack NAME           compare this stack (repeatable; default: the selected one)
  --all-stacks           compare every stack of the backend
  --state FILE           compare a state written by \`pulumi stack export\` (repeatable)
  --ignore PATTERN       leave out unmanaged objects whose name or id matches; * is any text (repeatable)
  --fail-on LIST         what counts as drift: ${COUNTED.join(",")}
                         or none (default: all but attention and ignored)
  --skip-secret-inputs   leave out inputs that the state encrypts, which cannot be compared
  --markdown             print Markdown, for a pull request or a job summary
  --json                 print one JSON document
  --html FILE            also write the report as a page: the network with its drift, in one file that needs no network
${accountUsage}

Exit codes: 0, no drift; 2, drift; 1, something could not be read, or invalid arguments.
`,

  async run(argv, io) {
    const { values: flags, positionals } = parse(argv, options);
    if (positionals.length > 0) throw new UsageError("drift takes no objects; set the stacks with --stack");
    const form = flags.json ? asJson : flags.markdown ? asMarkdown : asTable;
    const failOn = categoriesOf(flags["fail-on"]);
    const session = openAccount(accountSources(flags, io), io);
    try {
      const { report, live, entries } = await makeReport(session, flags, failOn, io);
      io.out(form(report));
      if (flags.html !== undefined) {
        writeOverOld(path.resolve(io.cwd, flags.html), asPage(pageOf(report, live, entries)));
      }
      return report.exitCode;
    } finally {
      await session.client.close();
    }
  },

  failure(argv, error) {
    if (!argv.includes("--json")) return "";
    const known = error instanceof ProviderError ? problemOf(error) : { reason: messageOf(error) };
    const finding: Unknown = { category: "unknown", about: [], ...known };
    return asJson(reportOf({ stacks: [], projects: [], findings: [finding] }, [], systemWallClock.epochMs()));
  },
};

function categoriesOf(text: string | undefined): readonly Category[] {
  if (text === undefined) return DEFAULT;
  if (text === "none") return [];
  return text.split(",").map((word) => {
    const category = COUNTED.find((one) => one === word.trim());
    if (category !== undefined) return category;
    throw new UsageError(`--fail-on takes ${COUNTED.join(", ")}, or none, not ${show(word)}`);
  });
}

type Flags = ReturnType<typeof parse<typeof options>>["values"];

interface Made {
  report: Report;
  live: readonly LiveProject[];
  entries: readonly StateEntry[];
}

export async function makeReport(session: Session, flags: Flags, failOn: readonly Category[], io: Io): Promise<Made> {
  const choice = { stacks: flags.stack ?? [], all: flags["all-stacks"] === true, files: flags.state ?? [] };
  const { stacks: all, failures } = await readStacks(choice, io);
  const stacks = all.map((stack) => restrict(stack, flags));
  const lists = createLists(session);
  const entries = stacks.flatMap((stack) => stack.entries);
  const { projects, problems } = await projectsOf(session, entries, flags, io);
  const readings = await Promise.all(stacks.map((stack) => collectStack(session, lists, stack, io.signal)));
  const managed = new Set(entries.flatMap(({ kind, id }) => (kind === "Vpc" ? [id] : [])));
  const live = await Promise.all(
    projects.map((projectId) => collectProject(lists, projectId, entries, (id) => managed.has(id))),
  );
  const compared = readings.flatMap((one) => compareStack(one, flags["skip-secret-inputs"]));
  const atMs = session.client.serverTime();
  const findings = [
    ...merged(
      [...failures.map(unreadable), ...problems, ...live.flatMap((one) => one.problems)],
      withoutConsequences(compared, entries),
    ),
    ...sharedObjects(entries),
    // Whatever no readable stack manages, an unreadable one may.
    ...(failures.length > 0 ? [] : unmanagedIn(live, all, flags, atMs)),
  ];
  const named = stacks.map(({ name, entries: { length } }) => ({ name, resources: length }));
  const report = reportOf({ stacks: named, projects, findings }, failOn, atMs);
  return { report, live, entries };
}

function unreadable({ stack, error }: States["failures"][number]): Problem {
  const { reason, remedy = "" } = problemOf(error);
  return { stack, reason, remedy: `${remedy} Until it can be read, the report leaves out unmanaged objects.`.trim() };
}

/** The objects of all stacks count, independent of the project of the report. */
function unmanagedIn(
  live: readonly LiveProject[],
  stacks: readonly StackState[],
  { ignore = [] }: Flags,
  nowMs: number,
): Finding[] {
  const isIgnored = ignoring(ignore);
  const entries = stacks.flatMap((stack) => stack.entries);
  return live
    .flatMap((one) => unmanagedObjects(one, entries, isIgnored, nowMs))
    .map((object) => withPendingCreates(object, stacks));
}

function restrict(stack: StackState, { project }: Flags): StackState {
  if (project === undefined) return stack;
  const isInside = (values: Values): boolean => (projectOf(values) ?? project) === project;
  return {
    ...stack,
    entries: stack.entries.filter(({ outputs }) => isInside(outputs)),
    unfinished: stack.unfinished.filter(({ inputs }) => isInside(inputs)),
  };
}

/** The projects of the resources, and the configured one. Without both, the only one that the key can access. */
async function projectsOf(
  session: Session,
  entries: readonly StateEntry[],
  { project }: Flags,
  { environment }: Io,
): Promise<{ projects: string[]; problems: Problem[] }> {
  if (project !== undefined) return { projects: [project], problems: [] };
  const configured = environment[environmentName("projectId")] || undefined;
  const named = [configured, ...entries.map(({ outputs }) => projectOf(outputs))];
  const projects = [...new Set(named.filter((one) => one !== undefined))];
  if (projects.length > 0) return { projects, problems: [] };
  try {
    return { projects: [await session.projectId()], problems: [] };
  } catch (error) {
    return { projects: [], problems: [problemOf(error)] };
  }
}

/** One cause is reported once, with all affected resources. */
function merged(problems: readonly Problem[], findings: readonly Finding[]): Finding[] {
  const unknown = [
    ...problems.map((problem): Unknown => ({ category: "unknown", about: [], ...problem })),
    ...findings.filter((finding) => finding.category === "unknown"),
  ];
  const byReason = [...Map.groupBy(unknown, ({ reason }) => reason).values()].flatMap((all) =>
    all.slice(0, 1).map((first) => ({ ...first, about: all.flatMap(({ about }) => about) })),
  );
  return [...byReason, ...findings.filter((finding) => finding.category !== "unknown")];
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** A report may take the place of an older one, but nothing is written through a link. */
function writeOverOld(file: string, text: string): void {
  const opened = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  try {
    writeFileSync(opened, text);
  } finally {
    closeSync(opened);
  }
}
