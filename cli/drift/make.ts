// Makes one report: reads the states, then the live objects, and compares both.

import { environmentName } from "../../provider/domain/config/config";
import type { Values } from "../../provider/domain/values/value";
import type { Session } from "../../provider/lifecycle/session/session";
import { projectOf } from "../../provider/lifecycle/state/state";
import type { Io } from "../command";
import { collectProject, collectStack, createLists, type LiveProject, type Problem, problemOf } from "./collect";
import { compareStack, withoutConsequences } from "./compare";
import { type Category, type Finding, type Report, reportOf, type Unknown } from "./findings";
import { ignoring, sharedObjects, unmanagedObjects, withPendingCreates } from "./objects";
import { readStacks, type StackChoice } from "./stacks";
import type { Entry, StackState } from "./state";

export interface ReportOptions {
  choice: StackChoice;
  /** The only project of the report. Default: those of the stacks, and the configured one. */
  project: string | undefined;
  ignore: readonly string[];
  failOn: readonly Category[];
  /** Whether inputs that are encrypted in the state are left out silently. */
  skipSecretInputs: boolean;
}

export async function makeReport(session: Session, options: ReportOptions, io: Io): Promise<Report> {
  const all = await readStacks(options.choice, io);
  const stacks = all.map((stack) => restrict(stack, options));
  const lists = createLists(session);
  const entries = stacks.flatMap((stack) => stack.entries);
  const { projects, problems } = await projectsOf(session, entries, options, io);
  const readings = await Promise.all(stacks.map((stack) => collectStack(session, lists, stack, io.signal)));
  const managed = new Set(entries.flatMap(({ kind, id }) => (kind === "Vpc" ? [id] : [])));
  const live = await Promise.all(
    projects.map((projectId) => collectProject(lists, projectId, (id) => managed.has(id))),
  );
  const compared = readings.flatMap((one) => compareStack(one, options));
  const atMs = session.client.serverTime();
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

/** The objects of all stacks count, independent of the project of the report. */
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

/** The projects of the resources, and the configured one. Without both, the only one that the key can see. */
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

/** One cause is reported once, with all affected resources. */
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
