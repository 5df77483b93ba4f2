// Defines how an object of one kind is created, and what counts as a duplicate of it.

import type { Values } from "../../domain/values/value";
import type { Session } from "../session/session";
import type { BusyWith, CallLimits, Observable, Scope } from "./observation";

/** The answer of a create. */
export interface Created<Observed = unknown> {
  id: string;
  /** The outputs that only this answer has. */
  shownOnce?: Values | undefined;
  /** The object in the answer. It decides the kind of the first read, and proves nothing. */
  value?: Observed | undefined;
}

/** Another object that the create changes: the service to copy, or the container of the new object. */
export interface Parent extends BusyWith {
  /** The lock that is held while the create is sent. */
  lock: string;
  /** Whether the new object is a part of the parent, so that the lock is held until the object is up. */
  isPart: boolean;
  /** How long it may be too young for the create. Default: it never is. */
  tooEarlyMs?: number;
}

export interface Creation<Inputs extends object, Observed> {
  /** What duplicates have in common, in words, and the test for an object in a list. */
  identity(inputs: Inputs, scope: Scope): string;
  isDuplicate(inputs: Inputs, item: Observed): boolean;
  /** The name by which an unreadable object counts as a duplicate of this create. */
  nameOf(inputs: Inputs): string;
  /** False if the object shows a value that this create did not ask for. */
  isCandidate?(inputs: Inputs, item: Observed): boolean;
  /**
   * Checks the preconditions of the create on the server, and changes nothing. `predecessorIds` are the objects that the new
   * one replaces.
   */
  beforeCreate?(session: Session, inputs: Inputs, scope: Scope, predecessorIds: readonly string[]): Promise<void>;
  /** The API's name of the create call. */
  createOperation(inputs: Inputs): string;
  post(session: Session, inputs: Inputs, scope: Scope, limits: CallLimits): Promise<Created<Observed>>;
  /** The create itself may be refused until another object settles. */
  createParent?(session: Session, inputs: Inputs, scope: Scope): Parent | undefined;
}

export type Creatable = Observable & Creation<Values, unknown>;
