// What the laws of absence share: objects of all kinds in one state, answers that hide what is there, and the one question
// that all of these laws ask: what is alive, and in no state?

import type { Kind } from "../../provider/domain/kinds";
import { textOf, type Values } from "../../provider/domain/values/value";
import { done, fault, NET, PEER, setOf, SMALL, urn, world } from "../core/scene";
import type { Kept } from "../support/world";

/** An object as a state has it. */
export interface Held {
  kind: Kind;
  kept: Kept;
  /** What the program says of it. */
  args: Values;
}

/** A create that must not fail, of a resource with a URN of its own. */
export async function make(kind: Kind, args: Values): Promise<Held> {
  const given = { ...args, ...urn(`${kind}-${textOf(args, "name") ?? "peer"}`) };
  return { kind, kept: await done(world[kind].create(given)), args: given };
}

/** A service for each name. */
export async function makeServices<const N extends readonly string[]>(
  ...names: N
): Promise<{ -readonly [at in keyof N]: Held }> {
  const made = await Promise.all(names.map((name) => make("service", { name, ...SMALL })));
  return made as { -readonly [at in keyof N]: Held };
}

/** An object of this kind, and the one that it is in; what is in nothing is its own parent. */
export interface Made {
  parent: Held;
  held: Held;
  /** The parent comes first. */
  all: Held[];
}

export async function madeOf(kind: Kind): Promise<Made> {
  const isIn = kind === "peering" || kind === "readReplicaSet";
  const parent = await (kind === "peering" || kind === "vpc"
    ? make("vpc", NET)
    : make("service", { name: "orders", ...SMALL }));
  if (!isIn) return { parent, held: parent, all: [parent] };
  const args = kind === "peering" ? { vpcId: parent.kept.id, ...PEER } : setOf(parent.kept);
  const held = await make(kind, args);
  return { parent, held, all: [parent, held] };
}

/** A VPC, a service and a replica set: what a user has first. */
export async function madeStack(): Promise<{ vpc: Held; service: Held; set: Held; all: Held[] }> {
  const { parent: service, held: set } = await madeOf("readReplicaSet");
  const { held: vpc } = await madeOf("vpc");
  return { vpc, service, set, all: [vpc, service, set] };
}

/** For so long, reads answer 404 and lists show nothing. */
export const hide = (ms: number, where?: "reads" | "lists"): unknown =>
  fault({ kind: "brownout", ms, ...(where && { in: where }) });

/** Right before the server gets the first DELETE. */
export function atDelete(act: () => unknown): void {
  world.onRequest(({ method }) => {
    if (method !== "DELETE") return;
    world.onRequest(() => undefined);
    act();
  });
}

/** Until then, each of these operations is answered 404 too. */
export function refuse404(ms: number, ...operations: ("deleteService" | "deleteReplicaSet" | "deletePeering")[]): void {
  const untilMs = world.clock.now() + ms;
  const match = ({ at }: { at: number }): boolean => at < untilMs;
  for (const operation of operations) fault({ kind: "status", status: 404, operation, times: Infinity, match });
}

/** The kinds of all objects that are there and not on their way out. */
export function alive(): { kind: Kind; id: string }[] {
  const { vpcs, peerings, services, replicaSets } = world.emulator.state();
  const of = (kind: Kind, objects: readonly { id: string; status: string }[]) =>
    objects.filter(({ status }) => !/^deleted?|^deleting/i.test(status)).map(({ id }) => ({ kind, id }));
  return [
    ...of("vpc", vpcs),
    ...of("peering", peerings),
    ...of("service", services),
    ...of("readReplicaSet", replicaSets),
  ];
}

/** What is alive and in no state: nobody pays attention to it any more, and somebody pays for it. */
export function forgotten(state: readonly Held[]): { kind: Kind; id: string }[] {
  const ids = new Set(state.map(({ kept }) => kept.id));
  return alive().filter(({ id }) => !ids.has(id));
}

/** Whether the work left its entry in the state: it failed, or has an answer. */
async function staysAfter(work: Promise<Kept | undefined>): Promise<boolean> {
  return work.then(
    (seen) => seen !== undefined,
    () => true,
  );
}

const isIn = (outcomes: readonly boolean[]) => (_: Held, index: number) => outcomes[index] === true;

/** The state after a refresh of all at once, or of one after the other (`--parallel 1`). */
export async function refreshAll(state: readonly Held[], parallel: "at once" | "one by one"): Promise<Held[]> {
  const read = ({ kind, kept }: Held): Promise<boolean> => staysAfter(world[kind].refresh(kept));
  if (parallel === "at once") return state.filter(isIn(await Promise.all(state.map(read))));
  const outcomes: boolean[] = [];
  for (const one of state) outcomes.push(await read(one));
  return state.filter(isIn(outcomes));
}

/** The state after a destroy: parts go before what they are in, and after a failure nothing that waits for it. */
export async function destroyAll(state: readonly Held[]): Promise<Held[]> {
  const left = new Set(state);
  for (const kinds of [["peering", "readReplicaSet"], ["service"], ["vpc"]]) {
    for (const one of state.filter(({ kind }) => kinds.includes(kind))) {
      const stays = await staysAfter(world[one.kind].removePending(one.kept).then(() => undefined));
      if (stays) return [...left];
      left.delete(one);
    }
  }
  return [...left];
}

/** How the delete of one entry ends. "forgotten": the entry left the state, and its object lives. */
export async function endOf({ kind, kept }: Held): Promise<"deleted" | "refused" | "forgotten"> {
  const stays = await staysAfter(world[kind].removePending(kept).then(() => undefined));
  if (stays) return "refused";
  return alive().some(({ id }) => id === kept.id) ? "forgotten" : "deleted";
}
