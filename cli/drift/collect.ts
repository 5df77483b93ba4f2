// Reads every resource of the given stacks with the handler that a refresh uses, and all other objects of the projects. No
// other part of a report makes requests.

import { inCommands } from "../../provider/domain/config/remedies";
import { MissingError, ProviderError, TransportError } from "../../provider/domain/errors";
import { describeUnreadable, unreadableOf } from "../../provider/domain/listed";
import type { Peering } from "../../provider/domain/peering";
import type { Service } from "../../provider/domain/service";
import type { Vpc } from "../../provider/domain/vpc";
import { read } from "../../provider/lifecycle/handlers/read";
import { labelOf } from "../../provider/lifecycle/resources/observation";
import type { Values } from "../../provider/domain/values/value";
import { type Context, Memory } from "../../provider/lifecycle/session/context";
import { type Session } from "../../provider/lifecycle/session/session";
import { projectOf } from "../../provider/lifecycle/state/state";
import { resources } from "./kinds";
import { emptyIfMissing } from "./listings";
import type { Entry, StackState } from "./state";

/** The result of reading one resource. */
export type Outcome =
  | { is: "read"; state: Values; inputs: Values }
  /** A change of the object is under way, so its settings cannot be compared now. */
  | { is: "moving"; status: string; isDeleting: boolean }
  | { is: "gone"; mustStay: boolean }
  | { is: "unread"; reason: string; remedy?: string };

export interface EntryReading {
  entry: Entry;
  outcome: Outcome;
}

export interface StackReading {
  stack: StackState;
  readings: readonly EntryReading[];
}

/** The live objects of one project. */
export interface LiveProject {
  projectId: string;
  vpcs: readonly Vpc[];
  services: readonly Service[];
  peerings: readonly { vpcId: string; items: readonly Peering[] }[];
  /** Unreadable lists, or items of lists. */
  problems: readonly Problem[];
}

export interface Problem {
  reason: string;
  remedy?: string;
  /** The project that it is about. */
  projectId?: string;
}

/** `open` opens sessions that share their listings. */
export async function collectStack(
  open: () => Session,
  stack: StackState,
  signal: AbortSignal = new AbortController().signal,
): Promise<StackReading> {
  const memory = new Memory();
  // The next `up` deletes these: their settings do not matter.
  const compared = stack.entries.filter(({ isToBeDeleted }) => !isToBeDeleted);
  const readings = await Promise.all(
    compared.map(async (entry) => ({
      entry,
      outcome: await readEntry(contextOf(open(), memory, signal), entry),
    })),
  );
  return { stack, readings };
}

/** Ignores progress and warnings, which are for runs. A report uses the values. */
function contextOf(session: Session, memory: Memory, signal: AbortSignal): Context {
  const silent = { progress: (): void => undefined, warn: (): void => undefined, quiet: true };
  return { session: () => session, ...silent, memory, identity: undefined, adopt: [], signal };
}

async function readEntry(context: Context, { kind, id, outputs }: Entry): Promise<Outcome> {
  const resource = resources[kind];
  try {
    const reading = await read(resource, context, id, outputs);
    if (reading.id === undefined) return { is: "gone", mustStay: false };
    const session = context.session();
    const scope = resource.scope(outputs, projectOf(outputs) ?? (await session.projectId()));
    // The same listing: no further request.
    const item = await resource.reader(session, scope).get(id);
    const condition = item === undefined ? "settled" : resource.condition(item);
    if (item !== undefined && (condition === "pending" || condition === "deleting")) {
      return { is: "moving", status: resource.statusOf(item), isDeleting: condition === "deleting" };
    }
    return { is: "read", state: reading.props ?? {}, inputs: reading.inputs ?? {} };
  } catch (error) {
    if (error instanceof MissingError) return { is: "gone", mustStay: true };
    return { is: "unread", ...problemOf(error) };
  }
}

/** Peerings are listed only for VPCs that a stack uses. An unmanaged VPC is reported instead of what is in it. */
export async function collectProject(
  session: Session,
  projectId: string,
  isManagedVpc: (vpcId: string) => boolean,
): Promise<LiveProject> {
  const [vpcs, services] = await Promise.all([
    listOrProblem("VPCs", projectId, () => session.vpcs(projectId).list()),
    listOrProblem("services", projectId, () => session.services(projectId).list()),
  ]);
  const managed = vpcs.items.map(({ vpcId }) => vpcId).filter(isManagedVpc);
  const peerings = await Promise.all(
    managed.map(async (vpcId) => ({
      vpcId,
      ...(await listOrProblem(`peerings of VPC ${vpcId}`, projectId, () =>
        emptyIfMissing(session.peerings(projectId, vpcId).list()),
      )),
    })),
  );
  const inServices = services.items.flatMap((item) =>
    unreadableIn(
      `read replica sets of ${labelOf(resources.Service, { name: item.name }, item.serviceId)}`,
      item.readReplicaSets,
    ),
  );
  return {
    projectId,
    vpcs: vpcs.items,
    services: services.items,
    peerings,
    problems: [
      ...vpcs.problems,
      ...services.problems,
      ...inServices,
      ...peerings.flatMap(({ problems }) => problems),
    ].map((problem) => ({ ...problem, projectId })),
  };
}

async function listOrProblem<O>(
  what: string,
  projectId: string,
  list: () => Promise<readonly O[]>,
): Promise<{ items: readonly O[]; problems: readonly Problem[] }> {
  try {
    const items = await list();
    return { items, problems: unreadableIn(`${what} of project ${projectId}`, items) };
  } catch (error) {
    return { items: [], problems: [problemOf(error)] };
  }
}

function unreadableIn(what: string, items: readonly unknown[]): Problem[] {
  const hidden = unreadableOf(items);
  if (hidden.length === 0) return [];
  const remedy =
    "What cannot be read may be anything, so nothing is concluded. If this persists, the server and this version of the provider disagree.";
  return [
    { reason: `the list of ${what} holds what cannot be read: ${hidden.map(describeUnreadable).join("; ")}`, remedy },
  ];
}

/** A defect of this package is not a finding, so it is thrown. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof ProviderError)) throw error;
  // The same text for every request: the request and the attempt that failed do not matter here.
  const reason = error instanceof TransportError && error.sent === "no" ? unreachable(error) : error.message;
  return { reason: inCommands(reason), ...(error.hint === undefined ? {} : { remedy: inCommands(error.hint) }) };
}

function unreachable({ cause, message }: TransportError): string {
  return cause instanceof Error ? `the API cannot be reached: ${cause.message}` : message;
}
