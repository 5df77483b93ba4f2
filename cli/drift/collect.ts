// Reads every resource of the given stacks with the handler that a refresh uses, and all other objects of the projects. No
// other part of a report makes requests.

import { MissingError, ProviderError, TransportError } from "../../provider/domain/errors";
import { describeUnreadable, type Listed, listed, unreadableOf } from "../../provider/domain/listed";
import { peeringsIn } from "../../provider/kinds/peering/definition";
import { reportedSet } from "../../provider/kinds/readReplicaSet/definition";
import { reportedService } from "../../provider/kinds/service/reported.definition";
import { reportedVpc } from "../../provider/kinds/vpc/reported.definition";
import { read } from "../../provider/core/read";
import type { Context } from "../../provider/core/operation";
import type { Scope } from "../../provider/core/kind";
import type { Reported } from "../../provider/core/reported";
import type { Values } from "../../provider/domain/values/value";
import { listIsCut } from "../../provider/core/presence";
import { Memory } from "../../provider/core/runView";
import type { Reader, ReadLimits, Session } from "../../provider/core/session";
import { labelOf, projectOf, scopeOf } from "../../provider/core/state";
import type { Unknown } from "./findings";
import { type ClassName, keyOf, resources, type StateEntry, type StackState } from "./state";

/** The result of reading one resource. */
export type Outcome =
  | { is: "read"; state: Values; inputs: Values }
  /** A change of the object is under way, so its settings cannot be compared now. */
  | { is: "moving"; status: string; isDeleting: boolean }
  | { is: "gone"; mustStay: boolean }
  | { is: "unread"; reason: string; remedy?: string };

export interface EntryReading {
  entry: StateEntry;
  outcome: Outcome;
}

export interface StackReading {
  stack: StackState;
  readings: readonly EntryReading[];
}

/** The live objects of one project. */
export interface LiveProject {
  projectId: string;
  /** Each after the object that it is in. */
  objects: readonly LiveObject[];
  /** Unreadable lists, or items of lists. */
  problems: readonly Problem[];
}

export interface LiveObject {
  key: string;
  kind: ClassName;
  /** The VPC of a peering, the service of a read replica set. */
  parent?: LiveObject;
  /** As the API shows it, and where it is. */
  item: Reported;
  scope: Scope;
  /** Its inputs and outputs. */
  values: Values;
}

/** What makes a report incomplete, whatever it is about. */
export type Problem = Omit<Unknown, "category" | "about">;

/** How long a failing list is retried. Short, so that the user soon learns that no report can be made. */
const LIST_LIMIT_MS = 20_000;
/** How long the reads of one stack may take after that, while a server fails now and then. */
const READ_LIMIT_MS = 60_000;

/** The lists that must lack an object, after the first one, until they count as cut. */
const MORE_LISTS = 3;

type Lists = ReturnType<typeof createLists>;

/** The lists of the report, each of them read once: a project of any size is read with a few requests. */
export function createLists(session: Session, peeringsLimitMs = LIST_LIMIT_MS) {
  const known = new Map<unknown, Promise<Listed<unknown>>>();
  const limits = (limitMs = LIST_LIMIT_MS): ReadLimits => ({ deadlineMs: session.clock.now() + limitMs });
  const once = <O>(key: unknown, list: () => Promise<Listed<O>>): Promise<Listed<O>> => {
    const all = (known.get(key) as Promise<Listed<O>> | undefined) ?? list();
    known.set(key, all);
    return all;
  };
  const listOnce = <O>(reader: Reader<O>): Promise<Listed<O>> => once(reader, () => reader.list(limits()));
  return {
    services: (projectId: string) => listOnce(session.services(projectId)),
    vpcs: (projectId: string) => listOnce(session.vpcs(projectId)),
    // API: the list of what is inside a deleted object is gone with it.
    peerings: (projectId: string, vpcId: string) =>
      once(session.peerings(projectId, vpcId), async () => {
        const peerings = await peeringsIn(session, { projectId, vpcId }, limits(peeringsLimitMs));
        return peerings ?? listed<Reported>([]);
      }),
    /** Of these objects of the state, and of all that was read, what a list lacks although it answers by its id. */
    async unlisted(projectId: string, entries: readonly StateEntry[]): Promise<Problem[]> {
      const others = (kind: ClassName) => ({
        ids: entries.filter((one) => one.kind === kind && projectOf(one.outputs) === projectId).map(({ id }) => id),
        ...limits(),
      });
      // A list may leave something out for a moment.
      const lastingly = async <O>(reader: Reader<O>, kind: ClassName): Promise<O[]> => {
        let found = await reader.unlisted(others(kind));
        for (let lists = 0; found.length > 0 && lists < MORE_LISTS; lists += 1) {
          await session.clock.sleep(session.pace.intervalMs);
          await reader.list(limits());
          found = await reader.unlisted(others(kind));
        }
        return found;
      };
      const [services, vpcs] = await Promise.all([
        lastingly(session.services(projectId), "Service"),
        lastingly(session.vpcs(projectId), "Vpc"),
      ]);
      const cut = [...services.map(reportedService), ...vpcs.map((item) => reportedVpc(item, { projectId }))];
      return cut.map((item) => problemOf(listIsCut(session, item)));
    },
  };
}

export async function collectStack(
  session: Session,
  lists: Lists,
  stack: StackState,
  signal: AbortSignal = new AbortController().signal,
): Promise<StackReading> {
  const over = new AbortController();
  const late = new AbortController();
  session.clock.sleep(LIST_LIMIT_MS + READ_LIMIT_MS, over.signal).then(
    () => late.abort(new TransportError("drift", "maybe", "the API did not answer in time")),
    () => undefined,
  );
  const context: Context = {
    ...SILENT,
    session: () => session,
    memory: new Memory(),
    identity: undefined,
    signal: AbortSignal.any([signal, late.signal]),
  };
  // The next `up` deletes these: their settings do not matter.
  const compared = stack.entries.filter(({ isToBeDeleted }) => !isToBeDeleted);
  try {
    const readings = await Promise.all(
      compared.map(async (entry) => ({ entry, outcome: await readEntry(context, lists, entry) })),
    );
    return { stack, readings };
  } finally {
    over.abort();
  }
}

/** Ignores progress and warnings, which are for runs. A report uses the values. */
export const SILENT = {
  progress: (): void => undefined,
  warn: (): void => undefined,
  quiet: true,
  adopt: [],
  believesGone: (): boolean => true,
};

/** The list that has the entry; the reads that follow take their answers from it. */
function listOf(lists: Lists, kind: ClassName, { projectId, vpcId = "" }: Scope): Promise<unknown> {
  if (kind === "Peering") return lists.peerings(projectId, vpcId);
  return kind === "Vpc" ? lists.vpcs(projectId) : lists.services(projectId);
}

async function readEntry(context: Context, lists: Lists, { kind, id, outputs }: StateEntry): Promise<Outcome> {
  const resource = resources[kind];
  try {
    const session = context.session();
    const scope = scopeOf(resource, outputs, projectOf(outputs) ?? (await session.projectId()));
    await listOf(lists, kind, scope);
    const reading = await read(resource, context, id, outputs);
    if (reading.id === undefined) return { is: "gone", mustStay: false };
    const { props: state = {}, inputs = {} } = reading;
    const { condition } = resource.statusNote(state, []);
    if (condition === "pending" || condition === "deleting") {
      return { is: "moving", status: String(state["status"]), isDeleting: condition === "deleting" };
    }
    return { is: "read", state, inputs };
  } catch (error) {
    if (error instanceof MissingError) return { is: "gone", mustStay: true };
    return { is: "unread", ...problemOf(error) };
  }
}

/** Peerings are listed only for VPCs that a stack uses. An unmanaged VPC is reported instead of what is in it. */
export async function collectProject(
  lists: Lists,
  projectId: string,
  entries: readonly StateEntry[],
  isManagedVpc: (vpcId: string) => boolean,
): Promise<LiveProject> {
  const [vpcs, services] = await Promise.all([
    listOrProblem("VPCs", projectId, lists.vpcs(projectId)),
    listOrProblem("services", projectId, lists.services(projectId)),
  ]);
  const managed = vpcs.items.map(({ vpcId }) => vpcId).filter(isManagedVpc);
  const peerings = await Promise.all(
    managed.map(async (vpcId) => {
      const list = lists.peerings(projectId, vpcId);
      return { vpcId, ...(await listOrProblem(`peerings of VPC ${vpcId}`, projectId, list)) };
    }),
  );
  const seen = (kind: ClassName, item: Reported, parent?: LiveObject): LiveObject => {
    const key = resources[kind].parent?.key;
    const scope = { projectId, ...(parent && key !== undefined && { [key]: parent.item.id }) };
    const values = { ...item.outputs(), ...item.live() };
    return { key: keyOf(kind, item.id), kind, ...(parent && { parent }), item, scope, values };
  };
  const objects = [
    ...vpcs.items.flatMap((item) => {
      const vpc = seen("Vpc", reportedVpc(item, { projectId }));
      const own = peerings.find(({ vpcId }) => vpcId === vpc.item.id)?.items ?? [];
      return [vpc, ...own.map((one) => seen("Peering", one, vpc))];
    }),
    ...services.items.flatMap((item) => {
      const service = seen("Service", reportedService(item));
      const inService = { projectId, serviceId: service.item.id };
      const sets = item.readReplicaSets.map((set) => reportedSet(set, inService));
      return [service, ...sets.map((set) => seen("ReadReplicaSet", set, service))];
    }),
  ];
  const inServices = services.items.flatMap(({ name, serviceId, readReplicaSets }) =>
    unreadableIn(`read replica sets of ${labelOf(resources.Service, { name }, serviceId)}`, readReplicaSets),
  );
  // What cannot be read has been told with its entry.
  const cut = await lists.unlisted(projectId, entries).catch(() => []);
  const problems = [...[vpcs, services, ...peerings].flatMap((one) => one.problems), ...cut];
  return {
    projectId,
    objects,
    problems: [...problems, ...inServices].map((problem) => ({ ...problem, projectId })),
  };
}

async function listOrProblem<O>(
  what: string,
  projectId: string,
  list: Promise<readonly O[]>,
): Promise<{ items: readonly O[]; problems: readonly Problem[] }> {
  try {
    const items = await list;
    return { items, problems: unreadableIn(`${what} of project ${projectId}`, items) };
  } catch (error) {
    return { items: [], problems: [problemOf(error)] };
  }
}

function unreadableIn(what: string, items: readonly unknown[]): Problem[] {
  const hidden = unreadableOf(items);
  if (hidden.length === 0) return [];
  const remedy =
    "An item that cannot be read may be any object, so no object counts as gone. If this persists, update the provider.";
  return [
    {
      reason: `the list of ${what} contains entries that cannot be read: ${hidden.map(describeUnreadable).join("; ")}`,
      remedy,
    },
  ];
}

/** A defect of this package is not a finding, so it is thrown. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof ProviderError)) throw error;
  // The same text for every request: the request and the attempt that failed do not matter here.
  const reason = error instanceof TransportError && error.sent === "no" ? unreachable(error) : error.message;
  return { reason, ...(error.hint === undefined ? {} : { remedy: error.hint }) };
}

function unreachable({ cause, message }: TransportError): string {
  return cause instanceof Error ? `the API cannot be reached: ${cause.message}` : message;
}
