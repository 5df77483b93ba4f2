// What a kind of resource is to the core. Types only.

import type { Turn } from "../api/http/rate";
import type { InputError } from "../domain/errors";
import type { Condition, Fields } from "../domain/fields";
import type { Kind } from "../domain/kinds";
import type { Listed } from "../domain/listed";
import type { Values } from "../domain/values/value";
import type { PlanRow } from "../plan/planner";
import type { AnyCall, Live, Plan, Step, Wanted } from "../plan/step";
import type { Reported } from "./reported";
import type { ListOptions, Reader, Session } from "./session";

/** The scope of an object: the ids in its path, without the object's own id. */
export interface Scope {
  projectId: string;
  /** The service a replica set belongs to. */
  serviceId?: string | undefined;
  /** The VPC a peering belongs to. */
  vpcId?: string | undefined;
}

/** The limits of one call that changes something. */
export interface CallLimits {
  deadlineMs: number;
  /** Aborted: nothing more is sent. A change that was sent gets its answer. */
  until: AbortSignal;
  /** The turn of the last look before the call. */
  turn: Turn;
}

/** What one read does not tell of an object. "missing": the read did not show it, which hides everything about it. */
export type Unclear = { is: "again"; afterMs: number } | { is: "missing" };

/** Throws in the turn of a call if the object may not be touched, or returns that this is not known yet. */
export type Refuse = (turn: Turn) => Promise<Unclear | undefined>;

/** What there is to say of an output. */
export interface Output {
  /** Clients connect to it. The state repeats it as plain values, and a refresh warns when it moves. */
  readonly isAddress?: true;
  /** Only the answer of a create has it, so a state keeps it. Without the input in its place, it is `lost` with that answer. */
  readonly shownOnce?: { readonly insteadOf: string; readonly lost: string };
  /** Whether an object with these inputs has it, although no answer may have shown it. Default: no. */
  isCertain?(inputs: Values): boolean;
}

/** What the status in a state means, in words that follow the label. */
export interface StatusNote {
  readonly condition: Condition;
  /** For the run that has read it: why clients do not reach the object, or changes of it fail, if no run does anything about it. */
  readonly current?: string | undefined;
  /** For the update after that: a problem. */
  readonly recorded?: string | undefined;
  /** Why the object cannot be repaired, and must be replaced. */
  readonly failure?: string | undefined;
}

/** The answer of a create. */
export interface Created {
  id: string;
  /** The outputs that only this answer has. */
  shownOnce?: Values | undefined;
  /** The object in the answer. It decides the kind of the first read, and proves nothing. */
  value?: Reported | undefined;
}

/** What an object is in. */
export interface Place {
  readonly kind: Kind;
  readonly hasGlobalIds?: true;
  readonly noun: string;
  /** The input with its id. */
  readonly key: string;
  /** What becomes of the object when it moves or is replaced, in words. */
  readonly whenMoved: string;
}

/** The place of all objects of a kind. API: a change of one counts as a change of both, so both are changed under one lock. */
export interface Parent extends Place {
  /** Unknown in a preview, it means a replacement. */
  readonly key: "serviceId" | "vpcId";
  reader(session: Session, scope: Scope): Reader<Reported>;
  /** How long it may be too young for a new object in it. Default: it never is. */
  readonly tooEarlyMs?: number;
  /** Protected, it keeps the object from being deleted with it. */
  readonly isOwner?: true;
}

/** An object inside another one, whose delete it blocks. */
export interface Member {
  /** Its description with id and status. */
  words: string;
  /** "moving": a change or a deletion is under way or queued, and may remove the member from the object. */
  is: "staying" | "moving";
}

/** An object that others can be in. */
export interface Container {
  readonly session: Session;
  readonly id: string;
  readonly scope: Scope;
  /** The objects of a collection that entries of the state have. */
  readonly idsInState: (kind: Kind, scope: Scope) => readonly string[];
  /** Whether this run has deleted the object. */
  readonly isRemoved: (object: string) => boolean;
}

/**
 * Reads the members; undefined while the server does not show the object, and so may hide them. In a turn, it reads in that
 * turn only.
 */
export type ReadMembers = (deadlineMs: number, turn?: Turn) => Promise<Member[] | undefined>;

/**
 * The definition of a resource, with the types of its kind. check, diff, create, read, update and delete work from it, so that
 * no handler branches on the kind.
 */
export interface ResourceDefinition<Inputs extends object> {
  readonly kind: Kind;
  /** The name of the kind in messages. */
  readonly noun: string;
  readonly fields: Fields<Inputs>;
  /** The outputs of which there is more to say than their value. */
  readonly outputs: Readonly<Record<string, Output>>;
  /** The effect of a replacement on other objects, as the end of a sentence. Of what holds data, that is lost. */
  readonly replacementEffect?: string;
  /** Ids are unique across deployments, so an id at another address is the same object. */
  readonly hasGlobalIds?: true;
  readonly parent?: Parent;
  /** The object whose delete waits until this one has left it, and the input with its id. */
  readonly container?: Place;
  /** The default time limit of each operation, without `timeouts`. */
  deadlinesMs(inputs: Values): { create: number; update: number; delete: number; read: number };
  /** What the status in a state means. `managed`: the inputs that the program gives. */
  statusNote(state: Values, managed: readonly string[]): StatusNote;
  /**
   * Errors and warnings about inputs that are each valid alone. `isKnown` is false for an input that a preview does not
   * know, and for one that is invalid by itself.
   */
  rules?(
    inputs: Partial<Inputs>,
    isKnown: (key: string) => boolean,
    isNew: boolean,
  ): { errors: InputError[]; warnings: string[] };

  reader(session: Session, scope: Scope): Reader<Reported>;
  /**
   * All objects of the scope, by every list that has them; undefined while the server does not show what they are in. Default:
   * the list of the reader.
   */
  listAll?(session: Session, scope: Scope, options: ListOptions): Promise<Listed<Reported> | undefined>;
  // How an object is created, and what counts as a duplicate of it.

  /** What duplicates have in common, in words. */
  identity(inputs: Inputs, scope: Scope): string;
  /** Checks the preconditions of the create on the server, and changes nothing. */
  beforeCreate?(session: Session, inputs: Inputs, scope: Scope): Promise<void>;
  /** The API's name of the create call. */
  createOperation(inputs: Inputs): string;
  post(session: Session, inputs: Inputs, scope: Scope, limits: CallLimits): Promise<Created>;
  /** The id of another object of the kind, which the create copies, and which must be idle for that. */
  copies?(inputs: Inputs): string | undefined;

  // How it is changed in place, and when a change is done.

  /** How each in-place input is changed. Inputs that no call changes have no row. */
  readonly rows: Readonly<Record<string, Pick<PlanRow<Inputs, AnyCall>, "calls" | "restore" | "touches">>>;
  plan(wanted: Wanted<Inputs>, live: Live<Inputs>): Plan<Inputs>;
  /**
   * Checks the preconditions before the first step, and throws if one is not met. `recorded` is the state from which the plan
   * starts; empty if there is none, or an interrupted run has gone beyond it.
   */
  beforeSteps?(
    session: Session,
    steps: readonly Step<Inputs>[],
    item: Reported,
    scope: Scope,
    recorded: Values,
  ): Promise<void>;
  /** Returns the object if the call showed it. It decides the kind of the first read, and proves nothing. */
  send(
    session: Session,
    step: Step<Inputs>,
    id: string,
    scope: Scope,
    limits: CallLimits,
  ): Promise<Reported | undefined>;
  /** The calls that the contract does not document, each with the remedy for a server that lacks it. */
  readonly undocumented?: Readonly<Record<string, string>>;

  // How it is deleted, or left in the cloud.

  /**
   * The API's name of the delete call. `isEmptied`: nothing is sent while it may have members, because the server might remove
   * them with it.
   */
  readonly deletion: { readonly operation: string; readonly isEmptied?: true };
  remove(session: Session, id: string, scope: Scope, limits: CallLimits): Promise<void>;
  /** The members of the object, because of which a delete can be refused. One reader serves one delete. */
  members?(container: Container): ReadMembers;
}

/** Any kind, in the form of the core: inputs are values by name. */
export type Resource = ResourceDefinition<Values>;
