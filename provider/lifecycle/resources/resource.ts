// What a resource is to the lifecycle: one table per kind. check, diff, create, read, update and delete are derived
// from it, so that no handler asks "which kind is this?".

import type { Values } from "../../domain/values/value";
import type { Fields } from "../../domain/fields";
import type { Listed } from "../../domain/listed";
import type { FixedRows } from "../../plan/conflicts";
import type { Live, Plan, Step, Wanted } from "../../plan/step";
import type { Context } from "../session/context";
import type { Reader } from "../session/sharedReader";
import type { Session } from "../session/session";

export type { Values };

/** Where an object lives: the ids in its path, its own left out. */
export interface Scope {
  projectId: string;
  /** The service a replica set belongs to. */
  serviceId?: string | undefined;
  /** The VPC a peering belongs to. */
  vpcId?: string | undefined;
}

/** What a create answered. */
export interface Created<Observed = unknown> {
  id: string;
  initialPassword?: string | undefined;
  /** The object as the answer showed it: it tells how soon a look is worth it, and proves nothing. */
  value?: Observed | undefined;
}

export interface CallLimits {
  deadlineMs: number;
  report: (line: string) => void;
  /** Throws when it is too late to send. */
  confirm?: () => void;
}

/** A finding of the rules that look at several inputs at once. */
export interface Finding {
  path: string;
  reason: string;
}

/** An object that a create counts as a change of: the service to copy, or where the new object lives. */
export interface Parent {
  /** Held while the create is sent. */
  lock: string;
  /** The new object stays a part of it: the lock is held until the object is up. */
  isPart: boolean;
  /** Looks at it about `inMs` from now: is nothing under way there? */
  isIdle(inMs: number, deadlineMs: number): Promise<boolean>;
}

/** An object that is in the way of a delete. */
export interface Member {
  /** What people call it, with its id and status. */
  words: string;
  /** Something is under way there, or about to be: it may be its leaving. */
  isMoving: boolean;
}

export type Condition = "settled" | "pending" | "failed" | "gone";

export interface ResourceDefinition<Inputs extends object, Observed> {
  readonly kind: "service" | "vpc" | "peering" | "readReplicaSet";
  /** What people call it. */
  readonly noun: string;
  readonly fields: Fields<Inputs>;
  /** A new one in place of an old one has lost what was in it. */
  readonly holdsData?: true;
  /** False for objects without a name of their own. */
  readonly isNamed: boolean;
  /** How long each operation may take unless `timeouts` says otherwise. */
  deadlinesMs(inputs: Values): { create: number; update: number; delete: number; read: number };

  /** How each input that changes in place is changed; absent where nothing does. */
  readonly rows?: Readonly<Record<string, { readonly calls: readonly string[] }>>;
  /** What can never change, and what a person can do about it. */
  readonly fixed: FixedRows<Inputs>;
  /** The input that names the object this one lives in; unknown in a preview, it means a replacement. */
  readonly parentKey?: string;
  /** Where that one is protected against deletion, this one is not deleted together with it. */
  readonly owner?: { readonly kind: "service"; readonly key: string };
  /** Outputs that clients connect to: when one moves, it is said. */
  readonly addresses: readonly string[];
  /** Outputs that are other outputs said more simply; undefined where there is nothing to say. */
  derived?(state: Values): Values;
  /** What takes these addresses along when its own move; the object as `Memory` names it. */
  movesWith?(state: Values): { object: string; noun: string };
  /** Why the object is beyond repair and must be replaced, judged by the state. */
  replacementReason?(state: Values): string | undefined;
  /** What is wrong with the object and what can be done, judged by the state; follows its label. */
  trouble?(state: Values): string | undefined;
  /** The state seen as the server would show it, where that is not simply the inputs. */
  recorded?(state: Values): Values;

  /** Errors and warnings about inputs that are each fine alone. `isKnown` is false for what a preview does not know, and for what
   * is wrong by itself. */
  rules(
    inputs: Partial<Inputs>,
    isKnown: (key: string) => boolean,
    isNew: boolean,
  ): {
    errors: Finding[];
    warnings: string[];
  };
  plan(wanted: Wanted<Inputs>, live: Live<Inputs>): Plan<Inputs>;

  scope(values: Values, projectId: string): Scope;
  reader(session: Session, scope: Scope): Reader<Observed>;
  /** Everything in that place by the server's own lists; a place that is gone itself holds nothing. */
  present(session: Session, scope: Scope, deadlineMs: number): Promise<Listed<Observed>>;
  /** Where that can be thousands: something small that the place answers, or answered a short time ago. */
  reach?(session: Session, scope: Scope, since: { maxAgeMs: number; deadlineMs: number }): Promise<unknown>;
  idOf(item: Observed): string;
  /** Name, id, age and status, for messages that name an object. */
  describe(item: Observed, nowMs: number): string;
  /** The word the server uses for the state it is in. */
  statusOf(item: Observed): string;
  condition(item: Observed): Condition;
  /** Why it failed, where the server says so. */
  failure?(item: Observed): string | undefined;
  /** The inputs as the server shows them. */
  live(item: Observed, scope: Scope): Live<Inputs>;
  /** The outputs that are no inputs. */
  outputs(item: Observed): Values;

  /** What makes two objects the same to a person: the key of a claim, and the test for an object in a list. */
  identity(inputs: Inputs, scope: Scope): string;
  isDuplicate(inputs: Inputs, item: Observed): boolean;
  /** The name by which an object that cannot be read is known for one that is in the way of this create. */
  nameOf(inputs: Inputs): string;
  /** False when a duplicate shows something that this create cannot have asked for. */
  isCandidate?(inputs: Inputs, item: Observed): boolean;
  /** When it was made, where the API says so. */
  createdMs?(item: Observed): number | undefined;
  /**
   * Before the create: what must be right on the server, judged without changing anything. `predecessorIds` are the
   * objects that the new one replaces.
   */
  beforeCreate?(session: Session, inputs: Inputs, scope: Scope, predecessorIds: readonly string[]): Promise<void>;
  /** The API's own word for the create call. */
  createOperation(inputs: Inputs): string;
  post(session: Session, inputs: Inputs, scope: Scope, limits: CallLimits): Promise<Created<Observed>>;
  /** The create itself may be refused until another object settles. */
  createParent?(session: Session, inputs: Inputs, scope: Scope): Parent | undefined;
  /** How long a parent may be too young to be copied. */
  readonly tooEarlyMs?: number;
  /** What must be there besides a settled status before a create is done; answers what is missing. */
  missing?(inputs: Inputs, item: Observed): string | undefined;
  /** What clients connect to, where a settled object should show it and does not; awaited for a while. */
  lateAddress?(item: Observed): string | undefined;
  /** The same, as far as its host is kept busy: others may change the host once this is over. */
  occupies?(inputs: Inputs, item: Observed): string | undefined;
  /**
   * A step that would change something must first find this in order. `recorded` is the state that the plan goes out
   * from, where there is one and no interrupted run has gone beyond it.
   */
  beforeSteps?(
    session: Session,
    steps: readonly Step<Inputs>[],
    item: Observed,
    scope: Scope,
    recorded: Values | undefined,
  ): Promise<void>;

  /** Answers the object as the call showed it, if it did: it tells how soon a look is worth it, and proves nothing. */
  send(
    session: Session,
    step: Step<Inputs>,
    id: string,
    scope: Scope,
    limits: CallLimits,
  ): Promise<Observed | undefined | void>;
  lock(id: string, scope: Scope): string;
  /** Operations the contract does not show: a server may lack them. */
  readonly undocumented: ReadonlySet<string>;

  readonly deleteOperation: string;
  remove(session: Session, id: string, scope: Scope, limits: CallLimits): Promise<void>;
  /** What a delete can be refused for: whoever is in it, and whether they are about to leave. */
  members?(session: Session, id: string, scope: Scope, deadlineMs: number): Promise<Member[]>;
  /** The object whose other changes keep this one busy, where its own status does not tell of them. */
  keptBusyBy?(session: Session, scope: Scope): Pick<Parent, "isIdle">;
  /** `onDelete: "stop"`: leaves the object in the cloud, quiet, and forgets it. */
  leave?(this: void, removal: Leaving<Observed>): Promise<void>;
}

/** What is known about an object that is to be left behind. */
export interface Leaving<Observed> {
  context: Context;
  session: Session;
  id: string;
  scope: Scope;
  label: string;
  deadlineMs: number;
  /** What it looked like a moment ago. */
  found: Observed;
}

/**
 * A resource as the lifecycle sees it: inputs are values by name, objects are opaque. The types of one kind end where it is
 * defined.
 */
export type Resource = ResourceDefinition<Values, unknown>;
