// Defines what an object of one kind is, and how it is observed. The other parts of a resource build on this one.

import type { Fields } from "../../domain/fields";
import type { Kind } from "../../domain/kinds";
import type { Listed } from "../../domain/listed";
import { oneLine } from "../../domain/values/printable";
import { textOf, type Values } from "../../domain/values/value";
import type { FixedRows } from "../../plan/conflicts";
import type { Live } from "../../plan/step";
import type { ListOptions, PollOptions, Reader, Session } from "../session/session";

/** The scope of an object: the ids in its path, without the object's own id. */
export interface Scope {
  projectId: string;
  /** The service a replica set belongs to. */
  serviceId?: string | undefined;
  /** The VPC a peering belongs to. */
  vpcId?: string | undefined;
}

/** A finding of the rules over several inputs. */
export interface Finding {
  path: string;
  reason: string;
}

/** The meaning of a status. "deleting": being deleted, or deleted and still shown. */
export type Condition = "settled" | "pending" | "failed" | "deleting";

/** The owner of an object. A protected owner keeps the object from being deleted with it; when the owner moves, the
 * object's addresses move too. */
export interface Owner<Observed> {
  readonly kind: Kind;
  readonly noun: string;
  /** The input with its id. */
  readonly key: string;
  /** Whether the owner is tagged as production, as a read of the object has shown it. */
  isProduction(item: Observed): boolean;
  /** One read of the owner with a time limit: whether it is tagged as production; undefined without a tag or owner. */
  fetchIsProduction(session: Session, scope: Scope, deadlineMs: number): Promise<boolean | undefined>;
}

/** The outputs that clients connect to. */
export interface Addresses {
  /** A refresh warns when one of them moves. */
  readonly outputs: readonly string[];
  /** Outputs that repeat them in a simpler form. */
  derived(this: void, state: Values): Values;
}

/** A problem of an object, from its state. The text follows the label. */
export interface Trouble {
  words: string;
  /** The object cannot be repaired and must be replaced. */
  isForGood?: true;
}

export interface Observation<Inputs extends object, Observed> {
  readonly kind: Kind;
  /** The name of the kind in messages. */
  readonly noun: string;
  readonly fields: Fields<Inputs>;
  /** The inputs that can never change, with the remedy for each. */
  readonly fixed: FixedRows<Inputs>;
  /** A replacement loses the data of the old object. */
  readonly holdsData?: true;
  /** The effect of a replacement on other objects, as the end of a sentence. */
  readonly replacementEffect?: string;
  /** What the program must give after an adoption, as a sentence. */
  readonly afterAdoption?: string;
  /** Ids are unique across deployments, so an id at another address is the same object. */
  readonly hasGlobalIds?: true;
  /** False for objects without a name. */
  readonly isNamed: boolean;
  /** The input that names the parent; unknown in a preview, it means a replacement. */
  readonly parentKey?: string;
  readonly owner?: Owner<Observed>;
  /** The object whose delete waits until this one has left it, and the input with its id. */
  readonly container?: { readonly kind: Kind; readonly noun: string; readonly key: string };
  readonly addresses?: Addresses;
  /** Outputs that only the answer of a create has: a state keeps them. */
  readonly shownOnce?: readonly string[];
  /** The default time limit of each operation, without `timeouts`. */
  deadlinesMs(inputs: Values): { create: number; update: number; delete: number; read: number };
  trouble(state: Values): Trouble | undefined;
  /**
   * Errors and warnings about inputs that are each valid alone. `isKnown` is false for an input that a preview does not
   * know, and for one that is invalid by itself.
   */
  rules(
    inputs: Partial<Inputs>,
    isKnown: (key: string) => boolean,
    isNew: boolean,
  ): { errors: Finding[]; warnings: string[] };

  scope(values: Values, projectId: string): Scope;
  /** The key of the lock under which the object is changed. */
  lock(id: string, scope: Scope): string;
  reader(session: Session, scope: Scope): Reader<Observed>;
  /** All objects of the scope, by the server's lists; empty if the scope itself is gone. */
  listAll(session: Session, scope: Scope, options: ListOptions): Promise<Listed<Observed>>;
  /** If that list can be long: a short read that succeeds only in the right scope. A recent answer is enough. */
  probeScope?(session: Session, scope: Scope, since: { maxAgeMs: number; deadlineMs: number }): Promise<unknown>;
  idOf(item: Observed): string;
  /** Name, id, age and status, for messages that name an object. `nowMs` is the server's time of day. */
  describe(item: Observed, nowMs: number): string;
  /** The status, in the server's word. */
  statusOf(item: Observed): string;
  condition(item: Observed): Condition;
  /** The reason of a failure, if the server shows it. */
  failure?(item: Observed): string | undefined;
  /** The time of creation, if the API shows it. */
  createdMs?(item: Observed): number | undefined;
  /** The inputs as the server shows them. */
  live(item: Observed, scope: Scope): Live<Inputs>;
  /** The outputs that are not inputs. */
  outputs(item: Observed): Values;
}

/** Any kind, in the form of the lifecycle: inputs are values by name, objects are opaque. */
export type Observable = Observation<Values, unknown>;

/** One object that an operation works on. */
export interface Target<R = Observable> {
  readonly resource: R;
  readonly session: Session;
  readonly id: string;
  readonly scope: Scope;
  /** The object in messages: "service orders (svc1234567)". */
  readonly label: string;
  deadlineMs: number;
}

/** Another object whose changes keep this one busy. */
export interface BusyWith {
  /** Polls the object: whether no change of it is under way. */
  isIdle(poll: PollOptions): Promise<boolean>;
}

/** An object that is idle when it has settled or is gone. */
export function busyUntilSettled<O>(reader: Reader<O>, id: string, isSettled: (item: O) => boolean): BusyWith {
  return {
    isIdle: async (poll) => {
      const item = await reader.nextPoll(id, poll);
      return item === undefined || isSettled(item);
    },
  };
}

/** The limits of one call that changes something. */
export interface CallLimits {
  deadlineMs: number;
  report: (line: string) => void;
  /** Aborted: nothing more is sent. A change that was sent gets its answer. */
  until: AbortSignal;
  /** Throws when it is too late to send. */
  confirm?: () => void;
}

/** "service orders (svc1234567)" */
export function labelOf(resource: Observable, values: Values, id: string): string {
  const name = textOf(values, "name");
  return name !== undefined ? `${resource.noun} ${oneLine(name)} (${id})` : `${resource.noun} ${id}`;
}
