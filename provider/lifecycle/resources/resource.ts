// The definition of a resource: one table per kind. check, diff, create, read, update and delete work from the table, so
// that no handler branches on the kind.

import type { DatabaseAddress } from "../../domain/connection";
import type { Values } from "../../domain/values/value";
import type { Fields } from "../../domain/fields";
import type { Kind } from "../../domain/kinds";
import type { Listed } from "../../domain/listed";
import type { FixedRows } from "../../plan/conflicts";
import type { Live, Plan, Step, Wanted } from "../../plan/step";
import type { Reader } from "../session/reader";
import type { Session } from "../session/session";

export type { Values };

/** The scope of an object: the ids in its path without its own. */
export interface Scope {
  projectId: string;
  /** The service a replica set belongs to. */
  serviceId?: string | undefined;
  /** The VPC a peering belongs to. */
  vpcId?: string | undefined;
}

/** The answer of a create. */
export interface Created<Observed = unknown> {
  id: string;
  initialPassword?: string | undefined;
  /** The object as the answer showed it: it decides the kind of the first read, and proves nothing. */
  value?: Observed | undefined;
}

export interface CallLimits {
  deadlineMs: number;
  report: (line: string) => void;
  /** Aborted: nothing more is sent. A change that was sent gets its answer. */
  until: AbortSignal;
  /** Throws when it is too late to send. */
  confirm?: () => void;
}

/** A finding of the rules over several inputs. */
export interface Finding {
  path: string;
  reason: string;
}

/** The object that a create changes as well: the service to copy, or the container of the new object. */
export interface Parent {
  /** Held while the create is sent. */
  lock: string;
  /** The new object stays a part of it: the lock is held until the object is up. */
  isPart: boolean;
  /** Polls the parent about `inMs` from now: whether no change is under way there. */
  isIdle(inMs: number, deadlineMs: number): Promise<boolean>;
}

/** An object inside another one, which blocks the delete of the other. */
export interface Member {
  /** Its description with id and status. */
  words: string;
  /** A change is under way there, or queued: it may be the one that takes it out. */
  isMoving: boolean;
}

export type Condition = "settled" | "pending" | "failed" | "gone";

export interface ResourceDefinition<Inputs extends object, Observed> {
  readonly kind: Kind;
  /** Its kind in messages. */
  readonly noun: string;
  readonly fields: Fields<Inputs>;
  /** A replacement loses the data of the old object. */
  readonly holdsData?: true;
  /** False for objects without a name of their own. */
  readonly isNamed: boolean;
  /** How long each operation may take unless `timeouts` says otherwise. */
  deadlinesMs(inputs: Values): { create: number; update: number; delete: number; read: number };

  /** The calls that change each in-place input; absent where no input changes in place. */
  readonly rows?: Readonly<Record<string, { readonly calls: readonly string[] }>>;
  /** The inputs that can never change, with the remedy for each. */
  readonly fixed: FixedRows<Inputs>;
  /** The input that names the parent; unknown in a preview, it means a replacement. */
  readonly parentKey?: string;
  /** The owner: where it is protected against deletion, this object is not deleted together with it. */
  readonly owner?: { readonly kind: Kind; readonly key: string };
  /** Outputs that clients connect to: a refresh warns when one moves. */
  readonly addresses: readonly string[];
  /** Outputs that repeat other outputs in a simpler form; undefined where there are none. */
  derived?(state: Values): Values;
  /** The object whose moves also move these addresses, by its key in `Memory`. */
  movesWith?(state: Values): { object: string; noun: string };
  /** Why the object cannot be repaired and must be replaced, from the state. */
  replacementReason?(state: Values): string | undefined;
  /** What is wrong with the object and its remedy, from the state; the text follows the label. */
  trouble?(state: Values): string | undefined;
  /** The state in the form in which the server would show it, where that is not simply the inputs. */
  recorded?(state: Values): Values;

  /**
   * Errors and warnings about inputs that are each valid alone. `isKnown` is false for an input that a preview does not
   * know, and for one that is invalid by itself.
   */
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
  /** All objects of the scope by the server's own lists; empty where the scope itself is gone. */
  present(session: Session, scope: Scope, deadlineMs: number): Promise<Listed<Observed>>;
  /** Where that list can have thousands of items: a small read that only the right scope answers, or a recent one. */
  reach?(session: Session, scope: Scope, since: { maxAgeMs: number; deadlineMs: number }): Promise<unknown>;
  idOf(item: Observed): string;
  /** Name, id, age and status, for messages that name an object. */
  describe(item: Observed, nowMs: number): string;
  /** The status in the server's own word. */
  statusOf(item: Observed): string;
  condition(item: Observed): Condition;
  /** Why it failed, where the server tells. */
  failure?(item: Observed): string | undefined;
  /** The inputs as the server shows them. */
  live(item: Observed, scope: Scope): Live<Inputs>;
  /** The outputs that are no inputs. */
  outputs(item: Observed): Values;

  /** What duplicates share: the key of a name reservation, and the test for an object in a list. */
  identity(inputs: Inputs, scope: Scope): string;
  isDuplicate(inputs: Inputs, item: Observed): boolean;
  /** The name by which an unreadable object counts as a duplicate of this create. */
  nameOf(inputs: Inputs): string;
  /** False when a duplicate shows something that this create cannot have asked for. */
  isCandidate?(inputs: Inputs, item: Observed): boolean;
  /** When it was created, where the API tells. */
  createdMs?(item: Observed): number | undefined;
  /**
   * Checks before the create what must be right on the server, and changes nothing. `predecessorIds` are the objects
   * that the new one replaces.
   */
  beforeCreate?(session: Session, inputs: Inputs, scope: Scope, predecessorIds: readonly string[]): Promise<void>;
  /** The API's own name of the create call. */
  createOperation(inputs: Inputs): string;
  post(session: Session, inputs: Inputs, scope: Scope, limits: CallLimits): Promise<Created<Observed>>;
  /** The create itself may be refused until another object settles. */
  createParent?(session: Session, inputs: Inputs, scope: Scope): Parent | undefined;
  /** How long a parent may be too young to be copied. */
  readonly tooEarlyMs?: number;
  /** What the object needs besides a settled status before a create is done; answers what is missing. */
  missing?(inputs: Inputs, item: Observed): string | undefined;
  /** The address that a settled object should show and does not; the provider waits for it for a limited time. */
  lateAddress?(item: Observed): string | undefined;
  /** The addresses that must accept connections before a change is done, where the program asks for that. */
  accepting?(inputs: Inputs, item: Observed): DatabaseAddress[];
  /** As `missing`, as far as it keeps the parent busy: others may change the parent once this is over. */
  occupies?(inputs: Inputs, item: Observed): string | undefined;
  /**
   * Checks before the first step what must be in order, and throws otherwise. `recorded` is the state from which the
   * plan starts, if there is one and no interrupted run has gone beyond it.
   */
  beforeSteps?(
    session: Session,
    steps: readonly Step<Inputs>[],
    item: Observed,
    scope: Scope,
    recorded: Values | undefined,
  ): Promise<void>;

  /** Answers the object if the call showed it: it decides the kind of the first read, and proves nothing. */
  send(
    session: Session,
    step: Step<Inputs>,
    id: string,
    scope: Scope,
    limits: CallLimits,
  ): Promise<Observed | undefined | void>;
  lock(id: string, scope: Scope): string;
  /** Operations that the contract does not show, each with the remedy where a server lacks it. */
  readonly undocumented: Readonly<Record<string, string>>;

  readonly deleteOperation: string;
  remove(session: Session, id: string, scope: Scope, limits: CallLimits): Promise<void>;
  /** The objects inside this one, for which a delete can be refused. */
  members?(session: Session, id: string, scope: Scope, deadlineMs: number): Promise<Member[]>;
  /** The object whose other changes keep this one busy without showing in its own status. */
  keptBusyBy?(session: Session, scope: Scope): Pick<Parent, "isIdle">;
  /** `onDelete: "stop"`: how the object is left in the cloud. */
  stopped?: Stopped<Observed>;
}

/** What an object is brought to before `onDelete: "stop"` leaves it in the cloud. */
export interface Stopped<Observed> {
  inputs: Values;
  /** Whether the object is stopped all the same, when the server refused this operation. */
  isDespite(this: void, found: Observed, refused: string | undefined): boolean;
  /** What is then left undone: "stays in …". */
  leftover(this: void, found: Observed): string;
}

/**
 * A resource as the lifecycle sees it: inputs are values by name, objects are opaque. The types of one kind end where it is
 * defined.
 */
export type Resource = ResourceDefinition<Values, unknown>;
