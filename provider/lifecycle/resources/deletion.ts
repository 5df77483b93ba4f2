// How an object of one kind is deleted, or left in the cloud.

import type { Values } from "../../domain/values/value";
import type { Session } from "../session/session";
import type { BusyWith, CallLimits, Observable, Scope } from "./observation";

/** An object inside another one, which blocks the delete of the other. */
export interface Member {
  /** Its description with id and status. */
  words: string;
  /**
   * "moving": a change is under way there, or queued, and may be the one that takes it out. "deleting": it goes by itself, and
   * need not be waited for.
   */
  is: "staying" | "moving" | "deleting";
}

/** What an object is brought to before `onDelete: "stop"` leaves it in the cloud. */
export interface Stopped<Observed> {
  inputs: Values;
  /** Whether the object is stopped all the same, when the server refused this operation. */
  isDespite(this: void, found: Observed, refused: string | undefined): boolean;
  /** What is then left undone: "stays in …". */
  leftover(this: void, found: Observed): string;
}

export interface Deletion<Observed> {
  /** The API's own name of the delete call, with the remedy where the contract does not show it and a server lacks it. */
  readonly deletion: { readonly operation: string; readonly remedy?: string };
  remove(session: Session, id: string, scope: Scope, limits: CallLimits): Promise<void>;
  /** The objects inside this one, for which a delete can be refused. */
  members?(session: Session, id: string, scope: Scope, deadlineMs: number): Promise<Member[]>;
  /** The object whose other changes keep this one busy without showing in its own status. */
  keptBusyBy?(session: Session, scope: Scope): BusyWith;
  /** `onDelete: "stop"`: how the object is left in the cloud. */
  stopped?: Stopped<Observed>;
}

export type Deletable = Observable & Deletion<unknown>;
