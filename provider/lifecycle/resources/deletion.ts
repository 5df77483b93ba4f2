// Defines how an object of one kind is deleted, or left in the cloud.

import type { Values } from "../../domain/values/value";
import type { Session } from "../session/session";
import type { BusyWith, CallLimits, Observable, Scope } from "./observation";

/** An object inside another one, whose delete it blocks. */
export interface Member {
  /** Its description with id and status. */
  words: string;
  /**
   * "moving": a change is under way or queued, and may remove the member from the object. "deleting": the member is being
   * deleted, and is not waited for.
   */
  is: "staying" | "moving" | "deleting";
}

/** The changes before `onDelete: "stop"` leaves an object in the cloud. */
export interface Stopped<Observed> {
  inputs: Values;
  /** Whether the object is stopped although the server refused this operation. */
  isDespite(this: void, found: Observed, refused: string | undefined): boolean;
  /** What was not done in that case: "stays in …". */
  leftover(this: void, found: Observed): string;
}

export interface Deletion<Observed> {
  /** The API's name of the delete call, with the remedy if the contract does not document it and a server lacks it. */
  readonly deletion: { readonly operation: string; readonly remedy?: string };
  remove(session: Session, id: string, scope: Scope, limits: CallLimits): Promise<void>;
  /** The members of the object, because of which a delete can be refused. */
  members?(session: Session, id: string, scope: Scope, deadlineMs: number): Promise<Member[]>;
  /** The object whose changes keep this one busy without showing in this one's status. */
  keptBusyBy?(session: Session, scope: Scope): BusyWith;
  /** `onDelete: "stop"`: how the object is left in the cloud. */
  stopped?: Stopped<Observed>;
}

export type Deletable = Observable & Deletion<unknown>;
