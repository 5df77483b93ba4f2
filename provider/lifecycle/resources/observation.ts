// What an object of one kind is, and how it is observed. Every other part of a resource builds on this one.

import type { Fields } from "../../domain/fields";
import type { Kind } from "../../domain/kinds";
import type { Listed } from "../../domain/listed";
import { oneLine } from "../../domain/values/printable";
import { textOf, type Values } from "../../domain/values/value";
import type { FixedRows } from "../../plan/conflicts";
import type { Live } from "../../plan/step";
import type { PollOptions, Reader, Session } from "../session/session";

/** The scope of an object: the ids in its path without its own. */
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

/** By the status. "deleting": being deleted, or deleted and still shown. */
export type Condition = "settled" | "pending" | "failed" | "deleting";

/** The owner of an object: protected, it keeps the object; when it moves, the addresses of the object move too. */
export interface Owner<Observed> {
  readonly kind: Kind;
  readonly noun: string;
  /** The input with its id. */
  readonly key: string;
  /** Whether the owner is tagged as production, as a read of the object has shown it. */
  isProduction(item: Observed): boolean;
  /** One bounded read of the owner: whether it is tagged as production; undefined where it shows no tag, or is gone. */
  fetchIsProduction(session: Session, scope: Scope, deadlineMs: number): Promise<boolean | undefined>;
}

/** The outputs that clients connect to. */
export interface Addresses {
  /** A refresh warns when one of them moves. */
  readonly outputs: readonly string[];
  /** Outputs that repeat them in a simpler form. */
  derived(this: void, state: Values): Values;
}

/** What is wrong with an object, from its state. The text follows the label. */
export interface Trouble {
  words: string;
  /** The object cannot be repaired and must be replaced. */
  isForGood?: true;
}

export interface Observation<Inputs extends object, Observed> {
  readonly kind: Kind;
  /** Its kind in messages. */
  readonly noun: string;
  readonly fields: Fields<Inputs>;
  /** The inputs that can never change, with the remedy for each. */
  readonly fixed: FixedRows<Inputs>;
  /** A replacement loses the data of the old object. */
  readonly holdsData?: true;
  /** What a replacement brings to others, as the end of a sentence. */
  readonly replacementEffect?: string;
  /** What the program has to say once an existing object is adopted, as a sentence. */
  readonly afterAdoption?: string;
  /** No two objects of any deployments have the same id, so an id at another address is the same object. */
  readonly hasGlobalIds?: true;
  /** False for objects without a name of their own. */
  readonly isNamed: boolean;
  /** The input that names the parent; unknown in a preview, it means a replacement. */
  readonly parentKey?: string;
  readonly owner?: Owner<Observed>;
  readonly addresses?: Addresses;
  /** Outputs that only the answer of a create has: a state keeps them. */
  readonly shownOnce?: readonly string[];
  /** How long each operation may take unless `timeouts` says otherwise. */
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
  /** All objects of the scope by the server's own lists; empty where the scope itself is gone. */
  listAll(session: Session, scope: Scope, deadlineMs: number): Promise<Listed<Observed>>;
  /** Where that list can be long: a short read that succeeds only in the right scope. A recent answer will do. */
  probeScope?(session: Session, scope: Scope, since: { maxAgeMs: number; deadlineMs: number }): Promise<unknown>;
  idOf(item: Observed): string;
  /** Name, id, age and status, for messages that name an object. `nowMs` is the server's time of day. */
  describe(item: Observed, nowMs: number): string;
  /** The status in the server's own word. */
  statusOf(item: Observed): string;
  condition(item: Observed): Condition;
  /** Why it failed, where the server tells. */
  failure?(item: Observed): string | undefined;
  /** When it was created, where the API tells. */
  createdMs?(item: Observed): number | undefined;
  /** The inputs as the server shows them. */
  live(item: Observed, scope: Scope): Live<Inputs>;
  /** The outputs that are no inputs. */
  outputs(item: Observed): Values;
}

/** Any kind, as the lifecycle sees it: inputs are values by name, objects are opaque. */
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

/** Another object, whose changes keep this one busy. */
export interface BusyWith {
  /** Polls it: whether no change is under way there. */
  isIdle(poll: PollOptions): Promise<boolean>;
}

/** An object that is idle once it has settled, or is gone. */
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
