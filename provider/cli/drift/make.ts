// One report: the states are read first, then what is live, then both are compared.

import { environmentName } from "../../domain/config/config";
import type { Values } from "../../domain/values/value";
import type { Session } from "../../lifecycle/session/session";
import { projectOf } from "../../lifecycle/state/state";
import type { Io } from "../command";
import { collectProject, collectStack, type LiveProject, type Problem, problemOf } from "./collect";
import { compareStack, withoutConsequences } from "./compare";
import { type Category, type Finding, type Report, reportOf, type Unknown } from "./findings";
import { shareListings } from "./listings";
import { ignoring, sharedObjects, unmanagedObjects, withPendingCreates } from "./objects";
import { readStacks, type StackChoice } from "./stacks";
import type { Entry, StackState } from "./state";

export interface ReportOptions {
  choice: StackChoice;
  /** The only project to look at; otherwise those of the stacks, and the configured one. */
  project: string | undefined;
  ignore: readonly string[];
  failOn: readonly Category[];
  /** Inputs that the state holds encrypted are left out without a word. */
  skipSecretInputs: boolean;
}

export async function makeReport(base: Session, options: ReportOptions, io: Io): Promise<Report> {
  const all = await readStacks(options.choice, io);
  const stacks = all.map((stack) => restrict(stack, options));
  const open = shareListings(base);
  const entries = stacks.flatMap((stack) => stack.entries);
  const { projects, problems } = await projectsOf(base, entries, options, io);
  const readings = await Promise.all(stacks.map((stack) => collectStack(open, stack, io.signal)));
  const managed = new Set(entries.flatMap(({ kind, id }) => (kind === "Vpc" ? [id] : [])));
  const live = await Promise.all(
    projects.map((projectId) => collectProject(open(), projectId, (id) => managed.has(id))),
  );
  const compared = readings.flatMap((one) => compareStack(one, options));
  const atMs = base.client.serverTime();
  return reportOf({
    atMs,
    stacks: stacks.map(({ name, entries: { length } }) => ({ name, resources: length })),
    projects,
    failOn: options.failOn,
    findings: [
      ...merged([...problems, ...live.flatMap((one) => one.problems)], withoutConsequences(compared, entries)),
      ...sharedObjects(entries),
      ...unmanagedIn(live, all, options, atMs),
    ],
  });
}

/** What every stack manages counts, whichever project the report is about. */
function unmanagedIn(
  live: readonly LiveProject[],
  stacks: readonly StackState[],
  { ignore }: ReportOptions,
  nowMs: number,
): Finding[] {
  const isIgnored = ignoring(ignore);
  const entries = stacks.flatMap((stack) => stack.entries);
  return live
    .flatMap((one) => unmanagedObjects(one, entries, isIgnored, nowMs))
    .map((object) => withPendingCreates(object, stacks));
}

function restrict(stack: StackState, { project }: ReportOptions): StackState {
  if (project === undefined) return stack;
  const isInside = (values: Values): boolean => (projectOf(values) ?? project) === project;
  return {
    ...stack,
    entries: stack.entries.filter(({ outputs }) => isInside(outputs)),
    unfinished: stack.unfinished.filter(({ inputs }) => isInside(inputs)),
  };
}

/** Those of the resources, and the one that is configured. With neither, the only one that the key can see. */
async function projectsOf(
  session: Session,
  entries: readonly Entry[],
  { project }: ReportOptions,
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

/** One cause is reported once, with all the resources that it concerns. */
function merged(problems: readonly Problem[], findings: readonly Finding[]): Finding[] {
  const unknown = [
    ...problems.map((problem): Unknown => ({ category: "unknown", about: [], ...problem })),
    ...findings.filter((finding) => finding.category === "unknown"),
  ];
  const byReason = new Map<string, Unknown>();
  for (const one of unknown) {
    const known = byReason.get(one.reason);
    byReason.set(one.reason, known === undefined ? one : { ...known, about: [...known.about, ...one.about] });
  }
  return [...byReason.values(), ...findings.filter((finding) => finding.category !== "unknown")];
}
